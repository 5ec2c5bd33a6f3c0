internal import SeifCommandLine
internal import Glibc
internal import SeifAgent
internal import SeifBytes
internal import SeifDocumentFormat
internal import SeifDocuments
internal import SeifVault

/// Which document vault, and what opens it: its recovery code where that is said, else the key in the person's vault.
struct DocumentOptions: OptionGroup, Sendable {
  static let folder = Option.value(
    "docs", "DIR", "the document vault's folder, or its server (else SEIF_DOCS, else the usual place)")
  static let code = Option.flag("docs-code", "open it by its own recovery code")
  static let codeFD = Option.value("docs-code-fd", "N", "read that code from descriptor N, one line")
  static let codeFile = Option.value("docs-code-file", "F", "read that code from a file, one line")
  static var options: [Option] { [folder, code, codeFD, codeFile] + UnlockOptions.options }

  let given: String?
  private let asksCode: Bool
  private let codeSource: PassphraseSource
  let unlock: UnlockOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    given = arguments.value(Self.folder)
    if given == "" { throw UsageError("--docs needs the name of a folder") }
    codeSource = try PassphraseSource(arguments, Self.codeFD, Self.codeFile)
    asksCode = arguments.flag(Self.code) || codeSource != .person
    unlock = try UnlockOptions(&arguments)
  }

  /// The folder, whether it exists or not.
  func path(_ environment: Environment) throws(CommandFailure) -> String {
    if let given { return given }
    if let path = environment["SEIF_DOCS"], !path.isEmpty { return path }
    if let data = UserFolders.data(environment) { return data + "/seif-documents" }
    throw CommandFailure(.usage, "nothing says where the document vault is", hint: "Give --docs DIR.")
  }

  /// The server that is named in a folder's place; nil: a folder is.
  func server(_ context: Context) throws(CommandFailure) -> String? {
    guard let said = given ?? context.environment["SEIF_DOCS"], ServerSignIn.isAddress(said) else { return nil }
    return try ServerSignIn.origin(of: said, context)
  }

  /// Where the vault lies. A server wants to know who asks, so the person's vault is opened for that: once, for all that
  /// is needed of it.
  func reach(_ access: VaultAccess, _ context: Context) throws(CommandFailure) -> ReachedDocuments {
    guard let origin = try server(context) else {
      return ReachedDocuments(store: FolderDocumentStore(path: try path(context.environment)))
    }
    let folder = try unlock.vault.folder(context.environment)
    let vault = try unlock.use(access, context)
    do throws(CommandFailure) {
      let signIn = try ServerSignIn.find(origin, in: vault, folder)
      _ = vault.tell(context)
      return ReachedDocuments(store: try signIn.store(context), signIn: signIn, vault: vault, folder: folder)
    } catch {
      vault.lock()
      throw error
    }
  }

  /// Where this machine remembers what it has seen of document vaults.
  static func stateFolder(_ environment: Environment) throws(CommandFailure) -> String {
    guard let state = UserFolders.state(environment) else {
      throw CommandFailure(
        .usage, "nothing says where this machine keeps what it has seen", hint: "Set HOME or XDG_STATE_HOME.")
    }
    return state + "/seif/documents"
  }

  /// The open vault.
  ///
  /// - Parameter mayWrite: a state that is older than one seen before is then a failure, and else a warning.
  func open(_ context: Context, mayWrite: Bool) throws(CommandFailure) -> DocumentVaultClient {
    let reached = try reach(.readOnly, context)
    defer { reached.lock() }
    return try client(reached.store, try key(of: reached, context), context, mayWrite: mayWrite)
  }

  /// The open vault to change, and the person's vault where that has its key: opened once, for both.
  ///
  /// - Parameters:
  ///   - holds: whether the vault is to have another key afterwards.
  ///   - before: called once the place is known, before the key is asked for.
  func openHolding(
    _ context: Context, holds: Bool = true, before: (ReachedDocuments) throws(CommandFailure) -> Void = { _ in }
  ) throws(CommandFailure) -> (client: DocumentVaultClient, holder: DocumentKeyHolder?) {
    let reached = try reach(.readWrite, context)
    let holder: DocumentKeyHolder?
    do throws(CommandFailure) {
      try before(reached)
      guard holds, let name = try name(of: reached), try hasVault(context) else {
        defer { reached.lock() }
        return (try client(reached.store, try key(of: reached, context), context, mayWrite: true), nil)
      }
      if let vault = reached.vault {
        holder = try DocumentKeys.holder(of: name, in: vault, reached.folder, context)
      } else {
        holder = try DocumentKeys(unlock).holder(of: name, context)
      }
    } catch {
      reached.lock()
      throw error
    }
    guard let holder else {
      // The vault is locked again, and has no key.
      if reached.vault == nil { return (try open(context, mayWrite: true), nil) }
      return (try client(reached.store, try byCode(reached.store, context), context, mayWrite: true), nil)
    }
    do throws(CommandFailure) {
      let opened = asksCode ? try byCode(reached.store, context) : Opened(try holder.key(), row: nil)
      return (try client(reached.store, opened, context, mayWrite: true), holder)
    } catch {
      holder.vault.lock()
      throw error
    }
  }

  private func client(
    _ store: any DocumentStore, _ opened: Opened, _ context: Context, mayWrite: Bool
  ) throws(CommandFailure) -> DocumentVaultClient {
    let client = try documents { () throws(DocumentError) in
      try DocumentVaultClient.open(
        store, masterKey: opened.key(), stateFolder: try Self.state(context),
        now: { [clock = context.clock] in
          Timestamp(seconds: clock.now())
        })
    }
    if let row = opened.row { try documents { () throws(DocumentError) in try client.noteOpened(StoredKeyWrap(row)) } }
    if let rollback = client.rollback {
      let failure = DocumentWords.rollback(rollback, store.place)
      if mayWrite { throw failure }
      context.talk.warn(failure.what)
    }
    return client
  }

  static func state(_ context: Context) throws(DocumentError) -> String {
    do throws(CommandFailure) { return try stateFolder(context.environment) } catch {
      throw DocumentError(.noPermission, place: "the state folder", reason: error.what)
    }
  }

  /// A master key, and the row that gave it if it was a row.
  private final class Opened {
    private let secret: SecretBytes
    let row: KeyWrap?

    init(_ secret: consuming SecretBytes, row: KeyWrap?) {
      self.secret = secret
      self.row = row
    }

    func key() -> SecretBytes { secret.duplicate() }
  }

  private func name(of reached: ReachedDocuments) throws(CommandFailure) -> DocumentVaultName? {
    try documents { () throws(DocumentError) in
      let store = reached.store
      guard try store.status().isEnabled else { throw DocumentError(.noVault, place: store.place) }
      if let signIn = reached.signIn { return signIn.name }
      return try (store as? FolderDocumentStore)?.vaultID().map { .folder($0) }
    }
  }

  private func key(of reached: ReachedDocuments, _ context: Context) throws(CommandFailure) -> Opened {
    let name = try name(of: reached)
    let store = reached.store
    if !asksCode, let name, try hasVault(context) {
      let key =
        if let vault = reached.vault {
          try DocumentKeys.key(of: name, in: vault, reached.folder, context)
        } else {
          try DocumentKeys(unlock).key(of: name, context)
        }
      if let key { return Opened(key, row: nil) }
      context.talk.say("Your vault has no key of this document vault, so its recovery code is needed.")
    }
    return try byCode(store, context)
  }

  private func byCode(_ store: any DocumentStore, _ context: Context) throws(CommandFailure) -> Opened {
    let rows = try Self.rows(of: store)
    let typed = try code(rows, context)
    let row = typed.row
    return Opened(typed.takeMasterKey(), row: row)
  }

  /// Whether there is a vault that might have the key.
  func hasVault(_ context: Context) throws(CommandFailure) -> Bool {
    access(try unlock.location(context).file, F_OK) == 0
  }

  static func rows(of store: any DocumentStore) throws(CommandFailure) -> KeyWraps {
    let list = try documents { () throws(DocumentError) in StoredKeyWrap.list(try store.keyWraps()) }
    do throws(DocumentFormatError) { return try KeyWraps(parsing: SecretValue(list)) } catch {
      throw CommandFailure(.badInput, "the ways into \(store.place) can't be read: \(error)")
    }
  }

  /// The master key by the document vault's own recovery code; a person may try three times.
  func code(_ rows: KeyWraps, _ context: Context) throws(CommandFailure) -> TypedDocumentCode {
    for attempt in 1... {
      let typed = try codeSource.readAny(question: "Recovery code of the document vault", context)
      let failure: CommandFailure
      do throws(RecoveryCodeFault) {
        let code = try DocumentRecoveryCode(typed: typed)
        if let opened = try? rows.open(with: code) { return TypedDocumentCode(code, opened) }
        failure = CommandFailure(
          .refused, "this recovery code doesn't open the document vault",
          hint: "Each vault has a code of its own; the one of your passwords is another.")
      } catch {
        failure = CommandFailure(.refused, "that is no recovery code: \(error)", hint: "Nothing was tried with it.")
      }
      guard codeSource == .person, attempt < 3 else { throw failure }
      context.talk.fail(failure)
    }
    throw Context.cancelled
  }
}

/// Where a document vault lies, and the person's vault if it had to be opened to get there.
struct ReachedDocuments {
  let store: any DocumentStore
  /// Nil: a folder.
  var signIn: ServerSignIn?
  var vault: (any UnlockedVault)?
  /// Of the person's vault.
  var folder = ""

  func lock() { vault?.lock() }
}

/// A recovery code that opened a document vault.
struct TypedDocumentCode: ~Copyable {
  let code: DocumentRecoveryCode
  private let opened: OpenedKeyWrap

  init(_ code: consuming DocumentRecoveryCode, _ opened: consuming OpenedKeyWrap) {
    self.code = code
    self.opened = opened
  }

  var row: KeyWrap { opened.row }

  consuming func takeMasterKey() -> SecretBytes { opened.takeMasterKey() }
}

/// Does work on a document vault, its errors in the words of the command line.
func documents<R: ~Copyable>(_ body: () throws(DocumentError) -> R) throws(CommandFailure) -> R {
  do throws(DocumentError) { return try body() } catch { throw DocumentWords.failure(error) }
}

extension StoredKeyWrap {
  /// A row that the format has read.
  init(_ row: KeyWrap) { self.init(id: row.id, json: row.json) }
}
