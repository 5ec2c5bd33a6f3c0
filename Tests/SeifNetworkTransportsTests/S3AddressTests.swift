import SeifBackups
import SeifBytes
import Testing

@testable import SeifNetworkTransports

@Suite struct S3AddressTests {
  @Test(arguments: [
    ("https://S3.Example.com", "https", "s3.example.com", "/abc/"),
    ("https://s3.example.com:443/", "https", "s3.example.com", "/abc/"),
    ("https://s3.example.com:9000", "https", "s3.example.com:9000", "/abc/"),
    ("http://127.0.0.1:80", "http", "127.0.0.1", "/abc/"), ("https://[::1]:9000", "https", "[::1]:9000", "/abc/"),
    ("https://p.example/storage/v1/s3/", "https", "p.example", "/storage/v1/s3/abc/"),
  ])
  func anEndpointIsAServerAndAtMostAPath(endpoint: String, scheme: String, host: String, root: String) throws {
    let address = try S3Address(endpoint: endpoint, bucket: "abc", allowsHTTP: true)
    #expect((address.scheme, address.host, address.root) == (scheme, host, root))
  }

  @Test(arguments: [
    "", "s3.example.com", "ftp://s3.example.com", "https://", "https:///x", "https://u:p@s3.example.com",
    "https://s3.example.com?x=1", "https://s3.example.com#x", "https://s3.example.com/a/../b",
    "https://s3.example.com/%2e",
    "https://s3.example.com:0", "https://s3.example.com:99999", "https://s3.example.com:x", "https://s3 .example.com",
    "https://s3.example.com\r\nx: y", "https://[::1", "https://s3.exämple.com",
    "http://s3.example.com",
  ])
  func whatIsNotAnEndpointIsRefused(endpoint: String) {
    let fault = #expect(throws: S3Address.Fault.self) { try S3Address(endpoint: endpoint, bucket: "abc") }
    #expect(fault?.field == "endpoint")
  }

  @Test func withoutEncryptionIsForThisMachineOrOnPurpose() throws {
    #expect(try S3Address(endpoint: "http://127.0.0.1:9000", bucket: "abc").scheme == "http")
    #expect(try S3Address(endpoint: "http://s3.example.com", bucket: "abc", allowsHTTP: true).scheme == "http")
    #expect(throws: S3Address.Fault.self) { try S3Address(endpoint: "http://s3.example.com", bucket: "abc") }
  }

  @Test(arguments: ["", "ab", "Abc", "a_b", "-ab", "ab-", "a..b", "a/b", "äbc", String(repeating: "a", count: 64)])
  func whatIsNotABucketIsRefused(bucket: String) {
    let fault = #expect(throws: S3Address.Fault.self) { try S3Address(endpoint: "https://s3.example", bucket: bucket) }
    #expect(fault?.field == "bucket")
  }

  @Test(arguments: ["/a", "a//b", "a/../b", ".", "a\0b", String(repeating: "a", count: 513)])
  func whatIsNotAFolderIsRefused(prefix: String) {
    let fault = #expect(throws: S3Address.Fault.self) {
      try S3Address(endpoint: "https://s3.example", bucket: "abc", prefix: prefix)
    }
    #expect(fault?.field == "prefix")
  }

  @Test func hostStyleNeedsANameThatACertificateCanHold() throws {
    let address = try S3Address(endpoint: "https://s3.example:9000", bucket: "abc", style: .host)
    #expect((address.host, address.root) == ("abc.s3.example:9000", "/"))
    for (endpoint, bucket) in [("https://127.0.0.1", "abc"), ("https://[::1]", "abc"), ("https://s3.example", "a.bc")] {
      let fault = #expect(throws: S3Address.Fault.self) {
        try S3Address(endpoint: endpoint, bucket: bucket, style: .host)
      }
      #expect(fault?.field == "style")
    }
  }

  // MARK: - Settings

  private static let registry = TransportRegistry([S3Transport.kind])

  private static func settings(_ values: [String: String] = [:], secret: String? = "secret") -> TransportSettings {
    var all = ["endpoint": "https://s3.example.com", "bucket": "seif-vault", "access-key": "test:tester"]
    all.merge(values) { $1 }
    return TransportSettings(
      name: "away", kind: "s3", values: all,
      secrets: secret.map { ["secret-key": SecretValue(utf8: $0)] } ?? [:], createsConditionally: true)
  }

  @Test func settingsWithoutPresetsAreEnough() throws {
    let transport = try Self.registry.transport(Self.settings())
    #expect(transport.displayName == "s3://seif-vault/")
    #expect(transport.createsConditionally)
    #expect(transport.requiresAuthentication)
  }

  @Test(arguments: [
    ("endpoint", "s3.example.com"), ("bucket", "x"), ("prefix", "/x"), ("region", "EU west"), ("style", "dns"),
    ("access-key", "a, b"), ("access-key", ""), ("allow-http", "perhaps"),
  ])
  func whatCannotBeUsedIsNamed(field: String, value: String) throws {
    let error = #expect(throws: TransportError.self) { try Self.registry.transport(Self.settings([field: value])) }
    #expect(error?.code == .badSettings)
    #expect(error?.reason.hasPrefix("\(field): ") == true)
  }

  @Test(arguments: ["", "secret\n", "two words", "sécret"])
  func aSecretKeyWithWhatWasCopiedAlongIsRefusedAndNotRepeated(secret: String) throws {
    let error = #expect(throws: TransportError.self) { try Self.registry.transport(Self.settings(secret: secret)) }
    #expect(error?.code == .badSettings)
    #expect(error?.reason == "secret-key: it has at most 1024 characters, and no spaces")
  }
}
