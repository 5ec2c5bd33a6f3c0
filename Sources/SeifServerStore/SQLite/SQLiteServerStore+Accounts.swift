package import SeifBytes
internal import SeifSQL

// Rows are read whole: columns are only ever added behind the others.
extension SQLiteServerStore {
  package func makeAccount(_ account: AccountRow, enrolment: EnrolmentRow) throws(StoreFailure) -> Bool {
    try database.write { (connection) throws(SQLError) in
      let taken = try connection.rows(
        "SELECT * FROM accounts WHERE name = ?1 OR id = ?2", .text(account.name.lowercased()), .id(account.id),
        read: Self.account)
      guard taken.isEmpty else { return false }
      try connection.run(
        "INSERT INTO accounts (id, name, is_disabled, quota, tells_usage, created_at) VALUES (?1, ?2, 0, 0, 0, ?3)",
        .id(account.id), .text(account.name.lowercased()), .time(account.createdAt))
      try Self.update(account, connection)
      try Self.put(enrolment, connection)
      return true
    }
  }

  package func account(_ id: UUID) throws(StoreFailure) -> AccountRow? {
    try database.read { (connection) throws(SQLError) in try Self.account(id, connection) }
  }

  package func account(named name: String) throws(StoreFailure) -> AccountRow? {
    try database.read { (connection) throws(SQLError) in
      try connection.rows("SELECT * FROM accounts WHERE name = ?1", .text(name.lowercased()), read: Self.account).first
    }
  }

  package func accounts(after: String?, limit: Int) throws(StoreFailure) -> [AccountRow] {
    try database.read { (connection) throws(SQLError) in
      try connection.rows(
        "SELECT * FROM accounts WHERE name > ?1 ORDER BY name LIMIT ?2", .text(after ?? ""), .number(max(0, limit)),
        read: Self.account)
    }
  }

  package func updateAccount(
    _ id: UUID, _ change: @Sendable (inout AccountRow) -> Void
  ) throws(StoreFailure) -> AccountRow? {
    try database.write { (connection) throws(SQLError) in
      guard var account = try Self.account(id, connection) else { return nil }
      change(&account)
      account.id = id
      try Self.update(account, connection)
      return account
    }
  }

  package func setPassword(
    _ id: UUID, _ password: PasswordHash, keeping idHash: [UInt8]?
  ) throws(StoreFailure) -> Bool {
    try database.write { (connection) throws(SQLError) in
      guard var account = try Self.account(id, connection) else { return false }
      account.password = password
      try Self.update(account, connection)
      try connection.run(
        "DELETE FROM sessions WHERE account = ?1 AND id_hash IS NOT ?2", .id(id), .bytes(idHash))
      return true
    }
  }

  package func removeAccount(_ id: UUID) throws(StoreFailure) -> Bool {
    try database.write { (connection) throws(SQLError) in
      try connection.run("DELETE FROM accounts WHERE id = ?1", .id(id)) > 0
    }
  }

  package func putEnrolment(_ row: EnrolmentRow) throws(StoreFailure) {
    try database.write { (connection) throws(SQLError) in try Self.put(row, connection) }
  }

  package func enrolment(tokenHash: [UInt8], at now: Timestamp) throws(StoreFailure) -> AccountRow? {
    try database.read { (connection) throws(SQLError) in
      guard let account = try Self.enrolled(tokenHash, now, connection), !account.isDisabled else { return nil }
      return account
    }
  }

  package func useEnrolment(
    tokenHash: [UInt8], password: PasswordHash, at now: Timestamp
  ) throws(StoreFailure) -> AccountRow? {
    try database.write { (connection) throws(SQLError) in
      guard var account = try Self.enrolled(tokenHash, now, connection), !account.isDisabled else { return nil }
      try connection.run("DELETE FROM enrolments WHERE account = ?1", .id(account.id))
      try connection.run("DELETE FROM sessions WHERE account = ?1", .id(account.id))
      account.password = password
      try Self.update(account, connection)
      return account
    }
  }

  // MARK: - Second factors

  package func passkeys(_ account: UUID) throws(StoreFailure) -> [PasskeyRow] {
    try database.read { (connection) throws(SQLError) in
      try connection.rows(
        "SELECT * FROM passkeys WHERE account = ?1 ORDER BY created_at, credential_id", .id(account),
        read: Self.passkey)
    }
  }

  package func passkey(credentialID: [UInt8]) throws(StoreFailure) -> PasskeyRow? {
    try database.read { (connection) throws(SQLError) in
      try connection.rows("SELECT * FROM passkeys WHERE credential_id = ?1", .blob(credentialID), read: Self.passkey)
        .first
    }
  }

  package func addPasskey(_ row: PasskeyRow, limit: Int) throws(StoreFailure) -> Bool {
    try database.write { (connection) throws(SQLError) in
      let count = try connection.count("SELECT count(*) FROM passkeys WHERE account = ?1", .id(row.account))
      let known = try connection.count(
        "SELECT count(*) FROM passkeys WHERE credential_id = ?1", .blob(row.credentialID))
      guard count < limit, known == 0 else { return false }
      try connection.run(
        """
        INSERT INTO passkeys (credential_id, account, algorithm, public_key, sign_count, label, created_at, used_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
        """, .blob(row.credentialID), .id(row.account), .number(row.algorithm), .blob(row.publicKey),
        .number(Int(row.signCount)), .text(row.label), .time(row.createdAt), .time(row.usedAt))
      return true
    }
  }

