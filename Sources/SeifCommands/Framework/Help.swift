internal import SeifCommandLine

/// The help pages. They are compared with stored snapshots in tests.
package enum Help {
  /// `seif help`: what there is.
  package static func overview(_ commands: [any Command.Type]) -> String {
    var text = """
      seif COMMAND [SUBCOMMAND] [ARGUMENT] [OPTIONS]

      Opens, checks and makes encrypted backups of one-time codes and passwords, and keeps a vault of its own.


      """
    text += list(commands)
    text += """

      seif help COMMAND tells more of one; seif --version says which Seif this is.
      The manual, man seif, is there once `make install` has put it in its place.

      Start here: seif open FILE shows what a backup holds and saves nothing;
      seif init makes a vault, and seif import FILE takes the backup in.

      """
    return text
  }

  /// `seif help open`, `seif open --help`.
  package static func page(_ command: any Command.Type) -> String {
    var text = HelpPage.text(command)
    if let line = whichPassphrase(command) { text += "\n" + line + "\n" }
    let examples = Examples.of(command)
    if !examples.isEmpty {
      // A line each and what it is for below it: the lines are too long to stand beside.
      text += "\nExamples:\n" + examples.map { "  \($0.line)\n      \($0.about)\n" }.joined()
    }
    return text
  }

  /// Which of the options for passphrases to give, where there is more than one pair; on a terminal Seif asks.
  static func whichPassphrase(_ command: any Command.Type) -> String? {
    let names = Set(command.options.map(\.name))
    let (hasPlain, hasNew) = (names.contains("passphrase-fd"), names.contains("new-passphrase-fd"))
    if command.name == InitCommand.name {
      return "Either pair of passphrase options gives the vault's passphrase; one is enough."
    }
    var parts: [String] = []
    if hasPlain, names.contains("vault-passphrase-fd") {
      let opensFile = [
        ImportCommand.name, DoctorCommand.name, BackupRestoreCommand.name, DrillCommand.name,
      ].contains(command.name)
      parts.append(
        opensFile
          ? "--passphrase-fd/-file open the file, --vault-passphrase-fd/-file the vault"
          : "--passphrase-fd/-file open the vault; --vault-passphrase-fd/-file are the same")
    } else if hasPlain, hasNew {
      parts.append("--passphrase-fd/-file open what is read")
    }
    if hasPlain, hasNew { parts.append("--new-passphrase-fd/-file seal what is made") }
    return parts.isEmpty ? nil : parts.joined(separator: ";\n") + "."
  }

  /// `seif help backup`: the commands that begin with a word.
  package static func group(_ word: String, _ commands: [any Command.Type]) -> String {
    "seif \(word) SUBCOMMAND [ARGUMENT] [OPTIONS]\n\n" + list(commands) + "\nseif help \(word) SUBCOMMAND tells more.\n"
  }

  private static func list(_ commands: [any Command.Type]) -> String {
    HelpPage.columns(commands.map { ($0.name, $0.summary) })
  }
}
