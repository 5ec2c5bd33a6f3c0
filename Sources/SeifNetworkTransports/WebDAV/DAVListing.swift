internal import SeifBytes
internal import SeifHTTP

/// What a `PROPFIND` says of one thing (RFC 4918 §14.24).
struct DAVResource: Sendable, Hashable {
  /// Where it is, as the server writes it.
  var href = ""
  /// Whether it holds others.
  var isCollection = false
  /// Its size, where it is stated.
  var byteCount: Int?
  /// Its version, with the quotation marks; weak ones begin with `W/`.
  var etag: String?
  /// When it was last changed, in seconds since 1970, by the server's clock.
  var modified: Int64?
  /// The status of the whole, where there is one instead of properties.
  var status: Int?
}

/// The answer of a `PROPFIND`, read for one folder.
struct DAVListing: Sendable {
  /// The folder itself, if it is named.
  private(set) var folder: DAVResource?
  /// What lies in it, by its decoded name.
  private(set) var children: [(name: String, resource: DAVResource)] = []

  /// Sorts resources by what their addresses say.
  ///
  /// Addresses are compared by their paths, each segment percent-decoded once, so that `%5b` and `%5B` are one. Scheme and
  /// host aren't: a server behind another writes its own. What lies deeper or elsewhere is passed over.
  ///
  /// - Parameter address: the folder's, which answered.
  init(_ resources: [DAVResource], in address: HTTPAddress) {
    guard let base = Self.segments(address.path) else { return }
    var seen = Set<[UInt8]>()
    for resource in resources {
      guard let target = try? address.resolving(resource.href), let path = Self.segments(target.path),
        path.starts(with: base)
      else { continue }
      if path.count == base.count {
        if folder == nil { folder = resource }
      } else if path.count == base.count + 1, let last = path.last,
        let name = String(validating: last, as: UTF8.self), seen.insert(last).inserted
      {
        children.append((name, resource))
      }
    }
  }

  /// The segments of a path, decoded, without an empty one at its end; nil: an escape isn't one.
  static func segments(_ path: String) -> [[UInt8]]? {
    var parts = path.utf8.split(separator: 0x2F, omittingEmptySubsequences: false).dropFirst()
    if parts.last?.isEmpty == true { parts = parts.dropLast() }
    var result: [[UInt8]] = []
    for part in parts {
      guard let bytes = decoded(part) else { return nil }
      result.append(bytes)
    }
    return result
  }

  private static func decoded(_ part: Substring.UTF8View) -> [UInt8]? {
    var result: [UInt8] = []
    var rest = part[...]
    while let byte = rest.popFirst() {
      guard byte == 0x25 else {
        result.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else { return nil }
      result.append(high << 4 | low)
    }
    return result
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}
