package import SeifBytes
internal import SeifCrypto
internal import SeifHTTP
package import SeifHTTPFields

/// Signature Version 4 of AWS, as S3 has it ("Authenticating Requests: Using the Authorization Header"): the path is
/// encoded once, and the body's hash is always a signed field.
package struct AWSSignature: Sendable {
  /// The name of the key, which is sent.
  package var accessKey: String
  /// The key, which isn't.
  package var secretKey: SecretValue
  /// Where the bucket is: `us-east-1`.
  package var region: String

  /// What signs for one key and one region.
  package init(accessKey: String, secretKey: SecretValue, region: String) {
    self.accessKey = accessKey
    self.secretKey = secretKey
    self.region = region
  }

  /// A request as it is signed.
  package struct Request: Sendable {
    /// `PUT`.
    package var method: String
    /// The server's name, with its port where that isn't the scheme's.
    package var host: String
    /// The path, not encoded yet.
    package var path: String
    /// Names and values of the query, not encoded yet, in any order.
    package var query: [(name: String, value: String)]
    /// Further fields that are signed.
    package var fields: [HTTPField]
    /// SHA-256 of the body, of no bytes where there is none.
    package var bodyHash: [UInt8]

    /// A request.
    package init(
      _ method: String, host: String, path: String, query: [(name: String, value: String)] = [],
      fields: [HTTPField] = [], body: SecretValue = .empty
    ) {
      self.method = method
      self.host = host
      self.path = path
      self.query = query
      self.fields = fields
      bodyHash = body.withBytes { Digest.sha256($0) }
    }

    /// The path as it is sent and signed: every byte that isn't unreserved (RFC 3986 §2.3) is escaped, `/` alone stays.
    package var encodedPath: String { AWSSignature.encode(path, keepsSlash: true) }

    /// The query as it is sent and signed: sorted by the bytes of the encoded names, then of the values.
    package var encodedQuery: String {
      query.map { (AWSSignature.encode($0.name), AWSSignature.encode($0.value)) }
        .sorted { Array($0.0.utf8) == Array($1.0.utf8) ? precedes($0.1, $1.1) : precedes($0.0, $1.0) }
        .map { "\($0.0)=\($0.1)" }.joined(separator: "&")
    }
  }

  /// The fields that a request needs on top of its own: its time, its body's hash and the signature.
  package func fields(for request: Request, at time: Timestamp) -> [HTTPField] {
    let scope = "\(Self.stamp(time).prefix(8))/\(region)/s3/aws4_request"
    return [
      HTTPField("x-amz-date", Self.stamp(time)),
      HTTPField("x-amz-content-sha256", Base16.encode(request.bodyHash)),
      HTTPField(
        "Authorization",
        "AWS4-HMAC-SHA256 Credential=\(accessKey)/\(scope), SignedHeaders=\(Self.signedNames(request, time)), "
          + "Signature=\(signature(of: request, at: time))"),
    ]
  }

  /// The signature: 64 digits.
  package func signature(of request: Request, at time: Timestamp) -> String {
    let stamp = Self.stamp(time)
    let text = """
      AWS4-HMAC-SHA256
      \(stamp)
      \(stamp.prefix(8))/\(region)/s3/aws4_request
      \(Base16.encode(Self.hash(Self.canonicalRequest(request, at: time))))
      """
    return Self.code(signingKey(day: String(stamp.prefix(8))), text).withBytes { Base16.encode($0) }
  }

  /// The request in the form whose hash is signed.
  package static func canonicalRequest(_ request: Request, at time: Timestamp) -> String {
    let fields = signedFields(request, time).map { "\($0.name):\($0.value)\n" }.joined()
    return """
      \(request.method)
      \(request.encodedPath)
      \(request.encodedQuery)
      \(fields)
      \(signedNames(request, time))
      \(Base16.encode(request.bodyHash))
      """
  }

  /// The time as AWS writes it: `20260910T110058Z`.
  package static func stamp(_ time: Timestamp) -> String { time.rfc3339.filter { $0 != "-" && $0 != ":" } }

  /// UTF-8 with every byte escaped, in capitals, that isn't unreserved.
  package static func encode(_ text: String, keepsSlash: Bool = false) -> String {
    guard keepsSlash else { return HTTPAddress.encodingSegment(text) }
    // By bytes: a slash that a combining character follows is one all the same.
    return text.utf8.split(separator: 0x2F, omittingEmptySubsequences: false)
      .map { HTTPAddress.encodingSegment(String(Substring($0))) }.joined(separator: "/")
  }

  // MARK: - Steps

  private static func signedFields(_ request: Request, _ time: Timestamp) -> [(name: String, value: String)] {
    let own = [
      HTTPField("host", request.host), HTTPField("x-amz-date", stamp(time)),
      HTTPField("x-amz-content-sha256", Base16.encode(request.bodyHash)),
    ]
    // Spaces at the ends go, several within count as one.
    return (own + request.fields)
      .map { ($0.name.lowercased(), $0.value.split(separator: " ").joined(separator: " ")) }
      .sorted { precedes($0.0, $1.0) }
  }

  private static func signedNames(_ request: Request, _ time: Timestamp) -> String {
    signedFields(request, time).map(\.name).joined(separator: ";")
  }

  private func signingKey(day: String) -> SecretValue {
    var start = SecretBuffer()
    start.append(utf8: "AWS4")
    start.append(secretKey)
    return [day, region, "s3", "aws4_request"].reduce(start.finish()) { Self.code($0, $1) }
  }

  private static func code(_ key: SecretValue, _ text: String) -> SecretValue {
    key.withBytes { key in HMAC.secretCode(.sha256, key: key, message: text.utf8Span.span.bytes) }
  }

  private static func hash(_ text: String) -> [UInt8] { Digest.sha256(text.utf8Span.span.bytes) }
}

// Order of bytes: that of `String` is another.
private func precedes(_ left: String, _ right: String) -> Bool {
  left.utf8.lexicographicallyPrecedes(right.utf8)
}
