internal import SeifCommandLine
internal import SeifAgent
internal import SeifBackups
internal import SeifBytes
internal import SeifFormats
internal import SeifRecords
internal import SeifVault

/// `seif backup verify`: proven backups fetched again and compared with their proofs.
struct BackupVerifyCommand: Command {
  static let name = "backup verify"
  static let summary = "fetch proven backups again and compare them with their proofs"
  static let usage = """
    seif backup verify [NAME] --destination PLACE [OPTIONS]

    Fetches the newest backup that was proven there, or the one called NAME, or with --all
    every one, and compares size and SHA-256 with the vault's ledger. What is found missing
    or altered is noted there, so that seif status shows it. Exit 2: something was found.

    With --open each is opened too, with the passphrase of the backups, which proves it again
    and ends an alarm of before. --passphrase-fd and --passphrase-file speak of the backups
    then, --vault-passphrase-fd and --vault-passphrase-file of the vault. Where the vault is
    open in the agent it is asked for once something has to be noted: the agent takes no
    command's word.

    A backup that was stored and never proven, as after ctrl-C, is proven by its NAME and
    --open: it must be what was sent, and hold what was noted then. One that the ledger
    doesn't know must hold what the vault holds now.
    """
  static let all = Option.flag("all", "every backup that was proven there")
  static let open = Option.flag("open", "open each with its passphrase too")
  static var options: [Option] {
    DestinationOptions.options + [all, open] + OpeningOptions.options + UnlockOptions.optionsBesideFile
      + OutputOptions.options
  }

  private let name: String?
  private let isAll: Bool
  private let isOpening: Bool
  private let destination: DestinationOptions
  private let opening: OpeningOptions
  private let unlock: UnlockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    name = arguments.optionalPositional()
    isAll = arguments.flag(Self.all)
    if name != nil, isAll { throw UsageError("NAME and --all are one too many") }
    isOpening = arguments.flag(Self.open)
    destination = try DestinationOptions(&arguments)
    opening = try OpeningOptions(&arguments)
    unlock = isOpening ? try UnlockOptions(&arguments, besideFile: ()) : try UnlockOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  private enum Opened: String {
    case opens, unusable, different
    case closed
  }

  private struct Row {
    var proof: LedgerEvent
    var flag: LedgerEvent.Kind?
    var state: BackupService.FileState
    var opened: Opened?

    var isGood: Bool { state == .intact && (opened == nil || opened == .opens) }
    var word: String {
      switch state {
      case .intact: "intact"
      case .missing: "missing"
      case .altered: "altered"
      case .unread: "unreadable"
      }
    }
  }

  func run(_ context: Context) throws -> ExitCode {
    let folder = try unlock.vault.folder(context.environment)
    try destination.checkSpelling()
    let vault = try unlock.use(.readWrite, context)
    defer { vault.lock() }
    let (transport, place) = try destination.transport(vault, folder, context)
    let events = try withVault(folder) { () throws(VaultUseError) in
      try vault.ledger().map { LedgerEvent($0.entry) }
    }
    let history = LedgerHistory(events)
    let files: [BackupDescriptor]
    do throws(TransportError) {
      files = try transport.listBackups()
    } catch {
      throw CommandFailure(CommandFailure.code(error), "the backups can't be listed: \(error)")
    }
    let isKnown = name.map { history.file(at: place, named: $0)?.proof != nil } ?? true
    if let name, !isKnown, let file = files.first(where: { utf8Equal($0.name, name) }) {
      guard isOpening else {
        throw CommandFailure(
          .checkFailed, "\(name) is there and isn't proven",
          hint: "Prove it: seif backup verify \(name) --open --destination \(destination.name)")
      }
      return try LateVerification(
        destination: destination, transport: transport, place: place, opening: opening, unlock: unlock,
        output: output
      ).run(file, history.file(at: place, named: name), vault, folder, context)
    }
    let wanted = try wanted(history.proven(at: place))
    var rows: [Row] = []
    var passphrase = KeptPassphrase(options: opening)
    let now = Timestamp(seconds: context.clock.now())
    var notes = LedgerNotes(unlock: unlock, folder: folder, vault: vault)
    defer { notes.lock() }
    for file in wanted {
      guard let proof = file.proof else { continue }
      context.talk.say("fetching \(proof.name)")
      let (state, content, _) = BackupService.fetch(proof, files, over: transport)
      var row = Row(proof: proof, flag: file.flag, state: state)
      var records: Records?
      if isOpening, let content { (row.opened, records) = try open(content, proof, &passphrase, context) }
      if let event = event(row, records, now) { try notes.add(event, records: records, context) }
      rows.append(row)
    }
    try show(rows, notes.refusal, now, context)
    return rows.allSatisfy(\.isGood) ? .done : .checkFailed
  }

