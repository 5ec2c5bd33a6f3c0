public import FoundationEssentials
internal import Glibc

/// `rclone serve webdav`: overwrites whatever the request's conditions say.
public final class RcloneWebDAV {
  /// The user and the password that it takes.
  public static let user = "seif"
  public static let password = "rclone-password"

  private let process: ServerProcess

  /// Starts it.
  public init() throws {
    process = try ServerProcess(
      ServerProcess.pythonProgram("rclone"),
      variables: ["RCLONE_USER": Self.user, "RCLONE_PASS": Self.password, "RCLONE_CONFIG": "/dev/null"]
    ) { folder, port in
      mkdir(folder + "/files", 0o700)
      return ["serve", "webdav", folder + "/files", "--addr", "127.0.0.1:\(port)"]
    }
  }

  /// The address of its folder.
  public var url: String { "http://127.0.0.1:\(process.port)/" }
  /// Its port of 127.0.0.1.
  public var port: UInt16 { process.port }
  /// Where its files lie.
  public var files: URL { URL(filePath: process.folder + "/files") }
  /// Makes a folder in its folder and gives its address.
  public func makeFolder(_ name: String) -> String {
    mkdir(files.appending(path: name).path, 0o700)
    return "\(url)\(name)/"
  }
  /// What it has written.
  public var log: String { process.log }
}
