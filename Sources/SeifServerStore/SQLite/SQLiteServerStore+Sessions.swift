package import SeifBytes
internal import SeifSQL

extension SQLiteServerStore: AccountStore {
  package func makeSession(_ row: SessionRow, password: PasswordHash?) throws(StoreFailure) -> Bool {
    try database.write { (connection) throws(SQLError) in
      let account = try Self.account(row.account, connection)
      guard let account, !account.isDisabled, account.password == password else { return false }
      try connection.run(
        """
        INSERT INTO sessions (id_hash, handle, account, created_at, used_at, fresh_at, agent)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
        """, .blob(row.idHash), .id(row.handle), .id(row.account), .time(row.createdAt), .time(row.usedAt),
        .time(row.freshAt), .text(row.agent))
      return true
    }
  }

  package func session(idHash: [UInt8]) throws(StoreFailure) -> SessionRow? {
    try database.read { (connection) throws(SQLError) in
      try connection.rows("SELECT * FROM sessions WHERE id_hash = ?1", .blob(idHash), read: Self.session).first
    }
  }

  package func touchSession(idHash: [UInt8], at now: Timestamp) throws(StoreFailure) {
    try database.write { (connection) throws(SQLError) in
      _ = try connection.run(
        "UPDATE sessions SET used_at = max(used_at, ?2) WHERE id_hash = ?1", .blob(idHash), .time(now))
    }
  }

  package func freshenSession(idHash: [UInt8], at now: Timestamp) throws(StoreFailure) {
    try database.write { (connection) throws(SQLError) in
      _ = try connection.run("UPDATE sessions SET fresh_at = ?2 WHERE id_hash = ?1", .blob(idHash), .time(now))
    }
  }

  package func sessions(_ account: UUID) throws(StoreFailure) -> [SessionRow] {
    try database.read { (connection) throws(SQLError) in
      try connection.rows(
        "SELECT * FROM sessions WHERE account = ?1 ORDER BY created_at, handle", .id(account), read: Self.session)
    }
  }

  package func endSession(_ account: UUID, handle: UUID) throws(StoreFailure) -> Bool {
    try database.write { (connection) throws(SQLError) in
      try connection.run("DELETE FROM sessions WHERE account = ?1 AND handle = ?2", .id(account), .id(handle)) > 0
    }
  }

  package func endSession(idHash: [UInt8]) throws(StoreFailure) {
    try database.write { (connection) throws(SQLError) in
      _ = try connection.run("DELETE FROM sessions WHERE id_hash = ?1", .blob(idHash))
    }
  }

  package func endSessions(_ account: UUID, but idHash: [UInt8]?) throws(StoreFailure) {
    try database.write { (connection) throws(SQLError) in
      _ = try connection.run(
        "DELETE FROM sessions WHERE account = ?1 AND id_hash IS NOT ?2", .id(account), .bytes(idHash))
    }
  }

  // MARK: - Tokens

  package func makeToken(_ row: TokenRow, limit: Int) throws(StoreFailure) -> Bool {
    try database.write { (connection) throws(SQLError) in
      guard try connection.count("SELECT count(*) FROM tokens WHERE account = ?1", .id(row.account)) < limit else {
        return false
      }
      try connection.run(
        """
        INSERT INTO tokens (hash, id, account, label, writes, created_at, used_at, fresh_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
        """, .blob(row.hash), .id(row.id), .id(row.account), .text(row.label), .flag(row.writes),
        .time(row.createdAt), .time(row.usedAt), .time(row.freshAt))
      return true
    }
  }

  package func token(hash: [UInt8]) throws(StoreFailure) -> TokenRow? {
    try database.read { (connection) throws(SQLError) in
      try connection.rows("SELECT * FROM tokens WHERE hash = ?1", .blob(hash), read: Self.token).first
    }
  }

  package func touchToken(hash: [UInt8], at now: Timestamp) throws(StoreFailure) {
    try database.write { (connection) throws(SQLError) in
      _ = try connection.run("UPDATE tokens SET used_at = max(used_at, ?2) WHERE hash = ?1", .blob(hash), .time(now))
    }
  }

  package func freshenToken(hash: [UInt8], at now: Timestamp) throws(StoreFailure) {
    try database.write { (connection) throws(SQLError) in
      _ = try connection.run("UPDATE tokens SET fresh_at = ?2 WHERE hash = ?1", .blob(hash), .time(now))
    }
  }

