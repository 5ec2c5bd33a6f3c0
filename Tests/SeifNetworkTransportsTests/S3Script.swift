import SeifBackups
import SeifBytes
import SeifHTTP
import SeifTestSupport
import Synchronization

@testable import SeifNetworkTransports

/// A server that answers as a test wants it to, and keeps what it was asked.
final class S3Script: HTTPClient {
  typealias Answer = @Sendable (HTTPRequest) throws(HTTPFailure) -> HTTPResponse
  private let answer: Answer
  private let seen = Mutex<[HTTPRequest]>([])

  var requests: [HTTPRequest] { seen.withLock { $0 } }

  init(_ answer: @escaping Answer) { self.answer = answer }

  func send(_ request: HTTPRequest) throws(HTTPFailure) -> HTTPResponse {
    seen.withLock { $0.append(request) }
    return try answer(request)
  }

  /// A transport that asks it.
  func transport(
    prefix: String = "backups", style: S3Address.Style = .path, createsConditionally: Bool = true
  ) throws -> S3Transport {
    S3Transport(
      address: try S3Address(
        endpoint: "https://s3.example.com", bucket: "seif-vault", prefix: prefix, style: style),
      signature: AWSSignature(
        accessKey: "AKIDSEIFEXAMPLE", secretKey: SecretValue(utf8: "SeifExampleSecretKey/0123456789+abcdefgh"),
        region: "eu-central-1"),
      client: self, quickClient: self, createsConditionally: createsConditionally,
      clock: { Timestamp(seconds: 1_789_038_058) })
  }

  static func refusal(_ status: Int, _ code: String, more: String = "") -> HTTPResponse {
    HTTPResponse(
      status: status,
      body: SecretValue(
        utf8: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>\(code)</Code>"
          + "<Message>AKIDSEIFEXAMPLE asked</Message>\(more)<RequestId>1</RequestId></Error>"))
  }

  /// A part of a listing; keys are escaped here.
  static func page(
    _ keys: [String], next: String? = nil, isEncoded: Bool = true, sizes: String = "5", more: String = ""
  ) -> HTTPResponse {
    let files = keys.map { key in
      "<Contents><Key>\(isEncoded ? AWSSignature.encode(key, keepsSlash: true) : key)</Key><Size>\(sizes)</Size>"
        + "<ETag>&quot;x&quot;</ETag></Contents>"
    }
    let tail =
      next.map { "<IsTruncated>true</IsTruncated><NextContinuationToken>\($0)</NextContinuationToken>" }
      ?? "<IsTruncated>false</IsTruncated>"
    return HTTPResponse(
      status: 200,
      body: SecretValue(
        utf8: "<?xml version=\"1.0\"?><ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
          + (isEncoded ? "<EncodingType>url</EncodingType>" : "") + files.joined() + tail + more
          + "</ListBucketResult>"))
  }
}
