package import SeifBytes
internal import SeifCrypto
internal import SeifSQL

extension SQLiteServerStore {
  package func reserve(
    _ account: UUID, _ object: UUID, byteCount: Int, limits: VaultLimits, at now: Timestamp
  ) throws(StoreFailure) -> ReserveOutcome {
    try database.write { (connection) throws(SQLError) in
      if let found = try Self.object(account, object, connection) {
        return found.deletedAt == nil ? .present(found.row) : .gone
      }
      let held = try Self.held(account, connection)
      guard held.count < limits.objectCount else { return .tooManyObjects }
      guard byteCount <= limits.byteCount, held.bytes <= limits.byteCount - byteCount else { return .overQuota }
      let id = RandomSource.system.makeUUID()
      try connection.run(
        "INSERT INTO reservations (id, account, object, byte_count, made_at) VALUES (?1, ?2, ?3, ?4, ?5)", .id(id),
        .id(account), .id(object), .number(byteCount), .time(now))
      return .reserved(id)
    }
  }

  package func keep(
    _ reservation: UUID, blob: UUID, byteCount: Int, sha256: [UInt8], at now: Timestamp
  ) throws(StoreFailure) -> KeepOutcome {
    try database.write { (connection) throws(SQLError) in
      let reserved = try connection.rows(
        "SELECT account, object, byte_count FROM reservations WHERE id = ?1", .id(reservation)
      ) { (row) throws(SQLError) in (account: try row.id(0), object: try row.id(1), byteCount: try row.number(2)) }
      .first
      guard let reserved, byteCount <= reserved.byteCount else { return .lost }
      try connection.run("DELETE FROM reservations WHERE id = ?1", .id(reservation))
      if let found = try Self.object(reserved.account, reserved.object, connection) {
        return found.deletedAt == nil ? .present(found.row) : .lost
      }
      try connection.run(
        """
        INSERT INTO objects (account, id, blob, byte_count, sha256, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
        """, .id(reserved.account), .id(reserved.object), .id(blob), .number(byteCount), .blob(sha256), .time(now))
      try Self.count(reserved.account, objects: 1, bytes: byteCount, trash: 0, connection)
      return .stored
    }
  }

  package func drop(_ reservation: UUID) throws(StoreFailure) {
    try database.write { (connection) throws(SQLError) in
      _ = try connection.run("DELETE FROM reservations WHERE id = ?1", .id(reservation))
    }
  }

  package func object(_ account: UUID, _ object: UUID) throws(StoreFailure) -> ObjectRow? {
    try database.read { (connection) throws(SQLError) in
      try Self.object(account, object, connection).flatMap { $0.deletedAt == nil ? $0.row : nil }
    }
  }

  package func objects(_ account: UUID, after: UUID?, limit: Int) throws(StoreFailure) -> [ObjectRow] {
    try database.read { (connection) throws(SQLError) in
      try connection.rows(
        """
        SELECT id, blob, byte_count, sha256, created_at FROM objects
        WHERE account = ?1 AND id > ?2 AND deleted_at IS NULL ORDER BY id LIMIT ?3
        """, .id(account), .blob(after?.bytes ?? []), .number(min(max(0, limit), 1000)), read: Self.row)
    }
  }

  package func delete(
    _ account: UUID, _ object: UUID, trash: VaultLimits, at now: Timestamp
  ) throws(StoreFailure) -> [UUID] {
    try database.write { (connection) throws(SQLError) in
      guard let found = try Self.object(account, object, connection), found.deletedAt == nil else { return [] }
      try connection.run(
        "UPDATE objects SET deleted_at = ?3 WHERE account = ?1 AND id = ?2", .id(account), .id(object), .time(now))
      try Self.count(account, objects: -1, bytes: -found.row.byteCount, trash: found.row.byteCount, connection)
      return try Self.bound(account, trash, connection)
    }
  }

  /// Takes the oldest away until there is as little trash as there may be.
  private static func bound(
    _ account: UUID, _ trash: VaultLimits, _ connection: Connection
  ) throws(SQLError) -> [UUID] {
    var gone: [UUID] = []
    var (count, bytes) = (
      try connection.count("SELECT count(*) FROM objects WHERE account = ?1 AND deleted_at IS NOT NULL", .id(account)),
      try connection.count("SELECT trash_byte_count FROM accounts WHERE id = ?1", .id(account))
    )
    while count > trash.objectCount || bytes > trash.byteCount {
      let oldest = try connection.rows(
        """
        SELECT id, byte_count, blob FROM objects WHERE account = ?1 AND deleted_at IS NOT NULL
        ORDER BY deleted_at, id LIMIT 100
        """, .id(account)
      ) { (row) throws(SQLError) in (id: try row.id(0), byteCount: try row.number(1), blob: try row.id(2)) }
      guard !oldest.isEmpty else { break }
      for old in oldest where count > trash.objectCount || bytes > trash.byteCount {
        try connection.run("DELETE FROM objects WHERE account = ?1 AND id = ?2", .id(account), .id(old.id))
        try Self.count(account, objects: 0, bytes: 0, trash: -old.byteCount, connection)
        (count, bytes) = (count - 1, bytes - old.byteCount)
        gone.append(old.blob)
      }
    }
    return gone
  }