  package func tokens(_ account: UUID) throws(StoreFailure) -> [TokenRow] {
    try database.read { (connection) throws(SQLError) in
      try connection.rows(
        "SELECT * FROM tokens WHERE account = ?1 ORDER BY created_at, id", .id(account), read: Self.token)
    }
  }

  package func removeToken(_ account: UUID, id: UUID) throws(StoreFailure) -> Bool {
    try database.write { (connection) throws(SQLError) in
      try connection.run("DELETE FROM tokens WHERE account = ?1 AND id = ?2", .id(account), .id(id)) > 0
    }
  }

  // MARK: - Short-lived

  package func makeDeviceGrant(_ row: DeviceGrantRow, limit: Int) throws(StoreFailure) -> Bool {
    try database.write { (connection) throws(SQLError) in
      let waiting =
        try connection.rows("SELECT count(*) FROM device_grants") { (row) throws(SQLError) in
          try row.number(0)
        }.first ?? 0
      let taken = try connection.count("SELECT count(*) FROM device_grants WHERE user_code = ?1", .text(row.userCode))
      guard waiting < limit, taken == 0 else { return false }
      try connection.run(
        "INSERT INTO device_grants (device_hash, user_code, label, writes, ends_at) VALUES (?1, ?2, ?3, ?4, ?5)",
        .blob(row.deviceHash), .text(row.userCode), .text(row.label), .flag(row.writes), .time(row.endsAt))
      return true
    }
  }

  package func deviceGrant(userCode: String) throws(StoreFailure) -> DeviceGrantRow? {
    try database.read { (connection) throws(SQLError) in
      try connection.rows("SELECT * FROM device_grants WHERE user_code = ?1", .text(userCode), read: Self.grant).first
    }
  }

  package func deviceGrant(deviceHash: [UInt8]) throws(StoreFailure) -> DeviceGrantRow? {
    try database.read { (connection) throws(SQLError) in
      try connection.rows("SELECT * FROM device_grants WHERE device_hash = ?1", .blob(deviceHash), read: Self.grant)
        .first
    }
  }

  package func decideDeviceGrant(
    userCode: String, _ decision: DeviceDecision, at now: Timestamp
  ) throws(StoreFailure) -> Bool {
    var account: UUID?
    if case .granted(let id) = decision { account = id }
    return try database.write { [account] (connection) throws(SQLError) in
      try connection.run(
        """
        UPDATE device_grants SET is_granted = ?2, account = ?3
        WHERE user_code = ?1 AND is_granted IS NULL AND ends_at > ?4
        """, .text(userCode), .flag(account != nil), .id(account), .time(now)) > 0
    }
  }

  package func pollDeviceGrant(deviceHash: [UInt8], at now: Timestamp) throws(StoreFailure) -> Timestamp? {
    try database.write { (connection) throws(SQLError) in
      let before =
        try connection.rows("SELECT polled_at FROM device_grants WHERE device_hash = ?1", .blob(deviceHash)) {
          (row) throws(SQLError) in try row.optionalTime(0)
        }.first ?? nil
      try connection.run(
        "UPDATE device_grants SET polled_at = ?2 WHERE device_hash = ?1", .blob(deviceHash), .time(now))
      return before
    }
  }

  package func removeDeviceGrant(deviceHash: [UInt8]) throws(StoreFailure) -> Bool {
    try database.write { (connection) throws(SQLError) in
      try connection.run("DELETE FROM device_grants WHERE device_hash = ?1", .blob(deviceHash)) > 0
    }
  }

  package func makeChallenge(_ row: ChallengeRow, limit: Int) throws(StoreFailure) -> Bool {
    try database.write { (connection) throws(SQLError) in
      let waiting =
        try connection.rows("SELECT count(*) FROM challenges") { (row) throws(SQLError) in
          try row.number(0)
        }.first ?? 0
      guard waiting < limit else { return false }
      try connection.run(
        "INSERT INTO challenges (hash, purpose, account, ends_at) VALUES (?1, ?2, ?3, ?4)", .blob(row.hash),
        .text(row.purpose.rawValue), .id(row.account), .time(row.endsAt))
      return true
    }
  }

