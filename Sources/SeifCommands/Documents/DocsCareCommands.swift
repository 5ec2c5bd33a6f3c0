internal import SeifCommandLine
internal import SeifAgent
internal import SeifBytes
internal import SeifCrypto
internal import SeifDocumentFormat
internal import SeifDocuments

/// `seif docs rotate`: a new master key.
struct DocsRotateCommand: Command {
  static let name = "docs rotate"
  static let summary = "make a new master key and a new recovery code"
  static let usage = """
    seif docs rotate [OPTIONS]

    Makes a new master key and a new recovery code, in one step with the table of
    contents. Ways in that can't be carried over, such as passkeys, are named and open
    nothing any more. --files seals each document anew too, against somebody who has a
    copy of the old table of contents. Copies made earlier stay as they are. A server asks
    for your password there once more.
    """
  static let files = Option.flag("files", "seal every document anew too")
  static let withoutVault = Option.flag("without-vault", "leave the key in your vault as it is")
  static var options: [Option] {
    [files, withoutVault] + ServerPasswordOptions.options + DocumentKit.options + DocumentOptions.options
      + OutputOptions.options
  }

  private let files: Bool
  private let withoutVault: Bool
  private let password: ServerPasswordOptions
  private let kit: DocumentKit
  private let documents: DocumentOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    files = arguments.flag(Self.files)
    withoutVault = arguments.flag(Self.withoutVault)
    password = try ServerPasswordOptions(&arguments)
    kit = try DocumentKit(&arguments)
    documents = try DocumentOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    try kit.check(otherwise: "Nothing was changed.", context)
    // What may fail or be cancelled comes before anything is changed.
    let (client, holder) = try documents.openHolding(context, holds: !withoutVault) {
      (reached) throws(CommandFailure) in
      guard let signIn = reached.signIn else { return }
      let servers = try ServerSignIn.servers(context)
      _ = try password.use(signIn.account, at: signIn.origin, context) { (person) throws(SignInError) in
        try servers.freshen(at: signIn.origin, person, token: signIn.token)
      }
    }
    defer { holder?.vault.lock() }
    let masterKey = RandomSource.system.makeSecret(byteCount: KeyWrap.masterKeyByteCount)
    let code = DocumentRecoveryCode.make()
    let row = try DocumentKit.makeRow(code, masterKey, context)
    try kit.present(code, row, place: client.store.place, context)
    let rows = [StoredKeyWrap(row)]
    let progress = Progress(context.talk, "Sealing anew")
    defer { progress.finish() }
    let watch = WorkWatch(report: { progress.update(done: $0.bytes.done, of: $0.bytes.of, isBytes: true) })
    let report: RotationReport
    do throws(DocumentError) {
      report = try client.rotate(to: masterKey.duplicate(), rows: rows, files: files, watch: watch)
    } catch {
      kit.discard()
      throw DocumentWords.failure(error)
    }
    progress.finish()
    try holder?.replace(masterKey, wraps: SecretValue(StoredKeyWrap.list(rows)))
    try tell(report, client, hasVault: holder != nil, context)
    return report.kept.isEmpty ? .done : .partial
  }

  private func tell(
    _ report: RotationReport, _ client: DocumentVaultClient, hasVault: Bool, _ context: Context
  ) throws(CommandFailure) {
    for name in report.kept { context.talk.warn("\(name): it can't be opened, so it wasn't sealed anew") }
    if output.json {
      var writer = JSONWriter(indent: 2)
      writer.beginObject()
      writer.schema("seif-docs-rotate", 1)
      writer.member("revision", client.stored?.revision ?? 0)
      writer.member("dropped", report.dropped.map(\.id.description))
      writer.member("resealed", report.resealed)
      writer.member("kept", report.kept)
      writer.endObject()
      try context.output.writeLine(json: writer.finish())
    }
    context.talk.say(.ok, "The document vault has a new master key and a new recovery code.")
    if hasVault { context.talk.say("Your vault has the new key.") }
    if withoutVault { context.talk.say("If your vault has its key, that is the old one: seif docs keep") }
    for row in report.dropped { context.talk.say("Opens it no more: \(DocumentWords.wayIn(row)).") }
    if files { context.talk.say("\(DocumentWords.count(report.resealed)) sealed anew.") }
  }
}

