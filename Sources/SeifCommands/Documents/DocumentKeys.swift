internal import SeifCommandLine
internal import SeifAgent
internal import SeifBytes
internal import SeifCrypto
internal import SeifRecords
internal import SeifVault

/// The keys of document vaults that the person's vault keeps.
struct DocumentKeys {
  private let unlock: UnlockOptions

  init(_ unlock: UnlockOptions) { self.unlock = unlock }

  /// The master key of a document vault; nil where the vault has none. Where the vault is open in the agent, the agent
  /// asks the person before it gives one out.
  func key(of name: DocumentVaultName, _ context: Context) throws(CommandFailure) -> SecretBytes? {
    let folder = try unlock.vault.folder(context.environment)
    let vault = try unlock.use(.readOnly, context)
    defer { vault.lock() }
    return try Self.key(of: name, in: vault, folder, context)
  }

  static func key(
    of name: DocumentVaultName, in vault: any UnlockedVault, _ folder: String, _ context: Context
  ) throws(CommandFailure) -> SecretBytes? {
    let key = try withVault(folder) { () throws(VaultUseError) in
      guard let found = try entry(of: name, in: vault) else { return SecretValue.empty }
      guard case .document(let document) = try vault.revealed(found) else { return SecretValue.empty }
      return document.masterKey
    }
    _ = vault.tell(context)
    return key.isEmpty ? nil : SecretBytes(copying: key)
  }

  /// The person's vault, open to be changed, if it has the key of a document vault.
  func holder(of name: DocumentVaultName, _ context: Context) throws(CommandFailure) -> DocumentKeyHolder? {
    let folder = try unlock.vault.folder(context.environment)
    return try Self.holder(of: name, in: try unlock.use(.readWrite, context), folder, context)
  }

  /// As above, with a vault that is open; locked where this gives none.
  static func holder(
    of name: DocumentVaultName, in vault: any UnlockedVault, _ folder: String, _ context: Context
  ) throws(CommandFailure) -> DocumentKeyHolder? {
    let found: ReadEntry?
    do throws(CommandFailure) {
      found = try withVault(folder) { () throws(VaultUseError) in try entry(of: name, in: vault) }
    } catch {
      vault.lock()
      throw error
    }
    guard let found else {
      vault.lock()
      return nil
    }
    _ = vault.tell(context)
    return DocumentKeyHolder(vault: vault, folder: folder, name: name, found: found)
  }

  /// Keeps a key in the vault, in the place of one that it has of the same document vault.
  ///
  /// - Parameters:
  ///   - wraps: the rows of the ways in, as a JSON list.
  ///   - name: what the entry goes by: the folder's name.
  func keep(
    _ key: borrowing SecretBytes, of vaultName: DocumentVaultName, wraps: SecretValue, name: String, _ context: Context
  ) throws(CommandFailure) {
    let folder = try unlock.vault.folder(context.environment)
    let vault = try unlock.use(.readWrite, context)
    defer { vault.lock() }
    try Self.keep(key, of: vaultName, wraps: wraps, name: name, in: vault, folder)
    _ = vault.tell(context)
  }

  static func keep(
    _ key: borrowing SecretBytes, of vaultName: DocumentVaultName, wraps: SecretValue, name: String,
    in vault: any UnlockedVault,
    _ folder: String
  ) throws(CommandFailure) {
    let value = key.withBytes { SecretValue(copying: $0) }
    try withVault(folder) { () throws(VaultUseError) in
      var document = vaultName.document(masterKey: value)
      document.wraps = wraps
      if document.account.isEmpty { document.account = name }
      if let found = try entry(of: vaultName, in: vault) {
        if case .document(let old) = found.stored.entry {
          document.id = old.id
          document.opaque = old.opaque
          if !old.account.isEmpty || name.isEmpty { document.account = old.account }
        }
        try vault.apply([.replace(found.stored.id, .document(document))], ifCounterIs: found.counter)
      } else {
        try vault.apply([.add(.document(document))], ifCounterIs: nil)
      }
    }
  }

  static func entry(of name: DocumentVaultName, in vault: any UnlockedVault) throws(VaultUseError) -> ReadEntry? {
    for summary in try vault.list() where summary.kind == .documents {
      let found = try vault.entry(summary.id)
      if case .document(let document) = found.stored.entry, name.names(document) { return found }
    }
    return nil
  }
}

/// The person's open vault, which has the key of a document vault.
struct DocumentKeyHolder {
  let vault: any UnlockedVault
  fileprivate let folder: String
  fileprivate let name: DocumentVaultName
  fileprivate let found: ReadEntry

  fileprivate init(vault: any UnlockedVault, folder: String, name: DocumentVaultName, found: ReadEntry) {
    self.vault = vault
    self.folder = folder
    self.name = name
    self.found = found
  }

  /// The identifier of the vault's entry, by which a copy in a folder finds its key.
  var documentID: UUID? {
    guard case .document(let document) = found.stored.entry else { return nil }
    return UUID(document.id)
  }

  /// The key as the vault has it.
  func key() throws(CommandFailure) -> SecretBytes {
    let entry = try withVault(folder) { () throws(VaultUseError) in try vault.revealed(found) }
    guard case .document(let document) = entry else { return SecretBytes(copying: .empty) }
    return SecretBytes(copying: document.masterKey)
  }

  /// Puts another key in its place.
  func replace(_ key: borrowing SecretBytes, wraps: SecretValue) throws(CommandFailure) {
    try DocumentKeys.keep(key, of: name, wraps: wraps, name: "", in: vault, folder)
  }
}

/// Which document vault a key is of: a folder's by the identifier in it, a server's by its address and the account.
enum DocumentVaultName: Sendable {
  case folder(UUID)
  case server(String, account: String)

  func names(_ document: DocumentVault) -> Bool {
    switch self {
    case .folder(let id): UUID(document.id) == id
    case .server(let origin, let account):
      document.kind == .server && utf8Equal(document.server, origin) && utf8Equal(document.account, account)
    }
  }

  /// A new entry for it.
  func document(masterKey: SecretValue) -> DocumentVault {
    switch self {
    case .folder(let id): return DocumentVault(id: id.description, kind: .local, masterKey: masterKey)
    case .server(let origin, let account):
      var document = DocumentVault(
        id: RandomSource.system.makeUUID().description, kind: .server, masterKey: masterKey)
      document.server = origin
      document.account = account
      return document
    }
  }
}
