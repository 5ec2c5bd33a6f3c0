package import SeifBytes
internal import SeifSQL

extension SQLiteServerStore: VaultStore {
  package func status(_ account: UUID) throws(StoreFailure) -> VaultStatus {
    try database.read { (connection) throws(SQLError) in
      try connection.rows(
        """
        SELECT object_count, byte_count, (SELECT version FROM manifests WHERE account = ?1),
          (SELECT count(*) FROM key_wraps WHERE account = ?1 AND deleted_at IS NULL)
        FROM accounts WHERE id = ?1
        """, .id(account)
      ) { (row) throws(SQLError) in
        VaultStatus(
          manifestVersion: try row.optionalNumber(2) ?? 0, objectCount: try row.number(0),
          byteCount: try row.number(1), keyWrapCount: try row.number(3))
      }.first ?? VaultStatus()
    }
  }

  package func manifest(_ account: UUID) throws(StoreFailure) -> StoredManifest? {
    try database.read { (connection) throws(SQLError) in try Self.manifest(account, connection) }
  }

  package func replaceManifest(
    _ account: UUID, _ blob: [UInt8], expecting: ManifestTag?, at now: Timestamp
  ) throws(StoreFailure) -> ManifestOutcome {
    try database.write { (connection) throws(SQLError) in
      try Self.replaceManifest(account, blob, expecting: expecting, connection)
    }
  }

  private static func manifest(_ account: UUID, _ connection: Connection) throws(SQLError) -> StoredManifest? {
    try connection.rows("SELECT version, blob FROM manifests WHERE account = ?1", .id(account)) {
      (row) throws(SQLError) in StoredManifest(version: try row.number(0), blob: try row.blob(1))
    }.first
  }

  private static func replaceManifest(
    _ account: UUID, _ blob: [UInt8], expecting: ManifestTag?, _ connection: Connection
  ) throws(SQLError) -> ManifestOutcome {
    let present = try manifest(account, connection)?.tag
    guard present == expecting else { return .conflict(present) }
    let version = (present?.version ?? 0) + 1
    try connection.run(
      "INSERT OR REPLACE INTO manifests (account, version, blob) VALUES (?1, ?2, ?3)", .id(account), .number(version),
      .blob(blob))
    return .stored(ManifestTag(version: version, blob: blob))
  }

  // MARK: - Rows of ways in

  package func keyWraps(_ account: UUID) throws(StoreFailure) -> [KeyWrapRow] {
    try database.read { (connection) throws(SQLError) in
      try Self.keyWraps(account, connection).filter { $0.deletedAt == nil }.map(\.row)
    }
  }

  package func putKeyWrap(_ account: UUID, _ row: KeyWrapRow, limit: Int) throws(StoreFailure) -> PutOutcome {
    try database.write { (connection) throws(SQLError) in
      let all = try Self.keyWraps(account, connection)
      // A removed row keeps its identifier until it is gone for good.
      if let same = all.first(where: { $0.row.id == row.id }) {
        return same.row == row && same.deletedAt == nil ? .present : .other
      }
      guard all.count(where: { $0.deletedAt == nil }) < limit else { return .tooMany }
      try Self.insert(row, account, connection)
      return .stored
    }
  }

  package func replaceKeyWraps(
    _ account: UUID, _ rows: [KeyWrapRow], manifest: [UInt8], expecting: ManifestTag, at now: Timestamp
  ) throws(StoreFailure) -> ManifestOutcome {
    try database.write { (connection) throws(SQLError) in
      let outcome = try Self.replaceManifest(account, manifest, expecting: expecting, connection)
      guard case .stored = outcome else { return outcome }
      try connection.run(
        "UPDATE key_wraps SET deleted_at = ?2 WHERE account = ?1 AND deleted_at IS NULL", .id(account), .time(now))
      for row in rows {
        try connection.run("DELETE FROM key_wraps WHERE account = ?1 AND id = ?2", .id(account), .id(row.id))
        try Self.insert(row, account, connection)
      }
      try Self.boundTrash(account, connection)
      return outcome
    }
  }

