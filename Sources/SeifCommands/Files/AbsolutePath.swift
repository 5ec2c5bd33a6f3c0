internal import SeifCommandLine
internal import Glibc

/// Paths that mean the same from everywhere.
enum AbsolutePath {
  /// The path from the root, with links and `..` resolved as far as it exists: a file has the same path before it is
  /// made and after.
  static func of(_ path: String) -> String {
    if let resolved = resolved(path) { return resolved }
    let name = path.split(separator: "/").last.map(String.init) ?? ""
    let parent = String(path.dropLast(name.count))
    if !path.hasSuffix("/"), name != ".", name != "..", let folder = resolved(parent.isEmpty ? "." : parent) {
      return (folder == "/" ? "" : folder) + "/" + name
    }
    if path.hasPrefix("/") { return path }
    guard let current = getcwd(nil, 0) else { return path }
    defer { free(current) }
    return String(cString: current) + "/" + path
  }

  private static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
