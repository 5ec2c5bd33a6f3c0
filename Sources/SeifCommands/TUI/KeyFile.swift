internal import SeifCommandLine
internal import Glibc
internal import SeifBytes
internal import SeifTUI

/// The file that changes the keys of `seif tui`.
enum KeyFile {
  static func path(_ environment: Environment) -> String? {
    UserFolders.configuration(environment).map { $0 + "/seif/keys" }
  }

  /// The table of keys; the usual one where there is no file.
  /// - Throws: exit 65 for a file that can't be used, with the line.
  static func table(_ context: Context) throws(CommandFailure) -> KeyTable {
    guard let path = path(context.environment), let text = try text(path, context) else { return .standard }
    do throws(KeyTable.Fault) {
      return try KeyTable.standard.changed(by: text)
    } catch {
      let what =
        switch error {
        case .noAction(let line): "line \(line) names no action"
        case .noKey(let line): "line \(line) names no key, or one that there isn't"
        case .taken(let line): "line \(line) takes a key that another line has, or that can't be changed"
        case .missing(let action): "no key is left for \(action.rawValue)"
        }
      throw CommandFailure(.badInput, "\(path): \(what)", hint: "Mend it, or remove the file.")
    }
  }

  private static let byteLimit = 65_536

  private static func text(_ path: String, _ context: Context) throws(CommandFailure) -> String? {
    guard access(path, F_OK) == 0 else { return nil }
    // EXPOSE: names of keys, no secret.
    guard let text = try InputFile.read(path, context, byteLimit: byteLimit, onlyFile: true).exposedText() else {
      throw CommandFailure(.badInput, "\(path) isn't text")
    }
    return text
  }
}
