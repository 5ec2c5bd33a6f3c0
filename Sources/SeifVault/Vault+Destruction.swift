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

  /// Ends a destruction that was cut short: removes a vault that has no way in.
  ///
  /// - Throws: `lastStrongWayIn` if it has one; what opening throws.
  public static func destroyRest(at location: VaultLocation) throws(VaultError) {
    let locked = try open(at: location, access: .readOnly)
    guard locked.waysIn.isEmpty else { throw VaultError(.lastStrongWayIn) }
    let id = locked.id
    let file = try OldFile(location.file)
    file.erase()
    let names = Folders.names(in: location.folder) ?? []
    for name in names where name.hasPrefix(location.fileName) { Folders.remove("\(location.folder)/\(name)") }
    let unsynced = Folders.sync(location.folder)
    guard unsynced == 0 else { throw Folders.error(unsynced) }
    CounterMark(folder: location.stateFolder, vaultID: id).forget()
    WayInUses(folder: location.stateFolder, vaultID: id).forget()
  }
}
