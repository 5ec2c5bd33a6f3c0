import FoundationEssentials

/// Folders of tests.
enum TemporaryFolder {
  static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }
}
