public import SeifBackups
internal import SeifBytes

/// A server that speaks S3, for tests: where it is and with which keys.
public protocol S3Server {
  /// The port of 127.0.0.1 on which it listens.
  var port: UInt16 { get }
  /// Its address.
  var endpoint: String { get }
  /// A bucket that is there and empty.
  var bucket: String { get }
  var accessKey: String { get }
  var secretKey: String { get }
}

extension S3Server {
  /// Its address.
  public var endpoint: String { "http://127.0.0.1:\(port)" }

  /// The settings of a destination there.
  public func settings(
    prefix: String = "", region: String = "us-east-1", secretKey: String? = nil, createsConditionally: Bool = false
  ) -> TransportSettings {
    TransportSettings(
      name: "s3-test", kind: "s3",
      values: [
        "endpoint": endpoint, "bucket": bucket, "prefix": prefix, "region": region, "style": "path",
        "access-key": accessKey, "ca-file": "", "allow-http": "yes",
      ], secrets: ["secret-key": SecretValue(utf8: secretKey ?? self.secretKey)],
      createsConditionally: createsConditionally)
  }
}

/// `rclone serve s3` of a folder: checks signatures, knows no conditions.
public final class RcloneS3: S3Server {
  private let process: ServerProcess
  public let bucket = "seif-bucket"
  public let accessKey = "AKIDSEIFTEST"
  public let secretKey = "SeifTestSecret/0123456789+abcdefgh"

  public var port: UInt16 { process.port }

  private let isHostStyle: Bool

  // A name, so that the bucket can stand before it; libcurl takes all below localhost for this machine.
  public var endpoint: String { "http://\(isHostStyle ? "localhost" : "127.0.0.1"):\(port)" }

  /// Starts it.
  ///
  /// - Parameter isHostStyle: whether the bucket is a part of the server's name.
  public init(isHostStyle: Bool = false) throws {
    self.isHostStyle = isHostStyle
    process = try ServerProcess(
      ServerProcess.pythonProgram("rclone"),
      // Quoted: it is a list of pairs, and the comma is the pair's.
      variables: ["RCLONE_AUTH_KEY": "\"\(accessKey),\(secretKey)\""]
    ) { [bucket] folder, port in
      try TestFolder.make("\(folder)/data/\(bucket)")
      return [
        "serve", "s3", "--addr", "127.0.0.1:\(port)", "--config", "\(folder)/rclone.conf", "--cache-dir",
        "\(folder)/cache", "--force-path-style=\(!isHostStyle)", "\(folder)/data",
      ]
    }
  }

  /// Ends it, as a loss of power would.
  public func end() { process.end() }
}

/// moto: refuses by conditions, looks at no signature.
public final class MotoS3: S3Server {
  private let process: ServerProcess
  public let bucket = "seif-bucket"
  public let accessKey = "AKIDSEIFTEST"
  public let secretKey = "SeifTestSecret/0123456789+abcdefgh"

  public var port: UInt16 { process.port }

  /// Starts it, and makes the bucket.
  public init() throws {
    process = try ServerProcess(ServerProcess.pythonProgram("moto_server")) { _, port in
      ["-H", "127.0.0.1", "-p", String(port)]
    }
    try S3Bucket.make(bucket, endpoint, accessKey, secretKey)
  }

  /// Ends it, as a loss of power would.
  public func end() { process.end() }
}
