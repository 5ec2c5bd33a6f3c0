internal import SeifCommandLine
internal import SeifBytes
internal import SeifProcesses

/// Tells a person of something once: not again until it is something else, or was gone meanwhile.
struct DesktopNotice {
  private let file: StateFile
  private let icon: String
  private let title: String
  /// Names of destinations stand sealed in the vault; arguments of programs are for everybody to read.
  private let text: String

  /// That a run failed.
  static func failure(_ stateFolder: String, _ vault: UUID) -> DesktopNotice {
    DesktopNotice(
      file: StateFile(stateFolder, vault, "backup-notice.json"), icon: "dialog-warning",
      title: "Seif: a backup failed",
      text: "Older backups are as they were. See: journalctl --user -u \(SystemdUnits.service)")
  }

  /// That a backup lies there which another machine made.
  static func found(_ stateFolder: String, _ vault: UUID) -> DesktopNotice {
    DesktopNotice(
      file: StateFile(stateFolder, vault, "restore-notice.json"), icon: "dialog-information",
      title: "Seif: another machine has made a backup", text: "To take it in: seif backup restore --automatic")
  }

  private static let schemaName = "seif-backup-notice"

  /// - Parameter what: what is told, without what differs from run to run; empty: nothing is.
  /// - Returns: whether somebody was told.
  @discardableResult
  func settle(_ what: [String], _ context: Context) -> Bool {
    guard !what.isEmpty else {
      file.remove()
      return false
    }
    let key = what.sorted().joined(separator: "\n")
    if let told = try? file.read(schema: Self.schemaName), told["what"]?.string.map({ utf8Equal($0, key) }) == true {
      return false
    }
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema(Self.schemaName, 1)
    writer.member("what", key)
    writer.endObject()
    // What can't be remembered is told again.
    try? file.write(writer.finish())
    guard let program = ChildProcess.find("notify-send", path: context.environment["PATH"]) else { return false }
    let result = HelperProgram.run(
      program,
      ["--app-name=Seif", "--icon=\(icon)", title, text],
      input: SecretBytes(copying: SecretValue.empty))
    return result?.status == 0
  }
}