  package func usePasskey(credentialID: [UInt8], signCount: UInt32, at now: Timestamp) throws(StoreFailure) -> Bool {
    try database.write { (connection) throws(SQLError) in
      // Neither counts where both are zero; else it must have grown.
      try connection.run(
        """
        UPDATE passkeys SET sign_count = ?2, used_at = ?3
        WHERE credential_id = ?1 AND (sign_count < ?2 OR (sign_count = 0 AND ?2 = 0))
        """, .blob(credentialID), .number(Int(signCount)), .time(now)) > 0
    }
  }

  package func removePasskey(_ account: UUID, credentialID: [UInt8]) throws(StoreFailure) -> Bool {
    try database.write { (connection) throws(SQLError) in
      try connection.run(
        "DELETE FROM passkeys WHERE account = ?1 AND credential_id = ?2", .id(account), .blob(credentialID)) > 0
    }
  }

  package func useTOTPStep(_ account: UUID, step: Int64) throws(StoreFailure) -> Bool {
    try database.write { (connection) throws(SQLError) in
      try connection.run(
        "UPDATE accounts SET totp_step = ?2 WHERE id = ?1 AND (totp_step IS NULL OR totp_step < ?2)", .id(account),
        .integer(step)) > 0
    }
  }

  package func setSignInCodes(_ account: UUID, hashes: [[UInt8]]) throws(StoreFailure) {
    try database.write { (connection) throws(SQLError) in
      try connection.run("DELETE FROM sign_in_codes WHERE account = ?1", .id(account))
      for hash in hashes {
        try connection.run("INSERT INTO sign_in_codes (account, hash) VALUES (?1, ?2)", .id(account), .blob(hash))
      }
    }
  }

  package func signInCodeCount(_ account: UUID) throws(StoreFailure) -> Int {
    try database.read { (connection) throws(SQLError) in
      try connection.count("SELECT count(*) FROM sign_in_codes WHERE account = ?1", .id(account))
    }
  }

  package func useSignInCode(_ account: UUID, hash: [UInt8]) throws(StoreFailure) -> Bool {
    try database.write { (connection) throws(SQLError) in
      try connection.run("DELETE FROM sign_in_codes WHERE account = ?1 AND hash = ?2", .id(account), .blob(hash)) > 0
    }
  }

  // MARK: - Rows

  private static func enrolled(
    _ tokenHash: [UInt8], _ now: Timestamp, _ connection: Connection
  ) throws(SQLError) -> AccountRow? {
    let found = try connection.rows(
      "SELECT account FROM enrolments WHERE token_hash = ?1 AND ends_at > ?2", .blob(tokenHash), .time(now)
    ) { (row) throws(SQLError) in try row.id(0) }.first
    return try found.flatMap { (id) throws(SQLError) in try account(id, connection) }
  }

  static func account(_ id: UUID, _ connection: Connection) throws(SQLError) -> AccountRow? {
    try connection.rows("SELECT * FROM accounts WHERE id = ?1", .id(id), read: account).first
  }

  private static func account(_ row: borrowing Statement) throws(SQLError) -> AccountRow {
    var password: PasswordHash?
    if try !row.isNull(6) {
      password = PasswordHash(
        memoryKiB: try row.number(2), passes: try row.number(3), lanes: try row.number(4), salt: try row.blob(5),
        hash: try row.blob(6))
    }
    return AccountRow(
      id: try row.id(0), name: try row.text(1), password: password, totp: try row.optionalBlob(7),
      totpOffered: try row.optionalBlob(8), isDisabled: try row.flag(10), quota: try row.number(11),
      tellsUsage: try row.flag(12), createdAt: try row.time(13))
  }

  private static func update(_ account: AccountRow, _ connection: Connection) throws(SQLError) {
    let password = account.password
    try connection.run(
      """
      UPDATE accounts SET password_memory = ?2, password_passes = ?3, password_lanes = ?4, password_salt = ?5,
        password_hash = ?6, totp = ?7, totp_offered = ?8, is_disabled = ?9, quota = ?10, tells_usage = ?11,
        totp_step = CASE WHEN totp IS ?7 THEN totp_step ELSE NULL END
      WHERE id = ?1
      """, .id(account.id), .number(password?.memoryKiB), .number(password?.passes), .number(password?.lanes),
      .bytes(password?.salt), .bytes(password?.hash), .bytes(account.totp), .bytes(account.totpOffered),
      .flag(account.isDisabled), .number(account.quota), .flag(account.tellsUsage))
  }

  private static func put(_ row: EnrolmentRow, _ connection: Connection) throws(SQLError) {
    try connection.run(
      "INSERT OR REPLACE INTO enrolments (account, token_hash, ends_at) VALUES (?1, ?2, ?3)", .id(row.account),
      .blob(row.tokenHash), .time(row.endsAt))
  }

  private static func passkey(_ row: borrowing Statement) throws(SQLError) -> PasskeyRow {
    PasskeyRow(
      account: try row.id(1), credentialID: try row.blob(0), algorithm: try row.number(2), publicKey: try row.blob(3),
      signCount: UInt32(clamping: try row.integer(4)), label: try row.text(5), createdAt: try row.time(6),
      usedAt: try row.optionalTime(7))
  }
}

extension Connection {
  /// The one number that a statement gives.
  func count(_ sql: StaticString, _ value: SQLValue) throws(SQLError) -> Int {
    try rows(sql, value) { (row) throws(SQLError) in try row.number(0) }.first ?? 0
  }
}
