public import SeifBytes
internal import SeifCrypto
internal import SeifSQL

extension Vault {
  /// The ways in, in the order in which they were made.
  public func waysIn() throws(VaultError) -> [WayIn] { try wraps().map(\.wayIn) }

  /// When each way in last opened this vault on this machine, as far as that is known.
  public var lastUses: [UUID: Timestamp] { WayInUses(folder: location.stateFolder, vaultID: id).read() }

  func wraps() throws(VaultError) -> [KeyWrap] {
    try read { (connection, _) throws(VaultError) in try sql { () throws(SQLError) in try KeyWrap.all(in: connection) }
    }
  }

  /// Makes a way in without adding it: prove it in another process first.
  ///
  /// - Throws: what the provider throws.
  public func makeWayIn(_ provider: some WayInProvider) throws(VaultError) -> NewWayIn {
    let (connection, keys) = try opened()
    let generation = try generation(connection)
    return NewWayIn(
      try KeyWrap.make(
        provider, dataKey: keys.dataKey, vaultID: id, generation: generation, now: clock().wholeSeconds,
        random: random))
  }

  /// Adds a way in that was proven to open the vault; with `replacing`, in the same transaction in the place of another.
  ///
  /// - Parameter passphrases: those of which it was shown that they keep the rules for new ones. See `removeWayIn`.
  /// - Throws: `tooManyWaysIn`, `lastStrongWayIn`, `noSuchWayIn` for one to replace that isn't there,
  ///   `changedMeanwhile` if it was made for another data key.
  public func addWayIn(
    _ new: NewWayIn, replacing old: UUID? = nil, passphrases: Set<UUID> = []
  ) throws(VaultError) {
    try write { (rows) throws(VaultError) in
      let present = try Self.wraps(rows)
      guard try new.wrap.generation == generation(rows.connection) else { throw VaultError(.changedMeanwhile) }
      if let old {
        let kept = present.filter { $0.id != old }
        try Self.checkStrength(present, kept + [new.wrap], removing: old, passphrases)
        try rows.delete(.wayIn, old)
      } else {
        guard present.count < KeyWrap.maximumCount else { throw VaultError(.tooManyWaysIn) }
      }
      try rows.insert(.wayIn, new.wrap.id, new.wrap.values(position: try rows.nextPosition(.wayIn)))
    }
    note(new.wrap.id)
  }

  /// Removes a way in. A copy of the vault that was made before still opens with it.
  ///
  /// - Parameter passphrases: those of which it was shown, by typing them now, that they keep the rules for new ones: no
  ///   others count as strong, since the vault doesn't say how good a passphrase is.
  /// - Throws: `noSuchWayIn`; `lastStrongWayIn` if what is left could be lost with the machine.
  public func removeWayIn(_ way: UUID, passphrases: Set<UUID>) throws(VaultError) {
    try write { (rows) throws(VaultError) in
      let present = try Self.wraps(rows)
      try Self.checkStrength(present, present.filter { $0.id != way }, removing: way, passphrases)
      try rows.delete(.wayIn, way)
    }
  }

  /// Notes that a way in was proven now.
  public func note(_ way: UUID) {
    guard let present = try? wraps().map(\.id) else { return }
    WayInUses(folder: location.stateFolder, vaultID: id).note(way, at: clock(), present: present)
  }

  // MARK: - Parts

  private static func checkStrength(
    _ before: [KeyWrap], _ after: [KeyWrap], removing id: UUID, _ passphrases: Set<UUID>
  ) throws(VaultError) {
    guard let removed = before.first(where: { $0.id == id }) else { throw VaultError(.noSuchWayIn) }
    guard !after.isEmpty else { throw VaultError(.lastStrongWayIn) }
    // What goes with the machine never held the vault, nor does what another version knows.
    guard [.passphrase, .recovery, .fido2].contains(removed.kind) else { return }
    let ways = before.map(\.wayIn)
    // Of the passphrase that goes nobody says that it was weak.
    let assumed = passphrases.union(ways.filter { $0.kind == .passphrase }.map(\.id))
    guard WayIn.areStrong(ways, passphrases: assumed) else { return }
    guard WayIn.areStrong(after.map(\.wayIn), passphrases: passphrases) else { throw VaultError(.lastStrongWayIn) }
  }

  private static func wraps(_ rows: RowWriter) throws(VaultError) -> [KeyWrap] {
    try sql { () throws(SQLError) in try KeyWrap.all(in: rows.connection) }
  }

  func generation(_ connection: Connection) throws(VaultError) -> Int64 {
    try sql { () throws(SQLError) in
      let statement = try connection.prepare("SELECT generation FROM vault WHERE id = ?1")
      try statement.bind(id.bytes, at: 1)
      guard try statement.step() else { throw SQLError(.corrupt, message: "no vault row") }
      return try statement.integer(0)
    }
  }
}
