internal import SeifSQL

extension Vault {
  /// Erases all ways in, then overwrites and removes the vault's files. Afterwards the vault is locked and there is none.
  ///
  /// What devices keep for ways in is for the caller to erase. Copies of the file that were made before aren't touched.
  ///
  /// - Throws: `busy` if another process has it open, `readOnly`, `full`, `io`: then the vault is as it was, or has no way in left; `destroyRest` ends it.
  public func destroy() throws(VaultError) {
    let ways = try wraps()
    // Whoever has it open, an agent above all, would go on with a file that is gone.
    try opened().connection.alone { () throws(VaultError) in }
    try write { (rows) throws(VaultError) in
      for way in ways { try rows.delete(.wayIn, way.id) }
    }
    lock()
    try Self.destroyRest(at: location)
  }

  /// Whether a destruction was cut short after the vault's file had lost its name.
  public static func isHalfDestroyed(at location: VaultLocation) -> Bool {
    !Folders.exists(location.file) && Folders.isFile(condemned(location))
  }

  /// Ends a destruction that was cut short: removes a vault that has no way in.
  ///
  /// The file gets another name before it is overwritten, so that at no time a file that is no vault has the vault's name.
  ///
  /// - Throws: `lastStrongWayIn` if it has one; what opening throws.
  public static func destroyRest(at location: VaultLocation) throws(VaultError) {
    if !isHalfDestroyed(at: location) {
      let locked = try open(at: location, access: .readOnly)
      guard locked.waysIn.isEmpty else { throw VaultError(.lastStrongWayIn) }
      CounterMark(folder: location.stateFolder, vaultID: locked.id).forget()
      WayInUses(folder: location.stateFolder, vaultID: locked.id).forget()
      let failure = Folders.move(location.file, to: condemned(location))
      guard failure == 0 else { throw Folders.error(failure) }
      try sync(location)
    }
    try OldFile(condemned(location)).erase()
    // The condemned file last: while it is there, the rest can be ended.
    let names = (Folders.names(in: location.folder) ?? []).filter { isOfVault($0, location) }
    for name in names { Folders.remove("\(location.folder)/\(name)") }
    Folders.remove(condemned(location))
    try sync(location)
  }

  private static func condemned(_ location: VaultLocation) -> String { location.file + ".destroyed" }

  private static func sync(_ location: VaultLocation) throws(VaultError) {
    let failure = Folders.sync(location.folder)
    guard failure == 0 else { throw Folders.error(failure) }
  }

  /// What SQLite and this program put beside a vault's file; a copy that a person made under another name stays.
  private static func isOfVault(_ name: String, _ location: VaultLocation) -> Bool {
    guard name.hasPrefix(location.fileName) else { return false }
    let rest = name.dropFirst(location.fileName.count)
    return ["-wal", "-shm", "-journal"].contains(rest) || rest.hasPrefix(".new-") || rest.hasPrefix(".version-")
  }
}
