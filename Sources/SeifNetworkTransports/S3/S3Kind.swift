public import SeifBackups
internal import SeifBytes
internal import SeifHTTP

extension S3Transport {
  /// The kind, for a registry.
  public static let kind = TransportKind(
    id: "s3", displayName: "S3",
    fields: [
      TransportField("endpoint", "address of the server, such as https://s3.eu-central-1.amazonaws.com"),
      TransportField("bucket", "name of the bucket"),
      TransportField("prefix", "folder within the bucket", preset: ""),
      TransportField("region", "region of the bucket", preset: "us-east-1"),
      TransportField("style", "how the bucket is named: path or host", preset: "path"),
      TransportField("access-key", "access key"),
      TransportField("secret-key", "secret key", isSecret: true),
      TransportField("ca-file", "file with the certificates to trust instead of the system's", preset: ""),
      TransportField("allow-http", "allow http://, open to anybody on the way: yes or no", preset: "no"),
    ] + NetworkClient.proxyFields
  ) { (settings) throws(TransportError) in
    // One client below both, so that they share its connections.
    let quick = try NetworkClient.make(
      settings, allowsHTTP: settings.values["allow-http"] == "yes", followsRedirects: false, retries: false)
    return try S3Transport(settings, client: RetryingClient(quick), quickClient: quick)
  }

  /// A transport of settings, with what sends its requests.
  init(_ settings: TransportSettings, client: any HTTPClient, quickClient: any HTTPClient) throws(TransportError) {
    func fault(_ field: String, _ words: String) -> TransportError {
      TransportError(.badSettings, place: settings.name, reason: "\(field): \(words)", field: field)
    }
    func value(_ field: String) -> String { settings.values[field] ?? "" }
    guard let style = S3Address.Style(rawValue: value("style")) else { throw fault("style", "it is path or host") }
    guard ["yes", "no"].contains(value("allow-http")) else { throw fault("allow-http", "it is yes or no") }
    let allowsHTTP = value("allow-http") == "yes"
    let address: S3Address
    do throws(S3Address.Fault) {
      address = try S3Address(
        endpoint: value("endpoint"), bucket: value("bucket"), prefix: value("prefix"), style: style,
        allowsHTTP: allowsHTTP)
    } catch {
      throw fault(error.field, error.words)
    }
    guard Self.isRegion(value("region")) else { throw fault("region", "it has at most 64 of a-z, 0-9 and -") }
    guard Self.isAccessKey(value("access-key")) else {
      throw fault("access-key", "it has at most 128 characters, and neither spaces nor , nor /")
    }
    guard let secretKey = settings.secrets["secret-key"], Self.isSecretKey(secretKey) else {
      throw fault("secret-key", "it has at most 1024 characters, and no spaces")
    }
    self.init(
      address: address,
      signature: AWSSignature(accessKey: value("access-key"), secretKey: secretKey, region: value("region")),
      client: client, quickClient: quickClient, createsConditionally: settings.createsConditionally)
  }

  static func isRegion(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D }
  }

  // What stands between the separators of a field: printable, and none of them.
  private static func isAccessKey(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count)
      && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x2C && $0 != 0x2F }
  }

  // A line's end or a space that was copied along would only show as a wrong signature.
  private static func isSecretKey(_ secret: SecretValue) -> Bool {
    guard (1...1024).contains(secret.byteCount) else { return false }
    return secret.withBytes { bytes in
      (0..<bytes.byteCount).allSatisfy { (0x21...0x7E).contains(bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self)) }
    }
  }
}
