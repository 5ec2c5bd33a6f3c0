internal import SeifBytes
internal import SeifProcesses

/// Tells a person of a failure once: not again until it is another one, or until a run went well.
struct FailureNotice {
  let file: StateFile

  init(_ stateFolder: String, _ vault: UUID) { file = StateFile(stateFolder, vault, "backup-notice.json") }

  private static let schemaName = "seif-backup-notice"

  /// - Parameter failures: what failed, without what differs from run to run; empty: nothing did.
  /// - Returns: whether somebody was told.
  @discardableResult
  func settle(_ failures: [String], _ context: Context) -> Bool {
    guard !failures.isEmpty else {
      file.remove()
      return false
    }
    let key = failures.sorted().joined(separator: "\n")
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
    // Names of destinations stand sealed in the vault; arguments of programs are for everybody to read.
    let result = HelperProgram.run(
      program,
      [
        "--app-name=Seif", "--icon=dialog-warning", "Seif: a backup failed",
        "Older backups are as they were. See: journalctl --user -u \(SystemdUnits.service)",
      ],
      input: SecretBytes(copying: SecretValue.empty))
    return result?.status == 0
  }
}
