internal import SeifCommandLine
internal import SeifAgent
internal import SeifBytes
internal import SeifRecords
internal import SeifVault

/// The passwords that a login had before, the newest first, counted from 1, and what is done with one of them.
struct PasswordHistory {
  let login: Password
  private let read: ReadEntry

  /// Nil for what isn't a login.
  init?(_ read: ReadEntry) {
    guard case .password(let login) = read.stored.entry else { return nil }
    self.login = login
    self.read = read
  }

  /// When each was replaced or undone.
  var times: [Timestamp?] { login.history.map(\.changedAt) }

  func holds(_ number: Int) -> Bool { login.history.indices.contains(number - 1) }

  /// A password by its number; of a vault in the agent after its consent.
  ///
  /// - Throws: exit 66 where there is none of that number.
  func secret(_ number: Int, in vault: any UnlockedVault, _ folder: String) throws(CommandFailure) -> SecretValue {
    guard holds(number) else { throw CommandFailure(.notFound, "there is no password \(number)") }
    let value = login.history[number - 1].password
    return try withVault(folder) { () throws(VaultUseError) in try vault.unmasked(value, of: read) }
  }

  /// Makes a password by its number the present one; what it replaces joins the list.
  ///
  /// - Returns: the entry as it is then.
  func bringBack(
    _ number: Int, in vault: any UnlockedVault, _ folder: String, now: Timestamp
  ) throws(CommandFailure) -> Entry {
    var changed = login
    changed.password = try secret(number, in: vault, folder)
    // It is no longer one from before; what it replaces joins the list as with every change.
    changed.history.remove(at: number - 1)
    changed.updatedAt = now
    let entry = Entry.password(changed)
    _ = try withVault(folder) { () throws(VaultUseError) in
      try vault.apply([.replace(read.stored.id, entry)], ifCounterIs: read.counter)
    }
    return entry
  }
}
