public import FoundationEssentials
public import SeifBytes

/// Where tests find their data.
public enum TestData {
  /// The package's folder, from this file's place in it.
  public static let packageRoot: URL = {
    var root = URL(filePath: #filePath)
    for _ in 0..<3 { root.deleteLastPathComponent() }
    return root
  }()

  /// The contents of a file in `Tests/Vectors`.
  public static func vectors(_ name: String) throws -> JSONDocument {
    try json(packageRoot.appending(path: "Tests/Vectors/\(name)"))
  }

  /// The folder with other projects' samples and vectors, beside the package or where `SEIF_SHARED` says; nil where a
  /// checkout stands alone.
  public static let shared: URL? = {
    let place = ProcessInfo.processInfo.environment["SEIF_SHARED"].map { URL(filePath: $0) }
    let folder = place ?? packageRoot.deletingLastPathComponent().appending(path: "shared")
    return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
  }()

  /// A JSON file of test data, read with our own reader (which has tests of its own against other readers).
  public static func json(_ file: URL) throws -> JSONDocument {
    let bytes = try Data(contentsOf: file)
    let policy = JSONPolicy(isStrict: true, maximumByteCount: 64 << 20, maximumDepth: 64, maximumValueCount: 32 << 20)
    return try JSONDocument(parsing: SecretValue([UInt8](bytes)), policy: policy)
  }
}

extension JSONValue {
  /// The bytes that a string of hexadecimal digits names.
  public var hexBytes: [UInt8]? { string.flatMap { try? Base16.decode($0) } }
}
