internal import SeifBytes
internal import SeifCrypto
public import SeifFormats
public import SeifRecords
internal import SeifSQL

extension Vault {
  /// Appends a line to the ledger of backups, chained to the one before.
  ///
  /// - Returns: the line with its sequence and the hash of the one before.
  /// - Throws: `damaged` if a line before it can't be read: a chain begun anew would hide that.
  @discardableResult
  public func appendToLedger(_ entry: LedgerEntry) throws(VaultError) -> LedgerEntry {
    try write { (rows) throws(VaultError) in try Self.append(entry, to: &rows) }
  }

  /// The same within a transaction.
  static func append(_ entry: LedgerEntry, to rows: inout RowWriter) throws(VaultError) -> LedgerEntry {
    var entry = entry
    if let last = try Self.ledgerRows(rows.connection, rows.keys).last {
      guard let (sequence, overflow) = last.entry?.sequence.addingReportingOverflow(1), !overflow else {
        throw VaultError(.damaged, "the ledger's last line")
      }
      entry.sequence = sequence
      entry.previous = last.json.withBytes { Digest.sha256($0) }
    } else {
      entry.sequence = 1
      entry.previous = LedgerCodec.zeros
    }
    let id = rows.makeID()
    let sealed = try rows.keys.sealer(.proofs).seal(
      LedgerCodec.encode(entry), row: id, column: "entry", revision: 1)
    try rows.insert(
      .proofs, id, [.blob(sealed), .blob(id.bytes), .integer(try rows.nextPosition(.proofs)), .integer(1)])
    return entry
  }

  /// The ledger of backups, oldest line first.
  ///
  /// - Throws: `damaged` for a line that doesn't open; `verify()` also checks the chain.
  public func ledger() throws(VaultError) -> [LedgerEntry] {
    try read { (connection, keys) throws(VaultError) in
      try Self.ledgerRows(connection, keys).map { (row) throws(VaultError) in
        guard let entry = row.entry else { throw VaultError(.damaged, "ledger") }
        return entry
      }
    }
  }

  /// The keyed digest of all records, 32 bytes, by which the ledger tells that two backups hold the same.
  public func contentDigest(of records: Records) throws(VaultError) -> [UInt8] {
    var writer = JSONWriter(capacity: 4096)
    writer.beginObject(opaque: records.opaque)
    for kind in RecordKind.allCases.sorted(by: { utf8Precedes($0.rawValue, $1.rawValue) })
    where writer.key(kind.rawValue, isDefault: false) {
      EntryEncoding.encode(kind, of: records, into: &writer)
    }
    writer.endObject()
    let key = try opened().keys.ledgerKey()
    let json = writer.finish()
    return key.withBytes { key in json.withBytes { HMAC.code(.sha256, key: key, message: $0) } }
  }

  /// The next place in this vault's chain of backups, stored before it is given, so that no two files have the same.
  public func nextBackupLink() throws(VaultError) -> BackupLink {
    try write { (rows) throws(VaultError) in
      var link = try Self.backupLink(rows.connection, rows.keys)
      let (sequence, overflow) = link.sequence.addingReportingOverflow(1)
      guard !overflow else { throw VaultError(.damaged, "sequence") }
      link.sequence = sequence
      try Self.store(link, &rows)
      return link
    }
  }

  /// Notes the SHA-256 of the complete file of the last link, before the file is uploaded: the next file names it.
  ///
  /// - Throws: `internalFailure` for another sequence than the last one given, or a digest of another length.
  public func recordBackup(sequence: Int64, sha256: [UInt8]) throws(VaultError) {
    try write { (rows) throws(VaultError) in
      var link = try Self.backupLink(rows.connection, rows.keys)
      guard link.sequence == sequence, sha256.count == 32 else { throw VaultError(.internalFailure, "sequence") }
      link.previous = sha256
      try Self.store(link, &rows)
    }
  }

  // MARK: - Parts

  /// Each line as stored, and what it says; nil where it can't be read.
  static func ledgerRows(
    _ connection: Connection, _ keys: VaultKeys
  ) throws(VaultError) -> [(json: SecretValue, entry: LedgerEntry?)] {
    let sealer = try keys.sealer(.proofs)
    let statement = try connection.statement(
      "SELECT id, revision, entry FROM proofs ORDER BY position")
    var rows: [(json: SecretValue, entry: LedgerEntry?)] = []
    while try statement.next() {
      let (id, revision) = try sql { () throws(SQLError) in (try statement.uuid(0), try statement.integer(1)) }
      let json = try statement.withBlob(2) { (sealed) throws(VaultError) in
        try sealer.open(sealed, row: id, column: "entry", revision: revision)
      }
      rows.append((json, LedgerCodec.decode(json)))
    }
    return rows
  }

  static func backupLink(_ connection: Connection, _ keys: VaultKeys) throws(VaultError) -> BackupLink {
    guard let row = try backupLinkRow(connection, keys) else {
      return BackupLink(vault: keys.vaultID, sequence: 0, previous: LedgerCodec.zeros)
    }
    return row.link
  }

  private static func backupLinkRow(
    _ connection: Connection, _ keys: VaultKeys
  ) throws(VaultError) -> (revision: Int64, link: BackupLink)? {
    let sealer = try keys.sealer(.backupLink)
    let statement = try connection.statement(
      "SELECT revision, content FROM backup_link WHERE id = ?1", binding: keys.vaultID)
    guard try statement.next() else { return nil }
    let revision = try sql { () throws(SQLError) in try statement.integer(0) }
    let json = try statement.withBlob(1) { (sealed) throws(VaultError) in
      try sealer.open(sealed, row: keys.vaultID, column: "content", revision: revision)
    }
    statement.reset()
    guard let root = try? JSONDocument(parsing: json, policy: .strict).root, let sequence = root["sequence"]?.int64,
      let previous = root["previous"]?.string.flatMap({ try? Base16.decode($0) }), previous.count == 32
    else { throw VaultError(.damaged, "backup_link") }
    return (revision, BackupLink(vault: keys.vaultID, sequence: sequence, previous: previous))
  }

  private static func store(_ link: BackupLink, _ rows: inout RowWriter) throws(VaultError) {
    let id = rows.keys.vaultID
    let old = try backupLinkRow(rows.connection, rows.keys)
    let revision = (old?.revision ?? 0) &+ 1
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("previous")
    writer.string(Base16.encode(link.previous))
    writer.key("sequence")
    writer.integer(link.sequence)
    writer.endObject()
    let sealed = try rows.keys.sealer(.backupLink).seal(
      writer.finish(), row: id, column: "content", revision: revision)
    let values: [SQLValue] = [.blob(sealed), .blob(id.bytes), .integer(revision)]
    if old == nil { try rows.insert(.backupLink, id, values) } else { try rows.update(.backupLink, id, values) }
  }
}
