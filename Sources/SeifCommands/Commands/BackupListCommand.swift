internal import SeifBackups
internal import SeifBytes
internal import SeifCrypto
internal import SeifVault

/// `seif backup list`: what lies at a destination and what the ledger knows of it.
struct BackupListCommand: Command {
  static let name = "backup list"
  static let summary = "list the backups at a destination and whether they are proven"
  static let usage = """
    seif backup list --destination FOLDER [OPTIONS]

    Lists the files there, newest name first, with what the vault's ledger knows: proven
    when, altered or missing since, or unknown to it. The files are compared with what was
    proven, not opened; a name that the ledger doesn't hold is only a claim.
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

  private struct Row {
    var name: String
    var byteCount: Int?
    var state: String
    var at: Timestamp?
  }

  func run(_ context: Context) throws -> ExitCode {
    let folder = try unlock.vault.folder(context.environment)
    let (transport, place) = try destination.transport(context)
    let vault = try unlock.unlock(.readOnly, context)
    defer { vault.lock() }
    let files: [BackupDescriptor]
    do {
      files = try transport.listBackups()
    } catch {
      throw CommandFailure(BackupFailure.transport(error), destination: destination.name)
    }
    let events = try events(vault, folder).filter { $0.destination == place }
    let rows = rows(files, BackupService.standing(events), transport)
    if output.json {
      try context.output.writeLine(json: document(rows))
    } else {
      let now = Timestamp(seconds: context.clock.now())
      var table = Table([Table.Column("name"), Table.Column("size", right: true, rank: 1), Table.Column("state")])
      for row in rows {
        let age = row.at.map { " " + LocalTime.age($0, now: now) } ?? ""
        table.add([row.name, row.byteCount.map { "\($0)" } ?? "", row.state + age])
      }
      try context.output.write(table.text(context.output.style))
      try context.output.flush()
      if rows.isEmpty { context.talk.say("There is no backup at \(destination.name).") }
    }
    return rows.contains { $0.state == "missing" || $0.state == "altered" } ? .checkFailed : .done
  }

  private func events(_ vault: Vault, _ folder: String) throws(CommandFailure) -> [LedgerEvent] {
    do {
      return try VaultLedger(vault: vault).events()
    } catch {
      throw (error as? VaultError).map { CommandFailure($0, folder: folder) } ?? CommandFailure(describing: error)
    }
  }

  private func rows(
    _ files: [BackupDescriptor], _ proven: [LedgerEvent], _ transport: any BackupTransport
  ) -> [Row] {
    let known = Dictionary(proven.map { ($0.name, $0) }) { _, last in last }
    var rows = files.map { file in
      guard let proof = known[file.name] else {
        return Row(name: file.name, byteCount: file.byteCount, state: "unknown")
      }
      let isWhole = isUnchanged(file, proof, transport)
      return Row(name: file.name, byteCount: file.byteCount, state: isWhole ? "proven" : "altered", at: proof.at)
    }
    let names = Set(files.map(\.name))
    rows += proven.filter { !names.contains($0.name) }.map {
      Row(name: $0.name, byteCount: nil, state: "missing", at: $0.at)
    }
    return rows.sorted { left, right in
      switch (BackupName(reading: left.name), BackupName(reading: right.name)) {
      case (let a?, let b?) where a.time != b.time || a.sequence != b.sequence: b < a
      case (.some, nil): true
      case (nil, .some): false
      default: utf8Precedes(right.name, left.name)
      }
    }
  }

  /// Whether a file is the one that was proven, byte for byte.
  private func isUnchanged(
    _ file: BackupDescriptor, _ proof: LedgerEvent, _ transport: any BackupTransport
  ) -> Bool {
    guard file.byteCount.map({ $0 == proof.byteCount }) ?? true,
      let bytes = try? transport.download(id: file.id, limit: FormatLimits.fileByteCount)
    else { return false }
    return bytes.withBytes { Digest.sha256($0) } == proof.sha256
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
      writer.member("state", row.state)
      if let at = row.at { writer.member("provenAt", at.rfc3339) }
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return writer.finish()
  }
}