/// `seif docs sync FOLDER`: a copy that is kept up to date.
struct DocsSyncCommand: Command {
  static let name = "docs sync"
  static let summary = "bring a copy of the document vault up to date"
  static let usage = """
    seif docs sync FOLDER [OPTIONS]

    Copies the document vault, sealed as it is, to FOLDER: what is new first, then the
    table of contents. FOLDER is a copy: one that was changed elsewhere is refused, and
    --force replaces what it has.
    """
  static let force = Option.flag("force", "replace a copy that was changed elsewhere")
  static var options: [Option] { [force] + DocumentOptions.options + OutputOptions.options }

  private let folder: String
  private let force: Bool
  private let documents: DocumentOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    folder = try arguments.positional("FOLDER")
    force = arguments.flag(Self.force)
    documents = try DocumentOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    if ServerSignIn.isAddress(folder) {
      throw CommandFailure(
        .usage, "sync copies to a folder, and \(folder) is a server", hint: "Put files there: docs put")
    }
    let (client, holder) =
      try documents.server(context) == nil
      ? (documents.open(context, mayWrite: true), nil) : documents.openHolding(context)
    defer { holder?.vault.lock() }
    let progress = Progress(context.talk, "Copying")
    defer { progress.finish() }
    let watch = WorkWatch(report: { progress.update(done: $0.documents.done, of: $0.documents.of) })
    let report = try SeifCommands.documents { () throws(DocumentError) in
      let isThere = (try? FolderDocumentStore(path: folder).status().isEnabled) ?? false
      let copy = isThere ? FolderDocumentStore(path: folder) : try FolderDocumentStore.make(path: folder)
      let report = try client.mirror(to: copy, replaces: force, watch: watch)
      // What opens the one finds its key for the other.
      let id = try (client.store as? FolderDocumentStore)?.vaultID() ?? holder?.documentID
      if let id, try copy.vaultID() != id { try copy.setVaultID(id) }
      return report
    }
    progress.finish()
    if output.json {
      var writer = JSONWriter(indent: 2)
      writer.beginObject()
      writer.schema("seif-docs-sync", 1)
      writer.member("copied", report.copied)
      writer.member("present", report.present)
      writer.member("missing", report.missing)
      writer.member("changed", report.changed)
      writer.endObject()
      try context.output.writeLine(json: writer.finish())
    }
    if report.missing > 0 {
      context.talk.warn("\(DocumentWords.count(report.missing)) missing here, and so in the copy: seif docs doctor")
    }
    let isSame = report.copied == 0 && !report.changed
    context.talk.say(
      .ok,
      isSame ? "\(folder) is up to date." : "\(folder) is up to date: \(DocumentWords.count(report.copied)) copied.")
    return report.missing > 0 ? .partial : .done
  }
}

/// `seif docs usage`: how much is in it.
struct DocsUsageCommand: Command {
  static let name = "docs usage"
  static let summary = "count documents by kind, with their sizes"
  static let usage = """
    seif docs usage [OPTIONS]

    Counts the documents by kind. It is counted here, from the table of contents, and
    sent nowhere.
    """
  static var options: [Option] { DocumentOptions.options + OutputOptions.options }

  private let documents: DocumentOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    documents = try DocumentOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let client = try documents.open(context, mayWrite: false)
    let usage = client.usage()
    let status = try SeifCommands.documents { () throws(DocumentError) in try client.store.status() }
    if output.json {
      var writer = JSONWriter(indent: 2)
      writer.beginObject()
      writer.schema("seif-docs-usage", 1)
      writer.key("kinds")
      writer.beginObject()
      for kind in DocumentKind.allCases {
        writer.key(kind.rawValue)
        writer.beginObject()
        writer.member("count", usage[kind]?.count ?? 0)
        writer.member("bytes", usage[kind]?.byteCount ?? 0)
        writer.endObject()
      }
      writer.endObject()
      writer.member("objects", status.objectCount)
      writer.member("sealedBytes", status.byteCount)
      writer.endObject()
      try context.output.writeLine(json: writer.finish())
      return .done
    }
    var table = Table([
      Table.Column("kind"), Table.Column("documents", right: true), Table.Column("size", right: true),
    ])
    for kind in DocumentKind.allCases {
      guard let found = usage[kind] else { continue }
      table.add([kind.rawValue, String(found.count), DocumentWords.size(found.byteCount)])
    }
    try table.write(to: context.output)
    try context.output.flush()
    context.talk.say(
      "\(DocumentWords.count(status.objectCount, "sealed object")) in \(client.store.place), "
        + "\(DocumentWords.size(status.byteCount)), those of removed documents too.")
    return .done
  }
}
