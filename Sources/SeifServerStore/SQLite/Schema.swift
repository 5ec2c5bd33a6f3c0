internal import SeifSQL

/// The tables of a server's database (docs/server-schema.md). Identifiers are 16 bytes, hashes 32, times milliseconds since
/// 1970.
enum Schema {
  /// `Seif`, in ASCII, and 1 for the server.
  static let applicationID: Int32 = 0x5365_6901

  static let migrator = Migrator(
    applicationID: applicationID,
    migrations: [
      Migration("accounts and vaults") { (connection) throws(SQLError) in
        try connection.execute(accounts)
        try connection.execute(signIn)
        try connection.execute(vaults)
      }
    ])

  private static let accounts: StaticString = """
    CREATE TABLE accounts (
      id BLOB PRIMARY KEY, name TEXT NOT NULL UNIQUE,
      password_memory INTEGER, password_passes INTEGER, password_lanes INTEGER, password_salt BLOB, password_hash BLOB,
      totp BLOB, totp_offered BLOB, totp_step INTEGER,
      is_disabled INTEGER NOT NULL, quota INTEGER NOT NULL, tells_usage INTEGER NOT NULL, created_at INTEGER NOT NULL,
      object_count INTEGER NOT NULL DEFAULT 0, byte_count INTEGER NOT NULL DEFAULT 0,
      trash_byte_count INTEGER NOT NULL DEFAULT 0
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE enrolments (
      account BLOB PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
      token_hash BLOB NOT NULL UNIQUE, ends_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE sessions (
      id_hash BLOB PRIMARY KEY, handle BLOB NOT NULL UNIQUE,
      account BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      created_at INTEGER NOT NULL, used_at INTEGER NOT NULL, fresh_at INTEGER NOT NULL, agent TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX sessions_of_account ON sessions (account);
    CREATE TABLE tokens (
      hash BLOB PRIMARY KEY, id BLOB NOT NULL UNIQUE,
      account BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      label TEXT NOT NULL, writes INTEGER NOT NULL, created_at INTEGER NOT NULL, used_at INTEGER NOT NULL, fresh_at INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX tokens_of_account ON tokens (account);
    """

  private static let signIn: StaticString = """
    CREATE TABLE passkeys (
      credential_id BLOB PRIMARY KEY, account BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      algorithm INTEGER NOT NULL, public_key BLOB NOT NULL, sign_count INTEGER NOT NULL, label TEXT NOT NULL,
      created_at INTEGER NOT NULL, used_at INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX passkeys_of_account ON passkeys (account);
    CREATE TABLE sign_in_codes (
      account BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE, hash BLOB NOT NULL, PRIMARY KEY (account, hash)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE device_grants (
      device_hash BLOB PRIMARY KEY, user_code TEXT NOT NULL UNIQUE, label TEXT NOT NULL, writes INTEGER NOT NULL,
      ends_at INTEGER NOT NULL, polled_at INTEGER, is_granted INTEGER,
      account BLOB REFERENCES accounts (id) ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE challenges (
      hash BLOB PRIMARY KEY, purpose TEXT NOT NULL, account BLOB REFERENCES accounts (id) ON DELETE CASCADE,
      ends_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE attempts (
      key BLOB PRIMARY KEY, began_at INTEGER NOT NULL, last_at INTEGER NOT NULL, count INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    """

  private static let vaults: StaticString = """
    CREATE TABLE manifests (
      account BLOB PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE, version INTEGER NOT NULL, blob BLOB NOT NULL
    ) STRICT;
    CREATE TABLE objects (
      account BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE, id BLOB NOT NULL, blob BLOB NOT NULL UNIQUE,
      byte_count INTEGER NOT NULL, sha256 BLOB NOT NULL, created_at INTEGER NOT NULL, deleted_at INTEGER,
      PRIMARY KEY (account, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX objects_deleted ON objects (account, deleted_at) WHERE deleted_at IS NOT NULL;
    CREATE TABLE reservations (
      id BLOB PRIMARY KEY, account BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE, object BLOB NOT NULL,
      byte_count INTEGER NOT NULL, made_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX reservations_of_account ON reservations (account);
    CREATE TABLE key_wraps (
      account BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE, id BLOB NOT NULL, kind TEXT NOT NULL,
      salt BLOB, iterations INTEGER, credential_id BLOB, wrapped_key BLOB NOT NULL, created_at INTEGER NOT NULL,
      deleted_at INTEGER, PRIMARY KEY (account, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE usage (
      account BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE, month TEXT NOT NULL, kind TEXT NOT NULL,
      count INTEGER NOT NULL, byte_count INTEGER NOT NULL, PRIMARY KEY (account, month, kind)
    ) STRICT, WITHOUT ROWID;
    """
}
