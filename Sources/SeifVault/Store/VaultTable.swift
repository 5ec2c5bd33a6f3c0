internal import SeifBytes
internal import SeifSQL

/// A table whose rows the accumulator covers: its columns in the order of their names, and its statements.
package struct VaultTable: Sendable {
  package let name: String
  package let columns: [String]
  let insert: StaticString
  let update: StaticString
  let delete: StaticString
  let selectOne: StaticString
  let selectAll: StaticString
  /// What the digest of a row begins with: lp(name) and the length of an identifier's text.
  let digestStart: [UInt8]
  /// lp(name) of each column, in their order.
  let digestNames: [[UInt8]]
  /// The place of `id` among the columns.
  let idIndex: Int
  /// The highest position, where rows have one.
  let lastPosition: StaticString?

  package init(
    name: String, columns: [String], insert: StaticString, update: StaticString, delete: StaticString,
    selectOne: StaticString, selectAll: StaticString, lastPosition: StaticString?
  ) {
    self.name = name
    self.columns = columns
    // Made once: an import makes the digests of three hundred thousand rows.
    func prefixed(_ name: String) -> [UInt8] {
      [0, 0, 0, UInt8(clamping: name.utf8.count)] + Array(name.utf8)
    }
    digestStart = prefixed(name) + [0, 0, 0, UInt8(UUID.characterCount)]
    digestNames = columns.map(prefixed)
    idIndex = columns.firstIndex(of: "id") ?? 0
    self.insert = insert
    self.update = update
    self.delete = delete
    self.selectOne = selectOne
    self.selectAll = selectAll
    self.lastPosition = lastPosition
  }

  /// The place of a column in a row; our own names, so one that is missing is our mistake.
  func index(of column: String) -> Int {
    guard let index = columns.firstIndex(of: column) else { fatalError("internal error: no column \(column)") }
    return index
  }
}

/// A version of the schema: the statements that lead to it and the tables that it has.
package struct VaultSchemaVersion: Sendable {
  package let step: String
  package let statements: [StaticString]
  package let tables: [VaultTable]
  /// Name and text of everything that the file's schema must hold, and nothing else.
  package let definitions: [String: String]

  package init(step: String, statements: [StaticString], tables: [VaultTable], definitions: [String: String]) {
    self.step = step
    self.statements = statements
    self.tables = tables
    self.definitions = definitions
  }
}

/// All versions of the schema, oldest first.
package struct VaultSchema: Sendable {
  package let versions: [VaultSchemaVersion]

  package init(versions: [VaultSchemaVersion]) {
    self.versions = versions
  }

  /// `Seif` in ASCII.
  package static let applicationID: Int32 = 0x5365_6966

  /// What this program writes.
  package static let current = VaultSchema(versions: [.first])

  var version: Int32 { Int32(clamping: versions.count) }

  /// The version of an open file that this schema can start from.
  ///
  /// - Throws: `newerVersion`; `notAVault` for another program's file, and for one whose tables, views or triggers
  ///   aren't exactly those of its version: a trigger would run with our key at hand.
  func check(_ connection: Connection) throws(VaultError) -> VaultSchemaVersion {
    do throws(SQLError) {
      let found = try migrator(applying: nil).check(connection)
      guard found > 0 else { throw SQLError(.foreignSchema, message: "no tables") }
      let version = versions[Int(found) - 1]
      let entries = try connection.schema()
      guard entries.count == version.definitions.count,
        entries.allSatisfy({ entry in entry.sql != nil && version.definitions[entry.name] == entry.sql })
      else { throw SQLError(.foreignSchema, message: "other tables than those of version \(found)") }
      return version
    } catch {
      throw VaultError(error)
    }
  }

  /// The steps; `keys` keep the accumulator right through them, nil where a new file has none yet.
  func migrator(applying keys: MigrationKeys?) -> Migrator {
    Migrator(
      applicationID: Self.applicationID,
      migrations: versions.enumerated().map { index, version in
        let before = index > 0 ? versions[index - 1].tables : []
        return Migration(version.step) { (connection) throws(SQLError) in
          let change = try keys.map { (keys) throws(SQLError) in try keys.sum(of: before, in: connection) }
          for statement in version.statements { try connection.execute(statement) }
          guard let keys, let change else { return }
          try keys.adjust(from: change, to: try keys.sum(of: version.tables, in: connection), in: connection)
        }
      })
  }
}