  /// Newest first.
  private func wanted(_ proven: [LedgerHistory.File]) throws(CommandFailure) -> [LedgerHistory.File] {
    let hint = "seif backup list --destination \(destination.name)"
    if let name {
      let found = proven.filter { $0.proof?.name.utf8.elementsEqual(name.utf8) ?? false }
      guard !found.isEmpty else {
        throw CommandFailure(.notFound, "no backup called \(name) was proven at \(destination.name)", hint: hint)
      }
      return found
    }
    guard let newest = proven.last else {
      throw CommandFailure(.notFound, "no backup was proven at \(destination.name)", hint: hint)
    }
    return isAll ? proven.reversed() : [newest]
  }

  private func open(
    _ content: SecretValue, _ proof: LedgerEvent, _ passphrase: inout KeptPassphrase, _ context: Context
  ) throws(CommandFailure) -> (Opened, Records?) {
    let isFirst = passphrase.given == nil
    do throws(CommandFailure) {
      let header: any BackupFile
      do throws(FormatError) {
        header = try FormatRegistry.read(FormatInput(content), options: opening.reading)
      } catch {
        throw CommandFailure(error, file: proof.name)
      }
      let opened = try passphrase.open(header, proof.name, context)
      BackupOpening.report(opened, context)
      guard opened.problems.isEmpty else { return (.unusable, nil) }
      let isSame = RecordKind.allCases.allSatisfy { opened.records.count(of: $0) == proof.counts[$0] ?? 0 }
      return isSame ? (.opens, opened.records) : (.different, nil)
    } catch {
      // Others may be under another passphrase, and are compared whether they open or not; of a single file that doesn't
      // open it is no finding.
      guard !isFirst || isAll, error.exitCode != .interrupted else { throw error }
      context.talk.fail(error)
      return (.closed, nil)
    }
  }

  /// What the ledger doesn't say yet; nil: nothing.
  private func event(_ row: Row, _ records: Records?, _ now: Timestamp) -> LedgerEvent? {
    var event = row.proof
    event.at = now
    switch row.state {
    case .missing where row.flag != .missing: event.kind = .missing
    case .altered where row.flag != .altered: event.kind = .altered
    case .intact where records != nil: event.kind = .proven
    default: return nil
    }
    return event
  }

  private func show(
    _ rows: [Row], _ refusal: CommandFailure?, _ now: Timestamp, _ context: Context
  ) throws(CommandFailure) {
    if output.json {
      try context.output.writeLine(json: document(rows, isNoted: refusal == nil))
    } else {
      for row in rows {
        let sign = (row.isGood ? Sign.ok : .fail).text(context.output.style)
        try context.output.writeLine("\(sign) \(Display.cleaned(words(row, now)))")
      }
      try context.output.flush()
    }
    if let refusal {
      context.talk.warn(
        "this isn't noted in the vault's ledger, so seif status doesn't know of it: \(refusal.what)")
    }
    for row in rows where row.state == .intact && row.flag != nil && row.opened != .opens {
      context.talk.say("\(row.proof.name) was noted as \(row.flag?.rawValue ?? "") before: --open ends that.")
    }
  }

  private func words(_ row: Row, _ now: Timestamp) -> String {
    guard row.state == .intact else { return BackupWords.loss(row.proof.name, row.state) }
    let age = LocalTime.age(row.proof.at, now: now)
    let opened =
      switch row.opened {
      case nil: ""
      case .opens: " and opens"
      case .closed: ", and doesn't open with this passphrase"
      case .unusable: ", and not all of its entries can be used"
      case .different: ", and holds another number of entries than its proof says"
      }
    return "\(row.proof.name) is as it was proven \(age)\(opened)"
  }

  private func document(_ rows: [Row], isNoted: Bool) -> SecretValue {
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema("seif-backup-verify", 1)
    writer.member("ok", rows.allSatisfy(\.isGood))
    writer.member("noted", isNoted)
    writer.key("backups")
    writer.beginArray()
    for row in rows {
      writer.beginObject()
      writer.member("name", row.proof.name)
      writer.member("state", row.word)
      writer.member("provenAt", row.proof.at.rfc3339)
      writer.member("bytes", row.proof.byteCount)
      if let opened = row.opened { writer.member("opened", opened.rawValue) }
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return writer.finish()
  }
}
