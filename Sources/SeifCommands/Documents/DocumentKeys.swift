internal import SeifAgent
internal import SeifBytes
internal import SeifRecords
internal import SeifVault

/// The keys of document vaults that the person's vault keeps.
struct DocumentKeys {
  private let unlock: UnlockOptions

  init(_ unlock: UnlockOptions) { self.unlock = unlock }

  /// The master key of a document vault; nil where the vault has none. Where the vault is open in the agent, the agent
  /// asks the person before it gives one out.
  func key(of id: UUID, _ context: Context) throws(CommandFailure) -> SecretBytes? {
    let folder = try unlock.vault.folder(context.environment)
    let vault = try unlock.use(.readOnly, context)
    defer { vault.lock() }
    let key = try withVault(folder) { () throws(VaultUseError) in
      guard let found = try Self.entry(of: id, in: vault) else { return SecretValue.empty }
      guard case .document(let document) = try vault.revealed(found) else { return SecretValue.empty }
      return document.masterKey
    }
    _ = vault.tell(context)
    return key.isEmpty ? nil : SecretBytes(copying: key)
  }

  /// Keeps a key in the vault, in the place of one that it has of the same document vault.
  ///
  /// - Parameter wraps: the rows of the ways in, as a JSON list.
  func keep(
    _ key: borrowing SecretBytes, of id: UUID, wraps: SecretValue, _ context: Context
  ) throws(CommandFailure) {
    let folder = try unlock.vault.folder(context.environment)
    let vault = try unlock.use(.readWrite, context)
    defer { vault.lock() }
    try keep(key, of: id, wraps: wraps, in: vault, folder)
    _ = vault.tell(context)
  }

  func keep(
    _ key: borrowing SecretBytes, of id: UUID, wraps: SecretValue, in vault: any UnlockedVault, _ folder: String
  ) throws(CommandFailure) {
    let value = key.withBytes { SecretValue(copying: $0) }
    try withVault(folder) { () throws(VaultUseError) in
      var document = DocumentVault(id: id.description, kind: .local, masterKey: value)
      document.wraps = wraps
      if let found = try Self.entry(of: id, in: vault) {
        if case .document(let old) = found.stored.entry { document.opaque = old.opaque }
        try vault.apply([.replace(found.stored.id, .document(document))], ifCounterIs: found.counter)
      } else {
        try vault.apply([.add(.document(document))], ifCounterIs: nil)
      }
    }
  }

  static func entry(of id: UUID, in vault: any UnlockedVault) throws(VaultUseError) -> ReadEntry? {
    for summary in try vault.list() where summary.kind == .documents {
      let found = try vault.entry(summary.id)
      if case .document(let document) = found.stored.entry, UUID(document.id) == id { return found }
    }
    return nil
  }
}
