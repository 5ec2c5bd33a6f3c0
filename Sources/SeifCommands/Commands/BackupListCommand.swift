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
    """
  static var options: [Option] { DestinationOptions.options + UnlockOptions.options + OutputOptions.options }

  private let destination: DestinationOptions
  private let unlock: UnlockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    destination = try DestinationOptions(&arguments)
    unlock = try UnlockOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  private enum State: String {
    case proven, altered, missing, unreadable, unproven, unknown

    var isAlarm: Bool { self == .altered || self == .missing || self == .unreadable }

    /// By the ledger alone, of a file there that has no proof.
    init(_ file: LedgerHistory.File?) {
      switch file?.last.kind {
      case nil: self = .unknown
      case .altered: self = .altered
      default: self = .unproven
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
    try destination.checkSpelling()
    // To be written too: a place can replace the permission with which it was asked.
    let vault = try unlock.use(.readWrite, mayOnlyRead: true, context)
    defer { vault.lock() }
    let (transport, place) = try destination.transport(vault, folder, context)
    let files: [BackupDescriptor]
    do {
      files = try transport.listBackups()
    } catch {
      throw CommandFailure(CommandFailure.code(error), "the backups can't be listed: \(error)")
    }
    let events = try withVault(folder) { () throws(VaultUseError) in
      try vault.ledger().map { LedgerEvent($0.entry) }
    }
    let rows = rows(files, LedgerHistory(events), transport, place)
    if output.json {
      try context.output.writeLine(json: document(rows))
    } else {
      let now = Timestamp(seconds: context.clock.now())
      var table = Table([Table.Column("name"), Table.Column("size", right: true, rank: 1), Table.Column("state")])
      for row in rows {
        // The time is that of the proof, whatever was found of the file since.
        let proven = row.state == .proven ? " " : ", proven "
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
