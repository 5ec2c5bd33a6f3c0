internal import SeifBytes
package import SeifVault

/// A vault that is used a turn at a time: between turns others have theirs, and it may be locked.
package protocol VaultTurns {
  /// Runs work on the vault.
  ///
  /// - Throws: `locked`, and what the work throws.
  func turn<Result: Sendable>(
    _ work: (Vault) throws(VaultUseError) -> Result
  ) throws(VaultUseError) -> Result

  /// Opens a copy of the vault in a turn and works on it outside of it, so that nobody waits for what takes long. The copy
  /// is locked afterwards; a vault isn't locked before its copy is.
  func aside<Result: Sendable>(
    _ open: (Vault) throws(VaultError) -> Vault, _ work: (Vault) throws(VaultError) -> Result
  ) throws(VaultUseError) -> Result
}

/// A copy with a connection and keys of its own, which nobody else has.
private struct Copy: @unchecked Sendable { let vault: Vault }

extension VaultTurns {
  fileprivate func work<Result: Sendable>(
    on open: (Vault) throws(VaultError) -> Vault, _ work: (Vault) throws(VaultError) -> Result
  ) throws(VaultUseError) -> Result {
    let copy = try turn { (vault) throws(VaultUseError) in
      try vaultCall { () throws(VaultError) in Copy(vault: try open(vault)) }
    }
    defer { copy.vault.lock() }
    return try vaultCall { () throws(VaultError) in try work(copy.vault) }
  }
}

extension OpenVault: VaultTurns {
  package func aside<Result: Sendable>(
    _ open: (Vault) throws(VaultError) -> Vault, _ work: (Vault) throws(VaultError) -> Result
  ) throws(VaultUseError) -> Result {
    try withoutLocking { () throws(VaultUseError) in try self.work(on: open, work) }
  }

  package func turn<Result: Sendable>(
    _ work: (Vault) throws(VaultUseError) -> Result
  ) throws(VaultUseError) -> Result {
    try withVault(work)
  }
}

/// A vault that this process opened: it is always its turn.
package struct DirectTurns: VaultTurns {
  package let vault: Vault

  package init(_ vault: Vault) { self.vault = vault }

  package func aside<Result: Sendable>(
    _ open: (Vault) throws(VaultError) -> Vault, _ work: (Vault) throws(VaultError) -> Result
  ) throws(VaultUseError) -> Result {
    try self.work(on: open, work)
  }

  package func turn<Result: Sendable>(
    _ work: (Vault) throws(VaultUseError) -> Result
  ) throws(VaultUseError) -> Result {
    try work(vault)
  }
}

/// What became of a snapshot at one destination.
package struct Delivery: Sendable, Equatable {
  /// The destination's name.
  package var destination: String
  /// The file's name there; empty where none was stored.
  package var name: String
  /// Whether it came back and opened.
  package var isProven: Bool
  /// The exit code that it comes to.
  package var exitCode: Int32
  /// Its length; 0 where none was stored.
  package var byteCount: Int
  /// What went wrong, and what is to be said beside it.
  package var words: [String]
  /// Whether it is about a backup that lies there and was made elsewhere, instead of the snapshot.
  package var isFound: Bool

  package init(
    destination: String, name: String = "", isProven: Bool, exitCode: Int32, byteCount: Int = 0, words: [String] = [],
    isFound: Bool = false
  ) {
    self.isFound = isFound
    self.destination = destination
    self.name = name
    self.isProven = isProven
    self.exitCode = exitCode
    self.byteCount = byteCount
    self.words = words
  }
}

extension WireWriter {
  mutating func delivery(_ delivery: Delivery) {
    text(delivery.destination)
    text(delivery.name)
    bool(delivery.isProven)
    count(Int(delivery.exitCode))
    count(delivery.byteCount)
    texts(delivery.words)
    bool(delivery.isFound)
  }
}

extension WireReader {
  mutating func delivery() throws(AgentRefusal) -> Delivery {
    let (destination, name, isProven) = (try text(), try text(), try bool())
    let (code, byteCount) = (Int32(clamping: try count()), try count())
    let words = try texts()
    return Delivery(
      destination: destination, name: name, isProven: isProven, exitCode: code, byteCount: byteCount, words: words,
      isFound: try bool())
  }
}
