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
    chain; and SQLite's own structure. By itself it changes nothing. It also says what your
    desktop's clipboard can do.

    --set-aside takes what doesn't open out of the way, so that the rest serves as ever
    and can be backed up. Nothing is lost: it stays in the vault as it is for 30 days, and
    `seif undo` puts it back. A damaged summary of an entry that opens is made anew.

    --accept-contents takes what is there for right, once all of it opens: whatever was
    edited, removed or put back behind your back stays so, and no longer shows.

    If you put an older copy of the vault back on purpose, --accept-older-copy says so,
    and the warning ends. What was changed since that copy is lost either way.
    """
  static let accept = Option.flag("accept-older-copy", "take this older copy of the vault as the present one")
  static let setAside = Option.flag("set-aside", "set aside what doesn't open")
  static let acceptContents = Option.flag("accept-contents", "take what is there for right, once all of it opens")
  static let yes = Option.flag("yes", "answer yes to the questions that these two ask")
  static var options: [Option] {
    [setAside, acceptContents, accept, yes] + UnlockOptions.options + OutputOptions.options
  }

  private let setsAside: Bool
  private let acceptsContents: Bool
  private let isConfirmed: Bool
  private let accepts: Bool
  private let unlock: UnlockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    setsAside = arguments.flag(Self.setAside)
    acceptsContents = arguments.flag(Self.acceptContents)
    isConfirmed = arguments.flag(Self.yes)
    accepts = arguments.flag(Self.accept)
    unlock = try UnlockOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let folder = try unlock.vault.folder(context.environment)
    let isWriting = accepts || setsAside || acceptsContents
    let vault = try unlock.unlock(isWriting ? .readWrite : .readOnly, context)
    defer { vault.lock() }
    if accepts { try withVaultErrors(folder) { () throws(VaultError) in try vault.acceptOlderCopy() } }
    var faults = try withVaultErrors(folder) { () throws(VaultError) in try vault.verify() }
    if setsAside, try setAside(faults, of: vault, folder, context) {
      faults = try withVaultErrors(folder) { () throws(VaultError) in try vault.verify() }
    }
    if acceptsContents, !faults.isEmpty, try acceptContents(of: vault, folder, context) {
      faults = try withVaultErrors(folder) { () throws(VaultError) in try vault.verify() }
    }
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
      if !setsAside, try !Self.movable(faults, vault, folder).isEmpty { context.talk.hint("seif doctor --set-aside") }
      if let (sign, words) = clipboard.line {
        try context.output.writeLine("\(sign.text(context.output.style)) \(words)")
      }
    }
    return faults.isEmpty ? .done : .checkFailed
  }

  /// Rows that don't open and can be set aside.
  private static func movable(
    _ faults: [VaultFault], _ vault: Vault, _ folder: String
  ) throws(CommandFailure) -> [UUID] {
    guard !faults.isEmpty else { return [] }
    // A seed that doesn't open is named by its entry here.
    let seeds = try withVaultErrors(folder) { () throws(VaultError) in
      _ = try vault.entries()
      let damage = vault.damage
      _ = try vault.bin()
      return damage + vault.damage
    }
    var ids: [UUID] = []
    for fault in faults + seeds {
      switch fault {
      case .value("item", let id?, _), .value("item_summary", let id?, _), .value("bin", let id?, _),
        .value("unusable", let id?, _), .value("opaque_member", let id?, _), .missingSummary(let id),
        .damagedSecret(let id), .missingSecret(let id), .strayData("secret", let id):
        if !ids.contains(id) { ids.append(id) }
      default: continue
      }
    }
    return ids
  }

  private func setAside(
    _ faults: [VaultFault], of vault: Vault, _ folder: String, _ context: Context
  ) throws(CommandFailure) -> Bool {
    let ids = try Self.movable(faults, vault, folder)
    guard !ids.isEmpty else { return false }
    let what = ids.count == 1 ? "1 row doesn't" : "\(ids.count) rows don't"
    if !isConfirmed {
      guard try context.confirm("\(what) open. Set aside, for 30 days at least?", insteadGive: "--yes") else {
        return false
      }
    }
    try withVaultErrors(folder) { () throws(VaultError) in _ = try vault.apply(ids.map(VaultChange.setAside)) }
    context.talk.say(.ok, "\(ids.count) set aside or mended.")
    context.talk.hint("seif undo")
    return true
  }

  private func acceptContents(of vault: Vault, _ folder: String, _ context: Context) throws(CommandFailure) -> Bool {
    let question = "What was edited, removed or put back behind your back stays so. Take what is there for right?"
    if !isConfirmed {
      guard try context.confirm(question, insteadGive: "--yes") else { return false }
    }
    try withVaultErrors(folder) { () throws(VaultError) in try vault.acceptContents() }
    return true
  }
}
