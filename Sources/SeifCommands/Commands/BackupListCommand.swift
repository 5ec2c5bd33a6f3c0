internal import SeifCommandLine
internal import SeifAgent
internal import SeifBackups
internal import SeifBytes
internal import SeifVault

/// `seif backup list`: what lies at a destination and what the ledger knows of it.
struct BackupListCommand: Command {
  static let name = "backup list"
  static let summary = "list the backups at a destination and whether they are proven"
  static let usage = """
    seif backup list --destination PLACE [OPTIONS]

    Lists the files there, newest name first, with what the vault's ledger knows: proven
    when, altered or missing since, unproven (stored, and never came back), or unknown to it.
    The files are compared with what was proven, not opened; a name that the ledger doesn't
    hold is only a claim.

    --ledger lists what the ledger has of that place, without asking it: also of one that is
    gone or was given up (seif backup forget), and what was removed.
    """
  static let ledger = Option.flag("ledger", "what the ledger has of it, without asking the place")
  static var options: [Option] { DestinationOptions.options + [ledger] + UnlockOptions.options + OutputOptions.options }

  private let destination: DestinationOptions
  private let isOfLedger: Bool
  private let unlock: UnlockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    destination = try DestinationOptions(&arguments)
    isOfLedger = arguments.flag(Self.ledger)
    unlock = try UnlockOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  private enum State: String {
    case proven, altered, missing, unreadable, unproven, unknown
    case removed
    case givenUp = "given up"

    var isAlarm: Bool { self == .altered || self == .missing || self == .unreadable }

    /// By the ledger alone, of a file there that has no proof.
    init(_ file: LedgerHistory.File?) {
      switch file?.last.kind {
      case nil: self = .unknown
      case .altered: self = .altered
      default: self = .unproven
      }
    }

    /// By the ledger alone, of a file that nobody looked at.
    init(ofLedger file: LedgerHistory.File) {
      switch (file.flag, file.last.kind) {
      case (.missing?, _): self = .missing
      case (.altered?, _): self = .altered
      case _ where file.isGivenUp: self = .givenUp
      case (_, .pruned): self = .removed
      default: self = file.proof == nil ? .unproven : .proven
      }
    }

    init(_ state: BackupService.FileState) {
      switch state {
      case .intact: self = .proven
      case .missing: self = .missing
      case .altered: self = .altered
      case .unread: self = .unreadable
      }
    }
  }

  private struct Row {
    var name: String
    var byteCount: Int?
    var state: State
    var at: Timestamp?
  }

  func run(_ context: Context) throws -> ExitCode {
    let folder = try unlock.vault.folder(context.environment)
    if !isOfLedger { try destination.checkSpelling() }
    // To be written too: a place can replace the permission with which it was asked.
    let vault = try unlock.use(.readWrite, mayOnlyRead: true, context)
    defer { vault.lock() }
    let rows = try rows(vault, folder, context)
    if output.json {
      try context.output.writeLine(json: document(rows))
    } else {
      let now = Timestamp(seconds: context.clock.now())
      var table = Table([Table.Column("name"), Table.Column("size", right: true, rank: 1), Table.Column("state")])
      for row in rows {
        // The time is that of the proof, whatever was found of the file since.
        let proven = [.removed, .givenUp, .unproven, .proven].contains(row.state) ? " " : ", proven "
        let age = row.at.map { proven + LocalTime.age($0, now: now) } ?? ""
        table.add([row.name, row.byteCount.map { "\($0)" } ?? "", row.state.rawValue + age])
      }
      try context.output.write(table.text(context.output.style))
      try context.output.flush()
      if rows.isEmpty { context.talk.say("There is no backup at \(destination.name).") }
    }
    return rows.contains { $0.state.isAlarm } ? .checkFailed : .done
  }

  private func rows(
    _ vault: any UnlockedVault, _ folder: String, _ context: Context
  ) throws(CommandFailure) -> [Row] {
    func history() throws(CommandFailure) -> LedgerHistory {
      try withVault(folder) { () throws(VaultUseError) in
        LedgerHistory(try vault.ledger().map { LedgerEvent($0.entry) })
      }
    }
    guard !isOfLedger else {
      let history = try history()
      let found = try LedgerPlace.find(destination.name, history, vault, folder, context)
      let rows = history.all(at: found.place).map { file in
        Row(
          name: file.last.name, byteCount: file.last.byteCount, state: State(ofLedger: file),
          at: file.proof?.at ?? file.last.at)
      }
      return BackupName.newestClaimFirst(rows) { $0.name }
    }
    let (transport, place) = try destination.transport(vault, folder, context)
    let files: [BackupDescriptor]
    do throws(TransportError) {
      files = try transport.listBackups()
    } catch {
      throw CommandFailure(CommandFailure.code(error), "the backups can't be listed: \(error)")
    }
    return rows(files, try history(), transport, place)
  }

  private func rows(
    _ files: [BackupDescriptor], _ history: LedgerHistory, _ transport: any BackupTransport, _ place: String
  ) -> [Row] {
    var rows = files.map { file in
      let known = history.file(at: place, named: file.name)
      guard let proof = known?.proof else {
        return Row(name: file.name, byteCount: file.byteCount, state: State(known))
      }
      let state = BackupService.check(proof, file, over: transport)
      return Row(name: file.name, byteCount: file.byteCount, state: State(state), at: proof.at)
    }
    let names = Set(files.map { Array($0.name.utf8) })
    rows += history.proven(at: place).compactMap(\.proof).filter { !names.contains(Array($0.name.utf8)) }.map {
      Row(name: $0.name, byteCount: nil, state: .missing, at: $0.at)
    }
    return BackupName.newestClaimFirst(rows) { $0.name }
  }

  private func document(_ rows: [Row]) -> SecretValue {
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema("seif-backup-list", 1)
    writer.key("backups")
    writer.beginArray()
    for row in rows {
      writer.beginObject()
      writer.member("name", row.name)
      if let count = row.byteCount { writer.member("bytes", count) }
      writer.member("state", row.state.rawValue)
      if let at = row.at { writer.member("provenAt", at.rfc3339) }
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return writer.finish()
  }
}
