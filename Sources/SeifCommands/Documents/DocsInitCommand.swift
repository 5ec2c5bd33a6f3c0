internal import SeifCommandLine
internal import Glibc
internal import SeifAgent
internal import SeifBytes
internal import SeifCrypto
internal import SeifDocumentFormat
internal import SeifDocuments
internal import SeifVault

/// `seif docs init`: makes a document vault.
struct DocsInitCommand: Command {
  static let name = "docs init"
  static let summary = "make a document vault, with a recovery code of its own"
  static let usage = """
    seif docs init [OPTIONS]

    Makes a document vault in a folder, or at a server where you are signed in (seif login;
    --docs URL). Its key is made here and goes into your vault, so that what opens your vault
    opens your documents; and a recovery code opens it alone. On a terminal the code is shown
    once and typed back. Without one, --kit FILE writes it, with the row that it opens, to a
    file that only you can read.
    """
  static let withoutVault = Option.flag("without-vault", "don't keep the key in your vault: only the code opens it")
  static var options: [Option] {
    [withoutVault] + DocumentKit.options + DocumentOptions.options + OutputOptions.options
  }

  private let withoutVault: Bool
  private let kit: DocumentKit
  private let documents: DocumentOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    withoutVault = arguments.flag(Self.withoutVault)
    kit = try DocumentKit(&arguments)
    documents = try DocumentOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let server = try documents.server(context)
    let path = try documents.path(context.environment)
    let state = try DocumentOptions.stateFolder(context.environment)
    if server == nil { try refuseExisting(path) }
    try kit.check(otherwise: "No document vault was made.", context)
    let folder = try documents.unlock.vault.folder(context.environment)
    // What may fail or be cancelled comes before anything is made.
    let reached = server == nil ? nil : try documents.reach(.readWrite, context)
    let opened = reached == nil && !withoutVault ? try documents.unlock.use(.readWrite, context) : reached?.vault
    defer { opened?.lock() }
    if let store = reached?.store,
      try SeifCommands.documents({ () throws(DocumentError) in try store.status() }).isEnabled
    {
      throw CommandFailure(
        .cannotCreate, "there is a document vault at \(store.place) already", hint: "Have its key: seif docs keep")
    }
    let vault = withoutVault ? nil : opened
    let random = RandomSource.system
    let masterKey = random.makeSecret(byteCount: KeyWrap.masterKeyByteCount)
    let code = DocumentRecoveryCode.make(random)
    let row = try DocumentKit.makeRow(code, masterKey, context)
    try kit.present(code, row, place: server ?? AbsolutePath.of(path), context)
    let store: any DocumentStore
    do throws(DocumentError) {
      if let reached { store = reached.store } else { store = try FolderDocumentStore.make(path: path) }
      _ = try DocumentVaultClient.create(
        store, masterKey: masterKey.duplicate(), rows: [StoredKeyWrap(row)], stateFolder: state)
    } catch {
      kit.discard()
      throw DocumentWords.failure(error)
    }
    let id = try SeifCommands.documents { () throws(DocumentError) in try (store as? FolderDocumentStore)?.vaultID() }
    if let vault, let name = reached?.signIn?.name ?? id.map({ .folder($0) }) {
      try DocumentKeys.keep(
        masterKey, of: name, wraps: SecretValue(StoredKeyWrap.list([StoredKeyWrap(row)])),
        name: Self.name(of: store.place), in: vault, folder)
      _ = vault.tell(context)
    }
    if output.json {
      var writer = JSONWriter(indent: 2)
      writer.beginObject()
      writer.schema("seif-docs-init", 1)
      writer.member(server == nil ? "folder" : "server", store.place)
      if let id { writer.member("id", id.description) }
      writer.member("inVault", vault != nil)
      writer.endObject()
      try context.output.writeLine(json: writer.finish())
    }
    context.talk.say(.ok, "Document vault made \(server == nil ? "in" : "at") \(store.place).")
    if let path = kit.path { context.talk.say("The recovery kit is in \(path): print it, then delete the file.") }
    context.talk.say(
      vault == nil
        ? "Only the recovery code opens it. If it is lost, the documents are lost."
        : "Your vault has its key: what opens the one opens the other. The recovery code opens it alone.")
    context.talk.hint("seif docs put FILE")
    return .done
  }

  /// What the entry with the key goes by: the folder's name.
  static func name(of place: String) -> String { place.split(separator: "/").last.map(String.init) ?? "" }

  private func refuseExisting(_ path: String) throws(CommandFailure) {
    guard access(path, F_OK) == 0 else { return }
    let store = FolderDocumentStore(path: path)
    let isVault = (try? store.status().isEnabled) ?? false
    if isVault {
      throw CommandFailure(
        .cannotCreate, "there is a document vault in \(path) already", hint: "Give another folder: --docs DIR")
    }
  }
}

/// `seif docs keep`: puts the key into the person's vault.
struct DocsKeepCommand: Command {
  static let name = "docs keep"
  static let summary = "keep the document vault's key in your vault"
  static let usage = """
    seif docs keep [OPTIONS]

    Asks for the document vault's recovery code and keeps the key that it opens in your
    vault, so that seif docs asks for what opens your vault from then on.
    """
  static var options: [Option] { DocumentOptions.options + OutputOptions.options }

  private let documents: DocumentOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    documents = try DocumentOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let reached = try documents.reach(.readWrite, context)
    defer { reached.lock() }
    let store = reached.store
    let id = try SeifCommands.documents { () throws(DocumentError) in
      guard try store.status().isEnabled else { throw DocumentError(.noVault, place: store.place) }
      return try (store as? FolderDocumentStore)?.makeVaultID()
    }
    let rows = try DocumentOptions.rows(of: store)
    let opened = try documents.code(rows, context)
    let masterKey = opened.takeMasterKey()
    // A row can be anybody's: only a manifest that opens shows that the key is this vault's.
    _ = try SeifCommands.documents { () throws(DocumentError) in
      try DocumentVaultClient.open(
        store, masterKey: masterKey.duplicate(), stateFolder: try DocumentOptions.state(context))
    }
    let list = try SeifCommands.documents { () throws(DocumentError) in StoredKeyWrap.list(try store.keyWraps()) }
    if let vault = reached.vault, let signIn = reached.signIn {
      try DocumentKeys.keep(masterKey, of: signIn.name, wraps: SecretValue(list), name: "", in: vault, reached.folder)
    } else if let id {
      try DocumentKeys(documents.unlock).keep(
        masterKey, of: .folder(id), wraps: SecretValue(list), name: DocsInitCommand.name(of: store.place), context)
    }
    if output.json {
      var writer = JSONWriter(indent: 2)
      writer.beginObject()
      writer.schema("seif-docs-keep", 1)
      if let id { writer.member("id", id.description) }
      writer.endObject()
      try context.output.writeLine(json: writer.finish())
    }
    context.talk.say(.ok, "Your vault has the key of the document vault now.")
    return .done
  }
}
