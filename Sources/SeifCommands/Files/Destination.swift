package import SeifCommandLine
internal import CSeif
internal import Glibc

/// Where a command's data go: a file, or stdout for `-`.
package enum Destination {
  /// Refuses a file that exists before anything is asked or opened for it.
  static func checkFree(_ path: String?, replacing: Bool) throws(CommandFailure) {
    guard let path, path != "-", !replacing else { return }
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    throw CommandFailure(.cannotCreate, "\(path) exists", hint: "Give another name, or --force to replace it.")
  }

  /// Writes the whole of it. Binary isn't thrown at a terminal: that needs `-o -` said in so many words.
  /// - Parameter path: nil where no `-o` was given, and stdout is meant by default.
  package static func write(
    _ bytes: RawSpan, to path: String?, replacing: Bool, isBinary: Bool, _ context: Context
  ) throws(CommandFailure) {
    guard let path, path != "-" else {
      if path == nil, isBinary, context.output.style.isTerminal {
        throw CommandFailure(
          .usage, "the result is binary and stdout is a terminal", hint: "Give -o FILE, or -o - if you mean it.")
      }
      try context.output.write(raw: bytes)
      return try context.output.flush()
    }
    var file = try OutputFile(path, replacing: replacing)
    try file.write(bytes)
    try file.commit()
  }
}
