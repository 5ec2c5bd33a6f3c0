/// An address of a server and of something there, in parts (RFC 3986, 9110 §4.2): http or https, no user, no fragment.
public struct HTTPAddress: Sendable, Hashable, CustomStringConvertible {
  /// Longest address in bytes.
  public static let maximumByteCount = 8192

  /// `http` or `https`.
  public let scheme: String
  /// Name or number of the server in lower case; an IPv6 number in its brackets.
  public let host: String
  /// 1 to 65535.
  public let port: Int
  /// Encoded, begins with `/`.
  public let path: String
  /// Encoded, without its `?`; nil: there is none.
  public let query: String?

  /// Reads an address.
  ///
  /// - Throws: `HTTPFailure.badAddress`, with what is wrong and without the address.
  public init(_ text: String) throws(HTTPFailure) {
    let bytes = Array(text.utf8)
    guard bytes.count <= Self.maximumByteCount else { throw .badAddress("it is too long") }
    guard bytes.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x5C }) else {
      throw .badAddress("it holds a space or another character that has to be percent-encoded")
    }
    guard let mark = Self.find("://", in: bytes) else { throw .badAddress("it has no scheme") }
    scheme = String(decoding: bytes[..<mark], as: UTF8.self).lowercased()
    guard scheme == "http" || scheme == "https" else { throw .badAddress("its scheme is neither https nor http") }
    let rest = bytes[(mark + 3)...]
    guard !rest.contains(0x23) else { throw .badAddress("it has a fragment") }
    let authorityEnd = rest.firstIndex { $0 == 0x2F || $0 == 0x3F } ?? rest.endIndex
    let authority = rest[..<authorityEnd]
    // Whoever prints or logs an address would print the password too.
    guard !authority.contains(0x40) else { throw .badAddress("a user or a password stands in it") }
    (host, port) = try Self.hostAndPort(authority, preset: scheme == "https" ? 443 : 80)
    let target = rest[authorityEnd...]
    guard Self.isEncoded(target) else { throw .badAddress("a % in it begins no escape") }
    let question = target.firstIndex(of: 0x3F)
    let pathBytes = target[..<(question ?? target.endIndex)]
    path = pathBytes.isEmpty ? "/" : String(decoding: pathBytes, as: UTF8.self)
    query = question.map { String(decoding: target[($0 + 1)...], as: UTF8.self) }
  }

  /// Scheme, host and port: what RFC 6454 compares.
  public var origin: String { "\(scheme)://\(host):\(port)" }

  /// The address, its port left out where it is the scheme's own.
  public var description: String {
    let hasOwnPort = port == (scheme == "https" ? 443 : 80)
    return "\(scheme)://\(host)\(hasOwnPort ? "" : ":\(port)")\(path)\(query.map { "?" + $0 } ?? "")"
  }

  /// Whether it is of this machine, so that nothing is sent over a network.
  public var isLoopback: Bool {
    if host == "localhost" || host == "[::1]" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.first == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  /// The address that a reference in an answer from this one stands for (RFC 3986 §5.2); a fragment is dropped, and
  /// characters that should have been percent-encoded are.
  public func resolving(_ reference: String) throws(HTTPFailure) -> HTTPAddress {
    var text = Self.encoding(reference)
    if let mark = text.firstIndex(of: "#") { text = String(text[..<mark]) }
    let start = "\(scheme)://\(host):\(port)"
    let whole: String
    if Self.hasScheme(text) {
      whole = text
    } else if text.hasPrefix("//") {
      whole = "\(scheme):\(text)"
    } else if text.hasPrefix("/") {
      whole = start + text
    } else if text.isEmpty {
      return self
    } else if text.hasPrefix("?") {
      whole = start + path + text
    } else {
      whole = start + path[...(path.lastIndex(of: "/") ?? path.startIndex)] + text
    }
    let address = try HTTPAddress(whole)
    return try HTTPAddress(
      "\(address.origin)\(Self.removingDots(address.path))\(address.query.map { "?" + $0 } ?? "")")
  }

  /// A text of a person or of a careless server as an address: what may not stand in one is percent-encoded.
  public static func encoding(_ text: String) -> String {
    var result: [UInt8] = []
    for byte in text.utf8 {
      if (0x21...0x7E).contains(byte), !#""<>\^`{|}"#.utf8.contains(byte) {
        result.append(byte)
      } else {
        result += percent(byte)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// A name as one segment of a path: all but letters, digits and `-._~` is percent-encoded (RFC 3986 §2.3).
  public static func encodingSegment(_ name: String) -> String {
    var result: [UInt8] = []
    for byte in name.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: result.append(byte)
      default: result += percent(byte)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func percent(_ byte: UInt8) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    return [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
  }

  private static func hasScheme(_ text: String) -> Bool {
    guard let colon = text.firstIndex(of: ":"), let first = text.utf8.first else { return false }
    let isLetter = (0x41...0x5A).contains(first) || (0x61...0x7A).contains(first)
    return isLetter && !text[..<colon].contains { "/?#".contains($0) }
  }

  private static func hostAndPort(
    _ authority: ArraySlice<UInt8>, preset: Int
  ) throws(HTTPFailure) -> (String, Int) {
    let text = String(decoding: authority, as: UTF8.self).lowercased()
    let hostEnd: String.Index
    if text.hasPrefix("[") {
      guard let bracket = text.firstIndex(of: "]"),
        text[..<bracket].dropFirst().utf8.allSatisfy({ "0123456789abcdef:.".utf8.contains($0) })
      else { throw .badAddress("its host isn't one") }
      hostEnd = text.index(after: bracket)
    } else {
      hostEnd = text.firstIndex(of: ":") ?? text.endIndex
      guard text[..<hostEnd].utf8.allSatisfy({ "abcdefghijklmnopqrstuvwxyz0123456789-._".utf8.contains($0) }) else {
        throw .badAddress("its host isn't one")
      }
    }
    let host = String(text[..<hostEnd])
    guard !host.isEmpty, host.utf8.count <= 255 else { throw .badAddress("its host isn't one") }
    let rest = text[hostEnd...]
    guard !rest.isEmpty, rest != ":" else { return (host, preset) }
    let digits = rest.dropFirst()
    guard rest.hasPrefix(":"), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), digits.utf8.count <= 5,
      let port = UInt16(digits), port > 0
    else { throw .badAddress("its port isn't one") }
    return (host, Int(port))
  }

  private static func find(_ text: String, in bytes: [UInt8]) -> Int? {
    let wanted = Array(text.utf8)
    guard bytes.count >= wanted.count else { return nil }
    return (0...(bytes.count - wanted.count)).first { Array(bytes[$0..<($0 + wanted.count)]) == wanted }
  }

  private static func isEncoded(_ bytes: ArraySlice<UInt8>) -> Bool {
    var rest = bytes
    while let byte = rest.popFirst() {
      guard byte == 0x25 else { continue }
      for _ in 0..<2 {
        guard let digit = rest.popFirst(), "0123456789abcdefABCDEF".utf8.contains(digit) else { return false }
      }
    }
    return true
  }

  private static func removingDots(_ path: String) -> String {
    var kept: [Substring] = []
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    for (index, part) in parts.enumerated() {
      let isLast = index == parts.count - 1
      switch part {
      case ".": if isLast { kept.append("") }
      case "..":
        _ = kept.popLast()
        if isLast { kept.append("") }
      default: kept.append(part)
      }
    }
    return "/" + kept.joined(separator: "/")
  }
}
