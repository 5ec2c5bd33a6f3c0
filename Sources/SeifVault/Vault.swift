public import SeifBytes
internal import SeifCrypto
internal import SeifSQL

/// An unlocked vault.
///
/// Not `Sendable`: one task or actor owns it. Several processes may have one vault open: each write waits for its turn,
/// for up to five seconds.
public final class Vault {
  /// Identifier of the vault.
  public let id: UUID
  /// Where it stands.
  public let location: VaultLocation
  /// How it was opened.
  public private(set) var access: VaultAccess
  /// What unlocking found: contents that aren't as last written (looked at up to 10,000 rows), an older copy.
  public internal(set) var openingFaults: [VaultFault] = []
  /// What the last `entries()`, `summaries()`, `records()` or `bin()` had to leave out, since it doesn't open.
  public internal(set) var damage: [VaultFault] = []
  /// Whether the highest counter could be kept in the state folder; if not, an older copy may go unnoticed.
  public internal(set) var keepsCounter = true
  /// The way in that opened it; nil for a vault just made, and for a way in that is only proven.
  public internal(set) var openedBy: UUID?

  let schema: VaultSchema
  let random: RandomSource
  let clock: @Sendable () -> Timestamp
  /// The time as the vault writes it down.
  package var now: Timestamp { clock().wholeSeconds }
  let mark: CounterMark
  private var connection: Connection?
  private var keys: VaultKeys?

  /// Rows up to which unlocking checks all contents.
  static let checkedRowCount: UInt64 = 10_000
  /// Days that a removed entry stays in the bin.
  static let binDays: Int64 = 30
  /// Previous passwords that a login keeps.
  public static let historyCount = 10

  init(
    connection: Connection, keys: VaultKeys, location: VaultLocation, access: VaultAccess, schema: VaultSchema,
    random: RandomSource, clock: @escaping @Sendable () -> Timestamp
  ) {
    self.connection = connection
    self.keys = keys
    self.id = keys.vaultID
    self.location = location
    self.access = access
    self.schema = schema
    self.random = random
    self.clock = clock
    mark = CounterMark(folder: location.stateFolder, vaultID: keys.vaultID)
  }

  deinit { lock() }

  /// Whether the keys are gone.
  public var isLocked: Bool { keys == nil }

  /// Wipes the keys, empties the log and closes the file; every later call fails with `locked`.
  public func lock() { close(emptyingLog: access == .readWrite) }

  /// - Parameter emptyingLog: not for a file that another has taken the place of.
  func close(emptyingLog: Bool) {
    keys = nil
    guard let connection else { return }
    self.connection = nil
    // Another process may still need the log: then it is the one that empties it.
    if emptyingLog { try? connection.checkpoint(truncate: true) }
    try? connection.close()
  }

  /// Goes over from reading to writing with the same keys, once all questions are answered: a program that is interrupted at
  /// one leaves no log beside the file.
  ///
  /// - Throws: `changedMeanwhile` if it was rotated since; what opening throws.
  public func openForWriting() throws(VaultError) {
    guard access == .readOnly else { return }
    let (reader, keys) = try opened()
    let writer = try Connection.vault(location, .readWrite)
    guard try schema.check(writer).step == schema.versions.last?.step,
      (try? keys.accumulator.read(from: writer)) != nil
    else { throw VaultError(.changedMeanwhile) }
    try sql(reader.close)
    connection = writer
    access = .readWrite
    try checkOnOpening()
  }

  /// The file and the keys, or `locked`.
  func opened() throws(VaultError) -> (connection: Connection, keys: VaultKeys) {
    guard let connection, let keys else { throw VaultError(.locked) }
    return (connection, keys)
  }

  /// Tables of the present schema.
  var tables: [VaultTable] { schema.versions.last?.tables ?? [] }

  /// How many changes the vault has seen.
  public func counter() throws(VaultError) -> Int64 {
    let (connection, keys) = try opened()
    return Int64(clamping: try keys.accumulator.read(from: connection).counter)
  }

  // MARK: - Transactions

  /// Runs `body` as one whole, with the accumulator, and keeps the new counter afterwards.
  func write<Result>(_ body: (inout RowWriter) throws(VaultError) -> Result) throws(VaultError) -> Result {
    let (connection, keys) = try opened()
    guard access == .readWrite else { throw VaultError(.readOnly, "opened for reading") }
    var counter: UInt64 = 0
    let result = try connection.transaction(.immediate) { () throws(VaultError) -> Result in
      do throws(SQLError) {
        // Another file may have taken the name (a rotation, a restore): writing to the old one would lose the change.
        guard try !connection.fileHasMoved() else { throw SQLError(.cantOpen, message: "the file was replaced") }
        guard try connection.userVersion() == schema.version else { throw SQLError(.newerSchema) }
      } catch {
        throw VaultError(error)
      }
      var writer = RowWriter(
        connection: connection, keys: keys, random: random, now: clock(),
        state: try keys.accumulator.read(from: connection))
      let result = try body(&writer)
      try writer.finish()
      counter = writer.state.counter
      return result
    }
    keepsCounter = mark.raise(to: counter)
    return result
  }

  /// Runs `body` on one state of the file.
  func read<Result>(_ body: (Connection, VaultKeys) throws(VaultError) -> Result) throws(VaultError) -> Result {
    let (connection, keys) = try opened()
    return try connection.transaction(.deferred) { () throws(VaultError) in try body(connection, keys) }
  }
}

/// Runs database calls, turning their failures into the vault's.
func sql<Result: ~Copyable>(_ body: () throws(SQLError) -> Result) throws(VaultError) -> Result {
  do throws(SQLError) { return try body() } catch { throw VaultError(error) }
}

extension Connection {
  /// A connection to a vault's file.
  static func vault(_ location: VaultLocation, _ mode: Mode) throws(VaultError) -> Connection {
    try sql { () throws(SQLError) in
      let options = ConnectionOptions(journal: location.journal)
      let connection = try Connection(path: location.file, mode: mode, vfs: location.vfs, options: options)
      // Identifiers are random, so an import touches all of an index: 64 MiB hold those of some hundred thousand rows.
      try connection.execute("PRAGMA cache_size = -65536")
      return connection
    }
  }

  /// A prepared statement with its failures turned into the vault's, its first parameter bound to an identifier if given.
  func statement(_ text: StaticString, binding id: UUID? = nil) throws(VaultError) -> Statement {
    do throws(SQLError) {
      let statement = try prepare(text)
      if let id { try statement.bind(id.bytes, at: 1) }
      return statement
    } catch {
      throw VaultError(error)
    }
  }
}

extension Statement {
  /// `step`, with its failures turned into the vault's.
  borrowing func next() throws(VaultError) -> Bool {
    do throws(SQLError) { return try step() } catch { throw VaultError(error) }
  }
}
