internal import SeifHTTP

/// Where a bucket is: the server, how it is told which bucket, and the folder within.
struct S3Address: Sendable, Equatable {
  /// How a request names the bucket.
  enum Style: String, Sendable {
    /// `https://server/bucket/key`.
    case path
    /// `https://bucket.server/key`.
    case host
  }

  /// What is wrong with a setting: its field and words.
  struct Fault: Error, Equatable {
    var field: String
    var words: String
  }

  /// `https` or `http`.
  let scheme: String
  /// The name or address of the server, in lower case, with its port where that isn't the scheme's; of host style, with
  /// the bucket before it.
  let host: String
  /// What stands before every key in a path: `/`, `/bucket/`, or that behind a path of the endpoint.
  let root: String
  /// The bucket's name.
  let bucket: String
  /// What stands before every name in a key: nothing, or a folder with `/` at its end.
  let prefix: String

  /// The place that settings name.
  init(
    endpoint: String, bucket: String, prefix: String = "", style: Style = .path, allowsHTTP: Bool = false
  ) throws(Fault) {
    let server = try Self.server(endpoint, allowsHTTP: allowsHTTP)
    try Self.checkBucket(bucket)
    scheme = server.scheme
    self.bucket = bucket
    self.prefix = try Self.folder(prefix)
    switch style {
    case .path:
      host = server.name + server.port
      root = "\(server.path)/\(bucket)/"
    case .host:
      guard server.name.utf8.contains(where: { !Self.isDigit($0) && $0 != 0x2E }), !server.name.hasPrefix("[") else {
        throw Fault(field: "style", words: "host needs an endpoint with a name, not an address of numbers")
      }
      // A certificate for all buckets holds for one label.
      guard scheme == "http" || !bucket.utf8.contains(0x2E) else {
        throw Fault(field: "style", words: "host can't be used with a dot in the bucket's name: take path")
      }
      host = "\(bucket).\(server.name)\(server.port)"
      root = server.path + "/"
    }
  }

  /// The key of a name, nil: it can't be one. No part of a key leads elsewhere, and none has to be hidden from a terminal.
  func key(of name: String) -> String? {
    guard Self.isSegment(name), prefix.utf8.count + name.utf8.count <= 1024 else { return nil }
    return prefix + name
  }

  /// The name of a key; nil: a folder, something in a folder, or of another prefix.
  func name(of key: String) -> String? {
    guard key.utf8.starts(with: prefix.utf8) else { return nil }
    let name = String(decoding: key.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    return Self.isSegment(name) ? name : nil
  }

  // MARK: - Parts

  private static func server(
    _ endpoint: String, allowsHTTP: Bool
  ) throws(Fault) -> (scheme: String, name: String, port: String, path: String) {
    func fault(_ words: String) -> Fault { Fault(field: "endpoint", words: words) }
    let address: HTTPAddress
    do throws(HTTPFailure) {
      address = try HTTPAddress(endpoint)
    } catch {
      guard case .badAddress(let words) = error else { throw fault("it isn't an address") }
      throw fault(words)
    }
    guard address.scheme == "https" || address.isLoopback || allowsHTTP else {
      throw fault("http:// is open to anybody on the way: use https")
    }
    guard address.query == nil else { throw fault("it has a question mark") }
    var path = address.path[...]
    while path.hasSuffix("/") { path.removeLast() }
    // Nothing that two sides could encode in two ways.
    guard path.isEmpty || path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).allSatisfy(isPlain)
    else { throw fault("its path may hold letters, digits and -._~ only") }
    let hasOwnPort = address.port == (address.scheme == "https" ? 443 : 80)
    return (address.scheme, address.host, hasOwnPort ? "" : ":\(address.port)", String(path))
  }

  // AWS, "Bucket naming rules": what other servers take as well.
  private static func checkBucket(_ bucket: String) throws(Fault) {
    let bytes = Array(bucket.utf8)
    guard (3...63).contains(bytes.count), let first = bytes.first, let last = bytes.last,
      bytes.allSatisfy({ isLowerAlphanumeric($0) || $0 == 0x2D || $0 == 0x2E }), isLowerAlphanumeric(first),
      isLowerAlphanumeric(last), !bucket.contains("..")
    else {
      throw Fault(
        field: "bucket", words: "it has 3 to 63 of a-z, 0-9, - and ., and begins and ends with one of the first")
    }
  }

  private static func folder(_ prefix: String) throws(Fault) -> String {
    var folder = prefix[...]
    while folder.utf8.last == 0x2F { folder.removeLast() }
    if folder.isEmpty { return "" }
    guard folder.utf8.count <= 512,
      folder.split(separator: "/", omittingEmptySubsequences: false).allSatisfy({ isSegment(String($0)) })
    else {
      throw Fault(
        field: "prefix", words: "it is a path of folders such as a/b, without . and .. and of at most 512 bytes")
    }
    return folder + "/"
  }

  private static func isSegment(_ text: String) -> Bool {
    !text.isEmpty && text != "." && text != ".."
      && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != 0x2F }
  }

  private static func isPlain(_ segment: Substring) -> Bool {
    !segment.isEmpty && segment != "." && segment != ".."
      && segment.utf8.allSatisfy { byte in
        isDigit(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
          || [0x2D, 0x2E, 0x5F, 0x7E].contains(byte)
      }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func isLowerAlphanumeric(_ byte: UInt8) -> Bool { isDigit(byte) || (0x61...0x7A).contains(byte) }
}
