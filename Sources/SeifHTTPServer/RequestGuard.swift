internal import SeifHTTPFields

/// What a request must be before anybody looks at what it asks: one way to read it, whatever stands before this server.
/// libmicrohttpd takes more than that.
enum RequestGuard {
  /// Why a request is refused.
  struct Refusal: Error {
    let status: Int

    static let malformed = Refusal(status: 400)
  }

  /// - Parameter target: the request's target as it was sent.
  static func head(
    method: String, target: [UInt8], version: String, fields: [HTTPField], byteLimit: Int
  ) throws(Refusal) -> HTTPRequestHead {
    guard version == "HTTP/1.1" || version == "HTTP/1.0" else { throw Refusal(status: 505) }
    guard method.utf8.count <= 32, HTTPSyntax.isToken(Array(method.utf8)) else { throw .malformed }
    let (path, query) = try split(target)
    var head = HTTPRequestHead(method: method, path: path, query: query, fields: fields)
    for field in fields {
      guard HTTPSyntax.isToken(Array(field.name.utf8)), HTTPSyntax.isFieldValue(Array(field.value.utf8)) else {
        throw .malformed
      }
    }
    let byteCount = fields.reduce(target.count) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    guard byteCount <= byteLimit, fields.count <= 100 else { throw Refusal(status: 431) }
    try checkHost(head.values("Host"), isRequired: version == "HTTP/1.1")
    head.bodyByteCount = try framing(head, isNew: version == "HTTP/1.1")
    let expectations = head.values("Expect")
    if let expected = expectations.first {
      guard expectations.count == 1, expected.lowercased() == "100-continue" else { throw Refusal(status: 417) }
    }
    return head
  }

  // Origin form only: what a proxy or a client would send to a server.
  private static func split(_ target: [UInt8]) throws(Refusal) -> (path: String, query: String?) {
    guard target.first == 0x2F, target.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x23 && $0 != 0x5C }) else {
      throw .malformed
    }
    guard let mark = target.firstIndex(of: 0x3F) else { return (String(decoding: target, as: UTF8.self), nil) }
    return (
      String(decoding: target[..<mark], as: UTF8.self), String(decoding: target[(mark + 1)...], as: UTF8.self)
    )
  }

  private static func checkHost(_ hosts: [String], isRequired: Bool) throws(Refusal) {
    guard hosts.count == 1 || (hosts.isEmpty && !isRequired) else { throw .malformed }
    guard let host = hosts.first else { return }
    let isPlain = host.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
        || ".-_:[]".utf8.contains($0)
    }
    guard (1...255).contains(host.utf8.count), isPlain else { throw .malformed }
  }

  /// Bytes of the body; nil: in chunks. Two ways to tell where a body ends are none.
  private static func framing(_ head: HTTPRequestHead, isNew: Bool) throws(Refusal) -> Int? {
    let (lengths, codings) = (head.values("Content-Length"), head.values("Transfer-Encoding"))
    guard codings.isEmpty else {
      guard isNew, lengths.isEmpty, codings.count == 1, codings[0].lowercased() == "chunked" else { throw .malformed }
      return nil
    }
    guard let text = lengths.first else { return 0 }
    guard lengths.count == 1, (1...18).contains(text.utf8.count),
      text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let length = Int(text)
    else { throw .malformed }
    return length
  }
}
