internal import SeifCommandLine
internal import CSeif
internal import Glibc
internal import SeifAgent
internal import SeifBackups
internal import SeifBytes
internal import SeifCrypto
internal import SeifFormats
internal import SeifOTP
internal import SeifRecords
internal import SeifVault

/// `seif drill`: a backup restored into a vault that is thrown away.
struct DrillCommand: Command {
  static let name = "drill"
  static let summary = "restore a backup into a vault that is thrown away, as a rehearsal"
  static let usage = """
    seif drill [NAME] --destination PLACE [OPTIONS]

    Fetches the newest backup there, or the one called NAME, opens it with the passphrase that
    you type, restores it into a new vault in a folder of its own, and compares what came out
    with what the backup holds: every record, and the codes of one moment. Then that vault is
    erased. Yours is not changed, but for the line that says that the drill was done.

    A passphrase from a person says that the person still knows it (drilled); one from
    --passphrase-fd or --passphrase-file, which speak of the backup, says only that the
    backup opens (proven). --vault-passphrase-fd and --vault-passphrase-file speak of the vault.
    """
  static var options: [Option] {
    DestinationOptions.options + OpeningOptions.options + UnlockOptions.optionsBesideFile + OutputOptions.options
  }

  private let name: String?
  private let destination: DestinationOptions
  private let opening: OpeningOptions
  private let unlock: UnlockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    name = arguments.optionalPositional()
    destination = try DestinationOptions(&arguments)
    opening = try OpeningOptions(&arguments)
    unlock = try UnlockOptions(&arguments, besideFile: ())
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let folder = try unlock.vault.folder(context.environment)
    try destination.checkSpelling()
    // The ledger gets a line, which is never taken on a client's word: so not by the agent.
    let vault = try unlock.unlockForLedger(context)
    defer { vault.lock() }
    let (transport, place) = try destination.transport(DirectVault(vault), folder, context)
    let ledger = VaultLedger(vault: vault)
    let history = LedgerHistory(
      try withVaultErrors(folder) { () throws(VaultError) in try vault.ledger() }.map(LedgerEvent.init))
    let backup = try BackupFinder(
      destination: destination, transport: transport, place: place, history: history, opening: opening, context: context
    ).find(name)
    BackupOpening.report(backup.opened, context)
    context.talk.say("restoring into a vault that is thrown away")
    let now = Timestamp(seconds: context.clock.now())
    let differences = try Rehearsal.run(backup.opened.records, at: now, context)
    var outcome = Outcome(backup: backup, differences: differences, grade: nil)
    if let proof = backup.proof, differences.isEmpty {
      var event = proof
      event.at = now
      event.kind = opening.passphrase == .person ? .drilled : .proven
      do {
        try ledger.append(event, records: backup.opened.records)
      } catch let error as VaultError {
        throw CommandFailure(error, folder: folder)
      }
      outcome.grade = event.kind
    }
    try show(outcome, now, context)
    return differences.isEmpty && backup.opened.problems.isEmpty && !backup.isOlder ? .done : .checkFailed
  }

  private struct Outcome {
    var backup: StoredBackup
    var differences: [String]
    var grade: LedgerEvent.Kind?
  }

  private func show(_ outcome: Outcome, _ now: Timestamp, _ context: Context) throws(CommandFailure) {
    let (backup, records) = (outcome.backup, outcome.backup.opened.records)
    if output.json {
      var writer = JSONWriter(indent: 2)
      writer.beginObject()
      writer.schema("seif-drill", 1)
      writer.member("name", backup.name)
      writer.member("restores", outcome.differences.isEmpty)
      writer.member("proven", backup.proof != nil)
      writer.member("newest", !backup.isOlder)
      if let grade = outcome.grade { writer.member("noted", grade.rawValue) }
      if let at = backup.opened.exportedAt { writer.member("exportedAt", at.rfc3339) }
      writer.member("entries", records.count)
      writer.member("differences", outcome.differences)
      writer.problems(backup.opened.problems)
      writer.endObject()
      try context.output.writeLine(json: writer.finish())
    } else {
      let age = backup.opened.exportedAt.map { ", made \(LocalTime.age($0, now: now))" } ?? ""
      let sign = (outcome.differences.isEmpty ? Sign.ok : Sign.fail).text(context.output.style)
      let verdict =
        outcome.differences.isEmpty
        ? "restores \(sign) \(RecordTables.summary(records, zeros: false))"
        : "doesn't restore whole \(sign) \(outcome.differences.joined(separator: ", ")) differ"
      try context.output.writeLine("\(backup.name)\(age): \(verdict)")
      try context.output.flush()
    }
    if outcome.grade == .proven {
      context.talk.say("Noted as opened by a machine; a drill counts where a person types the passphrase.")
    }
    if backup.proof == nil {
      context.talk.warn(
        "this vault hasn't proven that file, so the drill isn't noted: an old file can pass as the newest")
    }
  }
}

/// A vault that lives as long as it takes to compare what came out of it.
enum Rehearsal {
  /// How its folder's name begins.
  static let folderStem = "seif-drill-"

  /// The lists that differ after a restore into a new vault, and the codes that do; empty: all came back.
  static func run(_ records: Records, at now: Timestamp, _ context: Context) throws(CommandFailure) -> [String] {
    let folder = try makeFolder(context)
    let location = VaultLocation(folder: folder, stateFolder: folder)
    let key = Interrupts.add(.init(end: { remove(location) }))
    defer {
      remove(location)
      Interrupts.remove(key)
    }
    let vault = try withVaultErrors(folder) { () throws(VaultError) in
      try Vault.create(
        at: location, passphrase: RandomSource.system.makeSecret(byteCount: 32), recoveryCode: RecoveryCode.make(),
        cost: VaultCost(memoryKiB: 65_536, passes: 3))
    }
    defer { vault.lock() }
    _ = try withVault(folder) { () throws(VaultUseError) in
      try DirectVault(vault).merge(records, ImportOptions(keepsDestinations: true))
    }
    let restored = try withVaultErrors(folder) { () throws(VaultError) in try vault.records() }
    return RecordComparison.differences(records, restored) + codes(records, restored, at: now)
  }

  // In memory where the session has such a place; sealed under a key that nobody keeps either way.
  private static func makeFolder(_ context: Context) throws(CommandFailure) -> String {
    let ofSession = context.environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    for parent in [ofSession, "/tmp"] {
      guard let parent else { continue }
      var template = Array("\(parent)/\(folderStem)XXXXXX".utf8CString)
      guard mkdtemp(&template) != nil else { continue }
      return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    throw CommandFailure(.ioFailed, "no folder can be made in /tmp: \(String(cString: strerror(errno)))")
  }

  // By the place in the list: a restore keeps it.
  private static func codes(_ left: Records, _ right: Records, at now: Timestamp) -> [String] {
    guard left.accounts.count == right.accounts.count else { return ["codes"] }
    let differ = zip(left.accounts, right.accounts).contains { one, other in
      text(one.otp, now) != text(other.otp, now)
    }
    return differ ? ["codes"] : []
  }

  private static func text(_ parameters: OTPParameters, _ now: Timestamp) -> String? {
    (try? OneTimePassword.code(parameters, at: now))?.text
  }

  // Sealed under a key that nobody has any more; it is removed all the same.
  private static func remove(_ location: VaultLocation) {
    if let folder = opendir(location.folder) {
      defer { closedir(folder) }
      while let entry = readdir(folder) {
        let name = String(cString: seif_entry_name(entry))
        if name != ".", name != ".." { unlink(location.folder + "/" + name) }
      }
    }
    rmdir(location.folder)
  }
}
