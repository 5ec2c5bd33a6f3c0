internal import SeifCommandLine
internal import SeifBytes

/// A description as git sends it to a credential helper: `key=value` lines up to an empty line (git-credential(1)).
struct GitCredential {
  /// More than git ever sends.
  static let byteLimit = 64 * 1024

  private(set) var scheme = ""
  private(set) var host = ""
  /// Nil for the scheme's own.
  private(set) var port: Int?
  /// Only where git has `useHttpPath` set; without a slash at its start.
  private(set) var path: String?
  private(set) var username: String?
  private(set) var password: SecretValue?

  struct Fault: Error, Equatable {
    let what: String
  }

  /// - Throws: what is wrong; never with a value.
  init(_ text: SecretValue) throws(Fault) {
    guard text.byteCount <= Self.byteLimit else { throw Fault(what: "git sent more than \(Self.byteLimit) bytes") }
    let lines = try text.withBytes { (bytes) throws(Fault) in
      try bytes.withUnsafeBytes { (buffer) throws(Fault) in try Self.lines(buffer) }
    }
    var seen: Set<String> = []
    for (key, value) in lines {
      // Keys that end in [] are lists; those and unknown ones mean nothing here.
      guard ["protocol", "host", "path", "username", "password"].contains(key) else { continue }
      guard seen.insert(key).inserted else { throw Fault(what: "git sent \(key) twice") }
      if key == "password" {
        password = value
        continue
      }
      // EXPOSE: an address or a user name, not the password.
      guard let text = value.exposedText() else { throw Fault(what: "\(key) isn't UTF-8") }
      switch key {
      case "protocol": scheme = text.lowercased()
      case "host": try setHost(text)
      case "path": path = text.isEmpty ? nil : text
      default: username = text.isEmpty ? nil : text
      }
    }
    guard !scheme.isEmpty, !host.isEmpty else { throw Fault(what: "git sent no protocol or no host") }
  }

  private static func lines(_ bytes: UnsafeRawBufferPointer) throws(Fault) -> [(String, SecretValue)] {
    var lines: [(String, SecretValue)] = []
    var start = 0
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
      let line = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
      start = end + 1
      if line.isEmpty { break }
      // Either lets what one side takes for a value be more lines for the other.
      guard !line.contains(0), !line.contains(0x0D) else { throw Fault(what: "git sent a control character") }
      guard let equals = line.firstIndex(of: UInt8(ascii: "=")), equals > 0 else {
        throw Fault(what: "git sent a line that isn't KEY=VALUE")
      }
      let key = String(decoding: line[..<equals], as: UTF8.self)
      lines.append((key, SecretValue(copying: UnsafeRawBufferPointer(rebasing: line[(equals + 1)...]).bytes)))
    }
    return lines
  }

  private mutating func setHost(_ text: String) throws(Fault) {
    guard let parts = WebAddress.split(authority: text) else { throw Fault(what: "git sent a host that is none") }
    (host, port) = parts
  }

  /// `https://host:8443`, for the person.
  var address: String { "\(scheme)://\(host)\(port.map { ":\($0)" } ?? "")" + (path.map { "/\($0)" } ?? "") }
}

/// The parts of an address that a credential helper compares.
struct WebAddress: Equatable {
  let scheme: String
  let host: String
  let port: Int?
  /// Without a slash at its start or end.
  let path: String

  /// An address of an entry; without a scheme it is https.
  init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count <= 4096, !bytes.contains(where: { $0 <= 0x20 || $0 == 0x7F || $0 == 0x5C }) else { return nil }
    var rest = text[...]
    if let colon = text.firstRange(ofText: "://") {
      scheme = text[..<colon.lowerBound].lowercased()
      rest = text[colon.upperBound...]
    } else {
      scheme = "https"
    }
    let authority = rest.prefix { !"/?#".contains($0) }
    // A user name or password in an address is no part of the host.
    let hostText = authority.split(separator: "@", omittingEmptySubsequences: false).last.map(String.init) ?? ""
    guard !scheme.isEmpty, let parts = Self.split(authority: hostText) else { return nil }
    host = parts.host
    port = parts.port == Self.usualPort(scheme) ? nil : parts.port
    path = Self.trimmed(String(rest.dropFirst(authority.count).prefix { $0 != "?" && $0 != "#" }))
  }

  static func usualPort(_ scheme: String) -> Int? { ["https": 443, "http": 80][scheme] }

  static func trimmed(_ path: String) -> String {
    var path = path[...]
    while path.hasPrefix("/") { path.removeFirst() }
    while path.hasSuffix("/") { path.removeLast() }
    return String(path)
  }

  /// Host in lower case, and port; nil where it is neither.
  static func split(authority: String) -> (host: String, port: Int?)? {
    var host = authority.lowercased()
    var port: Int?
    let end = host.hasPrefix("[") ? host.lastIndex(of: "]") : host.startIndex
    guard let end else { return nil }
    if let colon = host[end...].lastIndex(of: ":") {
      let digits = host[host.index(after: colon)...]
      guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
        let number = Int(digits), (1...65_535).contains(number)
      else { return nil }
      port = number
      host = String(host[..<colon])
    }
    guard !host.isEmpty, host.utf8.count <= 255, !host.utf8.contains(where: { $0 <= 0x20 || $0 == 0x2F || $0 == 0x40 })
    else { return nil }
    return (host, port)
  }
}

extension String {
  /// By bytes, which links none of the standard library's searching of characters.
  fileprivate func firstRange(ofText part: String) -> Range<Index>? {
    let (bytes, wanted) = (utf8, Array(part.utf8))
    var start = bytes.startIndex
    while start < bytes.endIndex {
      if bytes[start...].starts(with: wanted),
        let end = bytes.index(start, offsetBy: wanted.count, limitedBy: bytes.endIndex)
      {
        return start..<end
      }
      start = bytes.index(after: start)
    }
    return nil
  }
}

extension GitCredential {
  /// Whether an address of an entry is the one that git asks for: protocol, host and port exactly; the path where git
  /// gives one.
  enum Match { case none, host, path }

  func match(_ text: String) -> Match {
    guard let address = WebAddress(text), address.scheme == scheme, address.host == host,
      address.port == (port == WebAddress.usualPort(scheme) ? nil : port)
    else { return .none }
    guard let path else { return .host }
    if address.path == WebAddress.trimmed(path) { return .path }
    return address.path.isEmpty ? .host : .none
  }
}
