internal import SeifCommandLine
internal import SeifAgent
internal import SeifBackups
internal import SeifBytes
internal import SeifFormats
internal import SeifRecords
internal import SeifVault

/// Proves a file that lies at a destination and that the ledger doesn't hold as proven: `backup verify NAME --open`.
struct LateVerification {
  let destination: DestinationOptions
  let transport: any BackupTransport
  /// The destination's name in the ledger.
  let place: String
  let opening: OpeningOptions
  let unlock: UnlockOptions
  let output: OutputOptions

  /// - Parameter known: what the ledger says of the file's name.
  func run(
    _ file: BackupDescriptor, _ known: LedgerHistory.File?, _ vault: any UnlockedVault, _ folder: String,
    _ context: Context
  ) throws(CommandFailure) -> ExitCode {
    context.talk.say("fetching \(file.name)")
    let content: SecretValue
    do throws(TransportError) {
      content = try transport.download(id: file.id, limit: FormatLimits.fileByteCount)
    } catch {
      throw CommandFailure(CommandFailure.code(error), "\(destination.name): \(error)")
    }
    let (format, opened) = try open(content, file.name, context)
    var notes = LedgerNotes(unlock: unlock, folder: folder, vault: vault)
    defer { notes.lock() }
    guard let direct = try notes.vault(context) else {
      throw notes.refusal ?? CommandFailure(.checkFailed, "\(file.name) isn't proven")
    }
    let records = opened.records
    let found = try withVaultErrors(folder) { () throws(VaultError) in
      let lines = try direct.ledger()
      let digest = try direct.contentDigest(of: records)
      return BackupService.lateProof(
        of: known, content, named: file.name, at: place, format: format, holding: records,
        present: try direct.records(), now: Timestamp(seconds: context.clock.now())
      ) { sent in
        lines.contains { line in
          line.event == .stored && utf8Equal(line.name, sent.name) && utf8Equal(line.destination, sent.destination)
            && line.sha256 == sent.sha256 && line.content == digest
        }
      }
    }
    guard case .proof(let proof) = found else { throw Self.failure(found, file.name) }
    try notes.add(proof, records: records, context)
    try show(proof, context)
    return .done
  }

  private func open(
    _ content: SecretValue, _ name: String, _ context: Context
  ) throws(CommandFailure) -> (format: String, OpenedBackup) {
    let header: any BackupFile
    do throws(FormatError) {
      header = try FormatRegistry.read(FormatInput(content), options: opening.reading)
    } catch {
      throw CommandFailure(error, file: name)
    }
    guard header.header.isSealed else {
      throw CommandFailure(.badInput, "\(name) isn't sealed, so it can't count as a backup")
    }
    let opened = try BackupOpening.open(header, shown: name, opening, context)
    BackupOpening.report(opened, context)
    guard opened.problems.isEmpty else {
      throw CommandFailure(.checkFailed, "\(name) opens, but not all of its entries can be used, so it isn't proven")
    }
    return ("\(header.header.format.rawValue)-\(header.header.version)", opened)
  }

  private static func failure(_ found: LateProof, _ name: String) -> CommandFailure {
    switch found {
    case .otherBytes:
      CommandFailure(
        .checkFailed, "\(name) isn't what was sent under this name, so it isn't proven",
        hint: "It is somebody else's, or was altered.")
    case .otherContents:
      CommandFailure(.checkFailed, "\(name) doesn't hold what was noted when it was sent, so it isn't proven")
    case .unknown(let lists):
      CommandFailure(
        .checkFailed,
        "\(name) opens, and the ledger doesn't know it: what it holds isn't what the vault holds now"
          + " (\(lists.joined(separator: ", "))), so it isn't proven",
        hint: "An old file could pass as the newest. To use it: seif backup restore \(name)")
    case .proof: CommandFailure(.checkFailed, "\(name) isn't proven")
    }
  }

  private func show(_ proof: LedgerEvent, _ context: Context) throws(CommandFailure) {
    guard output.json else {
      let ok = Sign.ok.text(context.output.style)
      return try context.output.writeLine(
        "\(ok) \(Display.cleaned(proof.name)) came back, opens and holds what it should: proven from now on")
    }
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema("seif-backup-verify", 1)
    writer.member("ok", true)
    writer.member("noted", true)
    writer.key("backups")
    writer.beginArray()
    writer.beginObject()
    writer.member("name", proof.name)
    writer.member("state", "proven")
    writer.member("provenAt", proof.at.rfc3339)
    writer.member("bytes", proof.byteCount)
    writer.member("opened", "opens")
    writer.endObject()
    writer.endArray()
    writer.endObject()
    try context.output.writeLine(json: writer.finish())
  }
}
