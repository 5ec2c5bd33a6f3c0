internal import SeifBytes
internal import SeifVault

/// `seif doctor`: checks the whole vault.
struct DoctorCommand: Command {
  static let name = "doctor"
  static let summary = "check the whole vault, value by value"
  static let usage = """
    seif doctor [OPTIONS]

    Checks every value of the vault: that it opens, stands where it was written, and that
    nothing was edited, swapped, removed or put back from an older copy; the ledger's
    chain; and SQLite's own structure. It repairs nothing. It also says what your desktop's
    clipboard can do.

    If you put an older copy of the vault back on purpose, --accept-older-copy says so,
    and the warning ends. What was changed since that copy is lost either way.
    """
  static let accept = Option.flag("accept-older-copy", "take this older copy of the vault as the present one")
  static var options: [Option] { [accept] + UnlockOptions.options + OutputOptions.options }

  private let accepts: Bool
  private let unlock: UnlockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    accepts = arguments.flag(Self.accept)
    unlock = try UnlockOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let folder = try unlock.vault.folder(context.environment)
    let vault = try unlock.unlock(accepts ? .readWrite : .readOnly, context)
    defer { vault.lock() }
    if accepts { try withVaultErrors(folder) { () throws(VaultError) in try vault.acceptOlderCopy() } }
    let faults = try withVaultErrors(folder) { () throws(VaultError) in try vault.verify() }
    let clipboard = ClipboardCheck(context)
    if output.json {
      var writer = JSONWriter(indent: 2)
      writer.beginObject()
      writer.schema("seif-doctor", 1)
      writer.member("ok", faults.isEmpty)
      writer.member("faults", faults.map { "\($0)" })
      writer.member("clipboard", clipboard.word)
      writer.endObject()
      try context.output.writeLine(json: writer.finish())
    } else {
      for fault in faults {
        try context.output.writeLine("\(Sign.fail.text(context.output.style)) \(Display.cleaned("\(fault)"))")
      }
      if faults.isEmpty {
        try context.output.writeLine("\(Sign.ok.text(context.output.style)) every value is as it was last written")
      }
      if let (sign, words) = clipboard.line {
        try context.output.writeLine("\(sign.text(context.output.style)) \(words)")
      }
    }
    return faults.isEmpty ? .done : .checkFailed
  }
}
