internal import Glibc

/// Paths that mean the same from everywhere.
enum AbsolutePath {
  /// The path from the root, with links and `..` resolved where it exists; else put behind the present folder.
  static func of(_ path: String) -> String {
    if let resolved = realpath(path, nil) {
      defer { free(resolved) }
      return String(cString: resolved)
    }
    if path.hasPrefix("/") { return path }
    guard let current = getcwd(nil, 0) else { return path }
    defer { free(current) }
    return String(cString: current) + "/" + path
  }
}