  package func restore(
    _ account: UUID, _ object: UUID, limits: VaultLimits
  ) throws(StoreFailure) -> RestoreOutcome {
    try database.write { (connection) throws(SQLError) in
      guard let found = try Self.object(account, object, connection) else { return .notFound }
      guard found.deletedAt != nil else { return .present }
      let held = try Self.held(account, connection)
      guard held.count < limits.objectCount, found.row.byteCount <= limits.byteCount,
        held.bytes <= limits.byteCount - found.row.byteCount
      else { return .overLimit }
      try connection.run(
        "UPDATE objects SET deleted_at = NULL WHERE account = ?1 AND id = ?2", .id(account), .id(object))
      try Self.count(
        account, objects: 1, bytes: found.row.byteCount, trash: -found.row.byteCount, connection)
      return .restored
    }
  }

  package func sweep(trash: Timestamp, reservations: Timestamp, limit: Int) throws(StoreFailure) -> [UUID] {
    try database.write { (connection) throws(SQLError) in
      try connection.run("DELETE FROM reservations WHERE made_at < ?1", .time(reservations))
      try connection.run("DELETE FROM key_wraps WHERE deleted_at < ?1", .time(trash))
      let over = try connection.rows(
        "SELECT account, id, blob, byte_count FROM objects WHERE deleted_at < ?1 LIMIT ?2", .time(trash),
        .number(max(0, limit))
      ) { (row) throws(SQLError) in
        (account: try row.id(0), id: try row.id(1), blob: try row.id(2), byteCount: try row.number(3))
      }
      for row in over {
        try connection.run("DELETE FROM objects WHERE account = ?1 AND id = ?2", .id(row.account), .id(row.id))
        try Self.count(row.account, objects: 0, bytes: 0, trash: -row.byteCount, connection)
      }
      return over.map(\.blob)
    }
  }

  /// Takes the row of a blob away that isn't there: of a copy, in which others may be restored.
  func forget(blob: UUID) throws(StoreFailure) {
    try database.write { (connection) throws(SQLError) in
      let found = try connection.rows(
        "SELECT account, byte_count, deleted_at FROM objects WHERE blob = ?1", .id(blob)
      ) { (row) throws(SQLError) in
        (account: try row.id(0), byteCount: try row.number(1), isDeleted: try row.optionalTime(2) != nil)
      }.first
      guard let found else { return }
      try connection.run("DELETE FROM objects WHERE blob = ?1", .id(blob))
      let (there, trash) = found.isDeleted ? (0, found.byteCount) : (found.byteCount, 0)
      try Self.count(found.account, objects: found.isDeleted ? 0 : -1, bytes: -there, trash: -trash, connection)
    }
  }

  package func named(_ blobs: [UUID]) throws(StoreFailure) -> Set<UUID> {
    try database.read { (connection) throws(SQLError) in
      var named: Set<UUID> = []
      for blob in blobs {
        named.formUnion(
          try connection.rows("SELECT blob FROM objects WHERE blob = ?1", .id(blob)) { (row) throws(SQLError) in
            try row.id(0)
          })
      }
      return named
    }
  }

  package func blobs(after: UUID?, limit: Int) throws(StoreFailure) -> [BlobReference] {
    try database.read { (connection) throws(SQLError) in
      try connection.rows(
        "SELECT blob, byte_count, sha256 FROM objects WHERE blob > ?1 ORDER BY blob LIMIT ?2",
        .blob(after?.bytes ?? []), .number(max(0, limit))
      ) { (row) throws(SQLError) in
        BlobReference(blob: try row.id(0), byteCount: try row.number(1), sha256: try row.blob(2))
      }
    }
  }

  // MARK: - Rows

  private static func object(
    _ account: UUID, _ object: UUID, _ connection: Connection
  ) throws(SQLError) -> (row: ObjectRow, deletedAt: Timestamp?)? {
    try connection.rows(
      """
      SELECT id, blob, byte_count, sha256, created_at, deleted_at FROM objects WHERE account = ?1 AND id = ?2
      """, .id(account), .id(object)
    ) { (found) throws(SQLError) in (try row(found), try found.optionalTime(5)) }.first
  }

  private static func row(_ row: borrowing Statement) throws(SQLError) -> ObjectRow {
    ObjectRow(
      id: try row.id(0), blob: try row.id(1), byteCount: try row.number(2), sha256: try row.blob(3),
      createdAt: try row.time(4))
  }

  /// What an account has, and what is on its way to it.
  private static func held(_ account: UUID, _ connection: Connection) throws(SQLError) -> (count: Int, bytes: Int) {
    try connection.rows(
      """
      SELECT object_count + (SELECT count(*) FROM reservations WHERE account = ?1),
        byte_count + (SELECT coalesce(sum(byte_count), 0) FROM reservations WHERE account = ?1)
      FROM accounts WHERE id = ?1
      """, .id(account)
    ) { (row) throws(SQLError) in (try row.number(0), try row.number(1)) }.first ?? (Int.max, Int.max)
  }

  /// Numbers that are kept with the account, since counting them each time would cost the more the more there is.
  private static func count(
    _ account: UUID, objects: Int, bytes: Int, trash: Int, _ connection: Connection
  ) throws(SQLError) {
    try connection.run(
      """
      UPDATE accounts SET object_count = object_count + ?2, byte_count = byte_count + ?3,
        trash_byte_count = trash_byte_count + ?4 WHERE id = ?1
      """, .id(account), .number(objects), .number(bytes), .number(trash))
  }
}