extension VaultSchemaVersion {
  static let firstStatements: [(name: String, sql: StaticString)] = [
    (
      "accumulator",
      """
      CREATE TABLE accumulator (
        id BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
        state BLOB NOT NULL
      ) STRICT
      """
    ),
    (
      "vault",
      """
      CREATE TABLE vault (
        id BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
        revision INTEGER NOT NULL CHECK (revision > 0),
        generation INTEGER NOT NULL CHECK (generation > 0),
        created_at INTEGER NOT NULL
      ) STRICT
      """
    ),
    (
      "way_in",
      """
      CREATE TABLE way_in (
        position INTEGER PRIMARY KEY NOT NULL,
        id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
        revision INTEGER NOT NULL CHECK (revision > 0),
        kind TEXT NOT NULL,
        generation INTEGER NOT NULL CHECK (generation > 0),
        parameters TEXT NOT NULL,
        wrapped_key BLOB NOT NULL
      ) STRICT
      """
    ),
    (
      "item",
      """
      CREATE TABLE item (
        position INTEGER PRIMARY KEY NOT NULL,
        id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
        revision INTEGER NOT NULL CHECK (revision > 0),
        detail BLOB NOT NULL
      ) STRICT
      """
    ),
    (
      "item_summary",
      """
      CREATE TABLE item_summary (
        position INTEGER PRIMARY KEY NOT NULL,
        id BLOB NOT NULL CHECK (length(id) = 16),
        revision INTEGER NOT NULL CHECK (revision > 0),
        summary BLOB NOT NULL
      ) STRICT
      """
    ),
    (
      "secret",
      """
      CREATE TABLE secret (
        position INTEGER PRIMARY KEY NOT NULL,
        id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
        revision INTEGER NOT NULL CHECK (revision > 0),
        value BLOB NOT NULL
      ) STRICT
      """
    ),
    (
      "bin",
      """
      CREATE TABLE bin (
        position INTEGER PRIMARY KEY NOT NULL,
        id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
        revision INTEGER NOT NULL CHECK (revision > 0),
        detail BLOB NOT NULL,
        removed_at BLOB NOT NULL
      ) STRICT
      """
    ),
    (
      "tombstone",
      """
      CREATE TABLE tombstone (
        position INTEGER PRIMARY KEY NOT NULL,
        id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
        revision INTEGER NOT NULL CHECK (revision > 0),
        removed_at BLOB NOT NULL
      ) STRICT
      """
    ),
    (
      "unusable",
      """
      CREATE TABLE unusable (
        position INTEGER PRIMARY KEY NOT NULL,
        id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
        revision INTEGER NOT NULL CHECK (revision > 0),
        kind BLOB NOT NULL,
        content BLOB NOT NULL
      ) STRICT
      """
    ),
    (
      "opaque_member",
      """
      CREATE TABLE opaque_member (
        position INTEGER PRIMARY KEY NOT NULL,
        id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
        revision INTEGER NOT NULL CHECK (revision > 0),
        name BLOB NOT NULL,
        content BLOB NOT NULL
      ) STRICT
      """
    ),
    (
      "set_aside",
      """
      CREATE TABLE set_aside (
        position INTEGER PRIMARY KEY NOT NULL,
        id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
        revision INTEGER NOT NULL CHECK (revision > 0),
        content BLOB NOT NULL
      ) STRICT
      """
    ),
    (
      "undo",
      """
      CREATE TABLE undo (
        position INTEGER PRIMARY KEY NOT NULL,
        id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
        revision INTEGER NOT NULL CHECK (revision > 0),
        step INTEGER NOT NULL,
        content BLOB NOT NULL
      ) STRICT
      """
    ),
    (
      "proofs",
      """
      CREATE TABLE proofs (
        position INTEGER PRIMARY KEY NOT NULL,
        id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
        revision INTEGER NOT NULL CHECK (revision > 0),
        entry BLOB NOT NULL
      ) STRICT
      """
    ),
    (
      "backup_link",
      """
      CREATE TABLE backup_link (
        id BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
        revision INTEGER NOT NULL CHECK (revision > 0),
        content BLOB NOT NULL
      ) STRICT
      """
    ),
  ]

  /// Version 1.
  package static let first = VaultSchemaVersion(
    step: "first version", statements: firstStatements.map(\.sql),
    tables: [
      .vault, .wayIn, .item, .itemSummary, .secret, .bin, .tombstone, .unusable, .opaqueMember, .setAside, .undo,
      .proofs, .backupLink,
    ],
    definitions: Dictionary(uniqueKeysWithValues: firstStatements.map { ($0.name, "\($0.sql)") }))
}