  package func deleteKeyWrap(_ account: UUID, _ id: UUID, at now: Timestamp) throws(StoreFailure) -> DeleteOutcome {
    try database.write { (connection) throws(SQLError) in
      let there = try Self.keyWraps(account, connection).filter { $0.deletedAt == nil }
      guard there.contains(where: { $0.row.id == id }) else { return .done }
      guard there.count > 1 else { return .last }
      try connection.run(
        "UPDATE key_wraps SET deleted_at = ?3 WHERE account = ?1 AND id = ?2", .id(account), .id(id), .time(now))
      try Self.boundTrash(account, connection)
      return .done
    }
  }

  package func restoreKeyWrap(_ account: UUID, _ id: UUID, limit: Int) throws(StoreFailure) -> RestoreOutcome {
    try database.write { (connection) throws(SQLError) in
      let all = try Self.keyWraps(account, connection)
      guard let found = all.first(where: { $0.row.id == id }) else { return .notFound }
      guard found.deletedAt != nil else { return .present }
      guard all.count(where: { $0.deletedAt == nil }) < limit else { return .overLimit }
      try connection.run(
        "UPDATE key_wraps SET deleted_at = NULL WHERE account = ?1 AND id = ?2", .id(account), .id(id))
      return .restored
    }
  }

  /// Of removed rows the last hundred stay.
  private static func boundTrash(_ account: UUID, _ connection: Connection) throws(SQLError) {
    try connection.run(
      """
      DELETE FROM key_wraps WHERE account = ?1 AND deleted_at IS NOT NULL AND id NOT IN (
        SELECT id FROM key_wraps WHERE account = ?1 AND deleted_at IS NOT NULL ORDER BY deleted_at DESC, id LIMIT 100)
      """, .id(account))
  }

  private static func keyWraps(
    _ account: UUID, _ connection: Connection
  ) throws(SQLError) -> [(row: KeyWrapRow, deletedAt: Timestamp?)] {
    try connection.rows(
      """
      SELECT id, kind, salt, iterations, credential_id, wrapped_key, created_at, deleted_at FROM key_wraps
      WHERE account = ?1 ORDER BY id
      """, .id(account)
    ) { (row) throws(SQLError) in
      let wrap = KeyWrapRow(
        id: try row.id(0), kind: try row.text(1), salt: try row.optionalBlob(2),
        iterations: try row.optionalNumber(3), credentialID: try row.optionalBlob(4),
        wrappedKey: try row.blob(5), createdAt: try row.time(6))
      return (wrap, try row.optionalTime(7))
    }
  }

  private static func insert(_ row: KeyWrapRow, _ account: UUID, _ connection: Connection) throws(SQLError) {
    try connection.run(
      """
      INSERT INTO key_wraps (account, id, kind, salt, iterations, credential_id, wrapped_key, created_at)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      """, .id(account), .id(row.id), .text(row.kind), .bytes(row.salt), .number(row.iterations),
      .bytes(row.credentialID), .blob(row.wrappedKey), .time(row.createdAt))
  }

  // MARK: - Totals of months

  package func usage(_ account: UUID) throws(StoreFailure) -> [UsageRow] {
    try database.read { (connection) throws(SQLError) in
      try connection.rows(
        "SELECT month, kind, count, byte_count FROM usage WHERE account = ?1 ORDER BY month, kind", .id(account)
      ) { (row) throws(SQLError) in
        UsageRow(
          month: try row.text(0), kind: try row.text(1), count: try row.number(2), byteCount: try row.number(3))
      }
    }
  }

  package func setUsage(_ account: UUID, month: String, rows: [UsageRow]) throws(StoreFailure) {
    try database.write { (connection) throws(SQLError) in
      try connection.run("DELETE FROM usage WHERE account = ?1 AND month = ?2", .id(account), .text(month))
      for row in rows {
        try connection.run(
          "INSERT INTO usage (account, month, kind, count, byte_count) VALUES (?1, ?2, ?3, ?4, ?5)", .id(account),
          .text(month), .text(row.kind), .number(row.count), .number(row.byteCount))
      }
    }
  }
}
