import SeifBytes
import SeifHTTP
import SeifTestSupport
import Testing
import SeifHTTPFields

@testable import SeifNetworkTransports

@Suite struct S3SignatureTests {
  private static let signature = AWSSignature(
    accessKey: "AKIDSEIFEXAMPLE", secretKey: SecretValue(utf8: "SeifExampleSecretKey/0123456789+abcdefgh"),
    region: "eu-central-1")

  private static func time(_ text: String) throws -> Timestamp { try #require(Timestamp(rfc3339: text)) }

  @Test func aKeyWithEveryKindOfCharacterIsEncodedOnceAndSignedAsItIsSent() throws {
    let request = AWSSignature.Request(
      "PUT", host: "s3.example.com", path: "/seif-vault/backups/a b+c@d(1):ü~*'.json", body: SecretValue(utf8: "{}"))
    #expect(request.encodedPath == "/seif-vault/backups/a%20b%2Bc%40d%281%29%3A%C3%BC~%2A%27.json")
    let time = try Self.time("2026-09-10T11:00:58Z")
    #expect(
      Self.signature.signature(of: request, at: time)
        == "b048332ac47db9ac7ae8484e6fb0414fd2048d5facc0bd21eed960fb2a86e895")
    let fields = Self.signature.fields(for: request, at: time)
    #expect(
      fields == [
        HTTPField("x-amz-date", "20260910T110058Z"),
        HTTPField("x-amz-content-sha256", "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"),
        HTTPField(
          "Authorization",
          "AWS4-HMAC-SHA256 Credential=AKIDSEIFEXAMPLE/20260910/eu-central-1/s3/aws4_request, "
            + "SignedHeaders=host;x-amz-content-sha256;x-amz-date, "
            + "Signature=b048332ac47db9ac7ae8484e6fb0414fd2048d5facc0bd21eed960fb2a86e895"),
      ])
  }

  @Test func aTokenWithSeparatorsIsSortedAndSignedAsItIsSent() throws {
    let request = AWSSignature.Request(
      "GET", host: "s3.example.com", path: "/seif-vault/",
      query: [("prefix", "twofac backup/ü"), ("list-type", "2"), ("continuation-token", "1/ab+c==")])
    #expect(
      request.encodedQuery == "continuation-token=1%2Fab%2Bc%3D%3D&list-type=2&prefix=twofac%20backup%2F%C3%BC")
    #expect(
      Self.signature.signature(of: request, at: try Self.time("2026-09-10T11:00:58Z"))
        == "bbd59202e6c88cace3874fce6194925f8b312ef1c32498c0e3c6fa179ce8fb32")
  }

  struct Example: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var request: @Sendable () -> AWSSignature.Request
    var signature: String
  }

  private static let host = "examplebucket.s3.amazonaws.com"

  // "Authenticating Requests: Using the Authorization Header", the four examples.
  static let published = [
    Example(
      testDescription: "GET Object",
      request: {
        AWSSignature.Request("GET", host: host, path: "/test.txt", fields: [HTTPField("Range", "bytes=0-9")])
      },
      signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
    Example(
      testDescription: "PUT Object",
      request: {
        AWSSignature.Request(
          "PUT", host: host, path: "/test$file.text",
          fields: [
            HTTPField("Date", "Fri, 24 May 2013 00:00:00 GMT"),
            HTTPField("x-amz-storage-class", "REDUCED_REDUNDANCY"),
          ], body: SecretValue(utf8: "Welcome to Amazon S3."))
      },
      signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
    Example(
      testDescription: "GET Bucket Lifecycle",
      request: { AWSSignature.Request("GET", host: host, path: "/", query: [("lifecycle", "")]) },
      signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
    Example(
      testDescription: "Get Bucket (List Objects)",
      request: { AWSSignature.Request("GET", host: host, path: "/", query: [("prefix", "J"), ("max-keys", "2")]) },
      signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
  ]

  @Test(arguments: published)
  func publishedExamplesHaveTheirSignatures(example: Example) throws {
    let signature = AWSSignature(
      accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: SecretValue(utf8: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
      region: "us-east-1")
    #expect(signature.signature(of: example.request(), at: try Self.time("2013-05-24T00:00:00Z")) == example.signature)
  }

  @Test func anotherImplementationSignsRandomRequestsAlike() throws {
    var random = SeededGenerator(seed: 20_260_910)
    var lines: [String] = []
    var ours: [String] = []
    for index in 0..<400 {
      let method = ["GET", "PUT", "HEAD", "DELETE"].randomElement(using: &random) ?? "GET"
      let secret = Self.text(1...60, &random)
      let signature = AWSSignature(
        accessKey: "AK\(index)", secretKey: SecretValue(utf8: secret), region: "region-\(index % 7)")
      let path = "/" + Self.text(0...40, &random)
      // Names may stand several times and may be beginnings of each other.
      let query = (0..<Int.random(in: 0...5, using: &random)).map { _ in
        (name: Self.text(1...2, &random), value: Self.text(0...12, &random))
      }
      let body = Self.text(0...50, &random)
      let time = Timestamp(seconds: Int64.random(in: 0...4_000_000_000, using: &random))
      let request = AWSSignature.Request(
        method, host: "host-\(index).example.com:\(1024 + index)", path: path, query: query,
        fields: index % 3 == 0 ? [HTTPField("If-None-Match", "*"), HTTPField("x-amz-Meta-a", "  b   c ")] : [],
        body: SecretValue(utf8: body))
      ours.append(signature.signature(of: request, at: time))
      lines.append(
        ([
          method, signature.accessKey, signature.region, request.host, AWSSignature.stamp(time),
          index % 3 == 0 ? "more" : "", Self.hex(secret), Self.hex(path), Self.hex(body),
        ] + query.flatMap { [Self.hex($0.name), Self.hex($0.value)] }).joined(separator: "|"))
    }
    let script = """
      import sys, hashlib, urllib.parse
      from botocore.auth import S3SigV4Auth
      from botocore.awsrequest import AWSRequest
      from botocore.credentials import Credentials
      text = lambda digits: bytes.fromhex(digits).decode()
      for line in sys.stdin.read().split("\\n"):
          method, access, region, host, stamp, more, secret, path, body, *query = line.split("|")
          params = [(text(query[i]), text(query[i + 1])) for i in range(0, len(query), 2)]
          url = "https://" + host + urllib.parse.quote(text(path), safe="/-_.~")
          headers = {"X-Amz-Date": stamp, "X-Amz-Content-SHA256": hashlib.sha256(text(body).encode()).hexdigest()}
          if more: headers.update({"If-None-Match": "*", "x-amz-meta-a": "b c"})
          request = AWSRequest(method=method, url=url, params=params, data=text(body).encode(), headers=headers)
          request.context["timestamp"] = stamp
          auth = S3SigV4Auth(Credentials(access, text(secret)), "s3", region)
          whole = auth.canonical_request(request)
          print(auth.signature(auth.string_to_sign(request, whole), request))
      """
    let theirs = try Python.lines(script, input: Array(lines.joined(separator: "\n").utf8)).map(String.init)
    #expect(theirs.count == 400)
    #expect(theirs == ours)
  }

  private static func hex(_ text: String) -> String { Base16.encode(Array(text.utf8)) }

  private static func text(_ count: ClosedRange<Int>, _ random: inout SeededGenerator) -> String {
    var text = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: count, using: &random) {
      let value: UInt32 =
        switch Int.random(in: 0..<4, using: &random) {
        case 0: .random(in: 0x61...0x7A, using: &random)
        case 1: .random(in: 0x20...0x7E, using: &random)
        case 2: .random(in: 0xA0...0xD7FF, using: &random)
        default: .random(in: 0x1_F300...0x1_F5FF, using: &random)
        }
      if let scalar = UnicodeScalar(value) { text.append(scalar) }
    }
    return String(text)
  }
}
