import SeifSQL
import Testing

struct StatementTests {
  let folder: TemporaryFolder
  let connection: Connection

  init() throws {
    folder = try TemporaryFolder()
    connection = try Connection(path: folder.file("a.db"), mode: .create)
    try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a ANY) STRICT")
  }

  private func stored(_ value: SQLValue) throws -> SQLValue {
    let insert = try connection.prepare("INSERT INTO t (a) VALUES (?1)")
    try insert.bind(value, at: 1)
    try insert.run()
    let select = try connection.prepare("SELECT a FROM t WHERE id = ?1")
    try select.bind(connection.lastInsertRowID, at: 1)
    #expect(try select.step())
    return try select.value(0)
  }

  static let values: [SQLValue] = [
    .null, .integer(.min), .integer(-1), .integer(0), .integer(.max), .text(""), .text("a\0b"), .text("ș 🗝️"),
    .text("\u{FEFF}x"), .text("12"), .blob([]), .blob([0]), .blob([UInt8](repeating: 0xA5, count: 1 << 20)),
    .text(String(repeating: "é", count: 1 << 19)),
  ]

  @Test(arguments: values)
  func valuesComeBackAsTheyWere(_ value: SQLValue) throws {
    #expect(try stored(value) == value)
  }

  @Test func anEmptyBlobIsNotNull() throws {
    let insert = try connection.prepare("INSERT INTO t (a) VALUES (?1)")
    try insert.bind([], at: 1)
    try insert.run()
    try insert.binding([UInt8]().span.bytes, at: 1) { () throws(SQLError) in try insert.run() }
    #expect(try connection.number("SELECT count(*) FROM t WHERE typeof(a) = 'blob' AND length(a) = 0") == 2)
    let select = try connection.prepare("SELECT a FROM t")
    #expect(try select.step())
    #expect(try select.withBlob(0) { (span) throws(SQLError) in span.byteCount } == 0)
    #expect(try !select.isNull(0))
  }

  @Test func bytesAreLentBothWaysWithoutChange() throws {
    let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
    let insert = try connection.prepare("INSERT INTO t (a) VALUES (?1)")
    try insert.binding(bytes.span.bytes, at: 1) { () throws(SQLError) in try insert.run() }
    // What was lent is gone from the statement: the next row has nothing of it.
    try insert.run()
    let select = try connection.prepare("SELECT a FROM t ORDER BY id")
    #expect(try select.step())
    let read = try select.withBlob(0) { (span) throws(SQLError) in span.withUnsafeBytes { Array($0) } }
    #expect(read == bytes)
    #expect(try select.step())
    #expect(try select.isNull(0))
  }

  @Test func typesAreNeverConverted() throws {
    let select = try connection.prepare("SELECT 1, '1', x'31', 1.5, NULL")
    #expect(try select.step())
    #expect(try (0..<5).map { column in try select.type(column) } == [.integer, .text, .blob, .real, .null])
    for column in [1, 2, 3, 4] { #expect(throws: SQLError(.wrongType)) { try select.integer(column) } }
    for column in [0, 2, 3, 4] { #expect(throws: SQLError(.wrongType)) { try select.text(column) } }
    for column in [0, 1, 3, 4] { #expect(throws: SQLError(.wrongType)) { try select.blob(column) } }
    for column in [0, 1, 3, 4] {
      #expect(throws: SQLError(.wrongType)) { try select.withBlob(column) { (_) throws(SQLError) in } }
    }
    #expect(throws: SQLError(.wrongType)) { try select.value(3) }
  }

  @Test func columnsThatAreNotThereAreRefused() throws {
    let select = try connection.prepare("SELECT 1")
    #expect(throws: SQLError(.misuse)) { try select.integer(0) }
    #expect(try select.step())
    for column in [-1, 1, .max, .min] { #expect(throws: SQLError(.misuse)) { try select.isNull(column) } }
    #expect(try !select.step())
    #expect(throws: SQLError(.misuse)) { try select.integer(0) }
  }

  @Test func parametersThatAreNotThereAreRefused() throws {
    let select = try connection.prepare("SELECT ?1")
    for parameter in [0, 2, -1, .max] { #expect(throws: SQLError(.misuse)) { try select.bind(1, at: parameter) } }
  }

  @Test func textThatIsNotUTF8IsRefused() throws {
    let select = try connection.prepare("SELECT CAST(x'ff61' AS TEXT)")
    #expect(try select.step())
    #expect(throws: SQLError(.invalidText)) { try select.text(0) }
  }

  @Test func aStatementInUseIsNotSharedAndAnIdleOneIsReused() throws {
    try connection.execute("INSERT INTO t (a) VALUES (1), (2), (3)")
    var pairs: [[Int64]] = []
    func select() throws(SQLError) -> Statement { try connection.prepare("SELECT id FROM t ORDER BY id") }
    let outer = try select()
    while try outer.step() {
      let inner = try select()
      while try inner.step() { pairs.append([try outer.integer(0), try inner.integer(0)]) }
    }
    #expect(pairs.count == 9)
    #expect(Set(pairs).count == 9)
  }

  @Test func aStatementComesBackWithoutItsValues() throws {
    func select() throws(SQLError) -> Statement { try connection.prepare("SELECT ?1") }
    do {
      let first = try select()
      try first.bind("secret", at: 1)
      #expect(try first.step())
    }
    let second = try select()
    #expect(try second.step())
    #expect(try second.isNull(0))
  }

  @Test func aFailedStatementCanRunAgain() throws {
    let insert = try connection.prepare("INSERT INTO t (id) VALUES (?1)")
    try insert.bind(1, at: 1)
    try insert.run()
    #expect(throws: SQLError(.constraint)) { try insert.run() }
    try insert.bind(2, at: 1)
    try insert.run()
    #expect(try connection.numbers("SELECT id FROM t ORDER BY id") == [1, 2])
    #expect(connection.changes == 1)
  }

  @Test func twoStatementsInOneAreRefused() throws {
    #expect(throws: SQLError(.misuse)) { _ = try connection.prepare("SELECT 1; SELECT 2") }
    #expect(throws: SQLError(.misuse)) { _ = try connection.prepare("") }
    #expect(throws: SQLError(.statement)) { _ = try connection.prepare("SELEKT 1") }
    #expect(throws: SQLError(.misuse)) { try connection.prepare("SELECT 1").run() }
  }

  @Test func aStatementOutlivesNothingItNeeds() throws {
    var other: Connection? = try Connection(path: folder.file("b.db"), mode: .create)
    let statement = try #require(other).prepare("SELECT 42")
    other = nil
    #expect(try statement.step())
    #expect(try statement.integer(0) == 42)
  }
}
