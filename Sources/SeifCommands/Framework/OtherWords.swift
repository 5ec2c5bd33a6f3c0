internal import SeifCommandLine

/// Words by which other programs call what a command does.
enum OtherWords {
  private static let words: [String: [String]] = [
    "remove": ["rm", "del", "delete", "erase", "trash", "unlink"], "list": ["ls", "dir", "ll", "search", "find"],
    "show": ["cat", "get", "view", "print", "display", "read"], "code": ["otp", "totp", "2fa", "token", "hotp"],
    "copy": ["cp", "clip", "yank"], "edit": ["mv", "rename", "set", "change", "update", "vi"],
    "add": ["new", "insert", "create", "save"], "bin restore": ["restore", "undelete", "recover"],
    "generate": ["gen", "pwgen", "password", "random"], "export": ["dump"], "import": ["load", "restore-file"],
    "init": ["setup", "initialize"], "keys passphrase": ["passwd", "chpass"], "destroy": ["shred", "wipe", "purge"],
    "unlock": ["signin"], "lock": ["close"], "history": ["log", "versions"],
    "status": ["info", "stat"], "doctor": ["check", "fsck", "repair", "fix"], "undo": ["revert", "rollback"],
    "run": ["exec"], "help": ["man", "?", "usage"], "audit": ["report", "health"],
  ]

  /// The command that is meant by what was typed: a word, or the second one of a group.
  ///
  /// - Parameter names: of the commands that there are.
  static func command(for typed: String, among names: [String]) -> String? {
    let parts = typed.split(separator: " ").map(String.init)
    guard let last = parts.last?.lowercased(), let ours = words.first(where: { $0.value.contains(last) })?.key else {
      return nil
    }
    let meant = (parts.dropLast() + [ours]).joined(separator: " ")
    return names.contains(meant) || meant == "help" ? meant : nil
  }
}