  package func useChallenge(hash: [UInt8]) throws(StoreFailure) -> ChallengeRow? {
    try database.write { (connection) throws(SQLError) in
      let found =
        try connection.rows("SELECT * FROM challenges WHERE hash = ?1", .blob(hash)) {
          (row) throws(SQLError) -> ChallengeRow? in
          guard let purpose = ChallengeRow.Purpose(rawValue: try row.text(1)) else { return nil }
          return ChallengeRow(
            hash: try row.blob(0), purpose: purpose, account: try row.optionalID(2), endsAt: try row.time(3))
        }.first ?? nil
      try connection.run("DELETE FROM challenges WHERE hash = ?1", .blob(hash))
      return found
    }
  }

  package func count(
    attempts keys: [[UInt8]], seconds: Int, at now: Timestamp
  ) throws(StoreFailure) -> [(count: Int, before: Timestamp?)] {
    let start = Timestamp(milliseconds: now.milliseconds - Int64(seconds) * 1000)
    return try database.write { (connection) throws(SQLError) in
      var counts: [(Int, Timestamp?)] = []
      for key in keys {
        let found = try connection.rows(
          "SELECT count, last_at FROM attempts WHERE key = ?1 AND began_at > ?2", .blob(key), .time(start)
        ) { (row) throws(SQLError) in (count: try row.number(0), at: try row.time(1)) }.first
        if let found {
          try connection.run(
            "UPDATE attempts SET count = count + 1, last_at = ?2 WHERE key = ?1", .blob(key), .time(now))
          counts.append((found.count + 1, found.at))
        } else {
          try connection.run(
            "INSERT OR REPLACE INTO attempts (key, began_at, last_at, count) VALUES (?1, ?2, ?2, 1)", .blob(key),
            .time(now))
          counts.append((1, nil))
        }
      }
      return counts
    }
  }

  package func forget(attempts key: [UInt8]) throws(StoreFailure) {
    try database.write { (connection) throws(SQLError) in
      _ = try connection.run("DELETE FROM attempts WHERE key = ?1", .blob(key))
    }
  }

  package func sweepAccounts(_ limits: AccountSweep) throws(StoreFailure) {
    try database.write { (connection) throws(SQLError) in
      try connection.run(
        "DELETE FROM sessions WHERE used_at < ?1 OR created_at < ?2", .time(limits.sessionUse),
        .time(limits.sessionMade))
      try connection.run("DELETE FROM tokens WHERE used_at < ?1", .time(limits.tokenUse))
      try connection.run("DELETE FROM enrolments WHERE ends_at <= ?1", .time(limits.now))
      try connection.run("DELETE FROM device_grants WHERE ends_at <= ?1", .time(limits.now))
      try connection.run("DELETE FROM challenges WHERE ends_at <= ?1", .time(limits.now))
      // No window is longer than a day.
      try connection.run(
        "DELETE FROM attempts WHERE last_at < ?1",
        .time(Timestamp(milliseconds: limits.now.milliseconds - 86_400_000)))
    }
  }

  // MARK: - Rows

  private static func session(_ row: borrowing Statement) throws(SQLError) -> SessionRow {
    SessionRow(
      idHash: try row.blob(0), handle: try row.id(1), account: try row.id(2), createdAt: try row.time(3),
      usedAt: try row.time(4), freshAt: try row.time(5), agent: try row.text(6))
  }

  private static func token(_ row: borrowing Statement) throws(SQLError) -> TokenRow {
    TokenRow(
      id: try row.id(1), hash: try row.blob(0), account: try row.id(2), label: try row.text(3),
      writes: try row.flag(4), createdAt: try row.time(5), usedAt: try row.time(6),
      freshAt: try row.optionalTime(7))
  }

  private static func grant(_ row: borrowing Statement) throws(SQLError) -> DeviceGrantRow {
    var decision: DeviceDecision?
    if let isGranted = try row.optionalFlag(6) {
      let account = try row.optionalID(7)
      decision = isGranted ? account.map { .granted($0) } ?? .denied : .denied
    }
    return DeviceGrantRow(
      deviceHash: try row.blob(0), userCode: try row.text(1), label: try row.text(2), writes: try row.flag(3),
      endsAt: try row.time(4), polledAt: try row.optionalTime(5), decision: decision)
  }
}
