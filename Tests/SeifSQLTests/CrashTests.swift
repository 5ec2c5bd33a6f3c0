import FoundationEssentials
import SeifSQL
import SeifSQLTesting
import Testing

/// Power cuts: every prefix of what was asked of the disk, with what no sync had followed kept, lost or torn.
struct CrashTests {
  static let states: [[Int64]] = [
    [], [1], [1, 2], [1, 2, 3, 4], [1, 3, 4], [1, 3], [1, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14],
  ]

  static let migrator = Migrator(
    applicationID: 1,
    migrations: [
      Migration("t") { (connection) throws(SQLError) in
        try connection.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB) STRICT")
      }
    ])

  /// Commits each state in turn, and marks it once it is confirmed.
  private func run(_ connection: Connection, _ vfs: RecordingVFS) throws {
    try Self.migrator.migrate(connection)
    vfs.mark(0)
    for number in Self.states.indices.dropFirst() {
      try connection.transaction { () throws(SQLError) in
        let (before, after) = (Set(Self.states[number - 1]), Set(Self.states[number]))
        let insert = try connection.prepare("INSERT INTO t VALUES (?1, ?2)")
        for row in after.subtracting(before).sorted() {
          try insert.bind(row, at: 1)
          try insert.bind([UInt8](repeating: UInt8(truncatingIfNeeded: row), count: 900), at: 2)
          try insert.run()
        }
        let delete = try connection.prepare("DELETE FROM t WHERE a = ?1")
        for row in before.subtracting(after).sorted() {
          try delete.bind(row, at: 1)
          try delete.run()
        }
      }
      vfs.mark(number)
      if number == 3 { try connection.checkpoint(truncate: true) }
    }
    try connection.close()
  }

  @Test(arguments: [ConnectionOptions.Journal.writeAheadLog, .rollback])
  func everyPrefixIsAsBeforeOrAsAfter(_ journal: ConnectionOptions.Journal) throws {
    let folder = try TemporaryFolder()
    let vfs = RecordingVFS(name: "crash-\(journal)")
    let options = ConnectionOptions(journal: journal)
    try run(try Connection(path: folder.file("a.db"), mode: .create, vfs: vfs.name, options: options), vfs)
    let events = vfs.events
    #expect(events.count > 50)
    var tried = 0
    for prefix in 0...events.count {
      for unsynced: UnsyncedWrites in [.kept, .dropped, .torn(seed: UInt64(prefix)), .torn(seed: ~UInt64(prefix))] {
        let crash = Crash(events.prefix(prefix), unsynced: unsynced)
        guard crash.files["a.db"] != nil else {
          #expect(crash.lastMark == nil)
          continue
        }
        let found = try #require(try state(after: crash, options: options), "\(journal) \(prefix) \(unsynced)")
        let confirmed = crash.lastMark ?? -1
        let allowed = [confirmed, confirmed + 1].filter { Self.states.indices.contains($0) }.map { Self.states[$0] }
        let isEarly = confirmed < 0 && found == []
        #expect(isEarly || allowed.contains(found), "\(journal) \(prefix) \(unsynced): \(found) after \(confirmed)")
        tried += 1
      }
    }
    #expect(tried > 200)
  }

  /// What stands in the files that a crash left; nil if they don't open or aren't whole.
  private func state(after crash: Crash, options: ConnectionOptions) throws -> [Int64]? {
    let folder = try TemporaryFolder()
    try crash.write(into: folder.path)
    // The usual way in, which looks before it writes.
    let connection = try Self.migrator.open(path: folder.file("a.db"), mode: .readWrite, options: options)
    guard try connection.integrityCheck() == [] else { return nil }
    let select = try connection.prepare("SELECT a, b FROM t ORDER BY a")
    var rows: [Int64] = []
    while try select.step() {
      let row = try select.integer(0)
      guard try select.blob(1) == [UInt8](repeating: UInt8(truncatingIfNeeded: row), count: 900) else { return nil }
      rows.append(row)
    }
    return rows
  }

  @Test func aJournalLeftByACrashIsToldFromAFileWithoutPermission() throws {
    let folder = try TemporaryFolder()
    let vfs = RecordingVFS(name: "crash-journal")
    let options = ConnectionOptions(journal: .rollback)
    try run(try Connection(path: folder.file("a.db"), mode: .create, vfs: vfs.name, options: options), vfs)
    let marked = try #require(vfs.events.firstIndex(of: .mark(1)))
    let written = try #require(
      vfs.events[marked...].firstIndex { if case .write("a.db", _, _) = $0 { true } else { false } })
    let left = try TemporaryFolder()
    try Crash(vfs.events.prefix(written + 1), unsynced: .kept).write(into: left.path)
    let before = left.names.map { left.bytes($0) }
    #expect(throws: SQLError(.recoveryNeeded)) {
      try Connection(path: left.file("a.db"), mode: .readOnly).numbers("SELECT a FROM t")
    }
    #expect(left.names.map { left.bytes($0) } == before)
    let connection = try Self.migrator.open(path: left.file("a.db"), mode: .readWrite)
    #expect(try connection.numbers("SELECT a FROM t") == Self.states[1])
  }

  /// The replay must be able to see a missing sync, or the test above proves nothing.
  @Test func aMissingSyncShows() throws {
    let folder = try TemporaryFolder()
    let vfs = RecordingVFS(name: "crash-unsynced")
    let connection = try Connection(path: folder.file("a.db"), mode: .create, vfs: vfs.name)
    try connection.execute("PRAGMA synchronous = OFF")
    try run(connection, vfs)
    let lost = (0...vfs.events.count).contains { prefix in
      let crash = Crash(vfs.events.prefix(prefix), unsynced: .dropped)
      guard let confirmed = crash.lastMark, confirmed >= 0 else { return false }
      let found = try? state(after: crash, options: ConnectionOptions())
      return found != Self.states[confirmed]
    }
    #expect(lost)
  }

  @Test func aRecordingKeptWholeIsTheFile() throws {
    let folder = try TemporaryFolder()
    let vfs = RecordingVFS(name: "crash-whole")
    try run(try Connection(path: folder.file("a.db"), mode: .create, vfs: vfs.name), vfs)
    let first = Crash(vfs.events, unsynced: .kept)
    #expect(first.files["a.db"] == folder.bytes("a.db"))
    #expect(first.files.keys.sorted() == folder.names)
    // A file that was there before the recording began is its baseline.
    vfs.forget()
    let again = try Connection(path: folder.file("a.db"), mode: .readWrite, vfs: vfs.name)
    try again.execute("DELETE FROM t")
    try again.close()
    #expect(Crash(vfs.events, unsynced: .kept).files["a.db"] == folder.bytes("a.db"))
    #expect(Crash(vfs.events.prefix(1), unsynced: .dropped).files["a.db"] == first.files["a.db"])
  }
}
