import Glibc
import SeifBytes
import SeifSQL
import SeifServerStore
import SeifServerTesting
import SeifTestSupport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(15))) struct SQLiteServerStoreTests {
  @Test(arguments: ServerStoreConformance.all)
  func itKeepsEachRuleAndItsCountersAreTrueAfterwards(check: ServerStoreConformance.Check) throws {
    let scratch = try Scratch()
    let store = try SQLiteServerStore(path: scratch.database)
    try check.run(store)
    #expect(try store.problems() == [])
  }

  @Test func theFileIsItsOwnersAloneAndIsThereAfterTheNextOpening() throws {
    let scratch = try Scratch()
    let account = try makeAccount(SQLiteServerStore(path: scratch.database))
    #expect(scratch.mode("server.db") == 0o600)
    #expect(try SQLiteServerStore(path: scratch.database).account(account)?.name == "ada")
  }

  /// As several processes do: each store has connections of its own.
  @Test func ofManyWhoRaceThroughSeveralStoresOneWinsAndNoQuotaIsPassed() throws {
    let scratch = try Scratch()
    let stores = try (0..<3).map { _ in try SQLiteServerStore(path: scratch.database) }
    let account = try makeAccount(stores[0])
    let object = try #require(UUID(bytes: [UInt8](repeating: 9, count: 16)))
    let outcomes = Mutex<[String]>([])
    let ended = Atomic(0)
    let moment = Timestamp(milliseconds: 1_790_000_000_000)
    let limits = VaultLimits(objectCount: 10, byteCount: 25)
    for (index, store) in stores.enumerated() {
      SideThread {
        defer { ended.add(1, ordering: .releasing) }
        for round in 0..<10 {
          do {
            let outcome = try store.replaceManifest(account, [UInt8(index)], expecting: nil, at: moment)
            let step = try store.useTOTPStep(account, step: Int64(round))
            let reserved = try store.reserve(account, object, byteCount: 10, limits: limits, at: moment)
            outcomes.withLock { found in
              if case .stored = outcome { found.append("manifest") }
              if step { found.append("step") }
              if case .reserved = reserved { found.append("reserved") }
            }
          } catch { outcomes.withLock { $0.append("failed: \(error)") } }
        }
      }.start()
    }
    while ended.load(ordering: .acquiring) < 3 { usleep(2000) }
    let found = outcomes.withLock { $0 }
    #expect(found.filter { $0.hasPrefix("failed") } == [])
    #expect(found.count { $0 == "manifest" } == 1)
    #expect(found.count { $0 == "reserved" } == 2)
    // Steps go forward: each is used at most once.
    #expect((1...10).contains(found.count { $0 == "step" }))
  }

  @Test func everyColumnIsOnThePageAndNoneMore() throws {
    let scratch = try Scratch()
    _ = try SQLiteServerStore(path: scratch.database)
    let connection = try Connection(path: scratch.database, mode: .readWrite)
    let statement = try connection.prepare(
      """
      SELECT s.name || '.' || c.name FROM sqlite_schema s, pragma_table_info(s.name) c WHERE s.type = 'table'
      """)
    var columns: Set<String> = []
    while try statement.step() { columns.insert(try statement.text(0)) }
    #expect(columns == Set(try Self.allowed()))
    #expect(columns.count > 50)
  }

  @Test func noColumnIsNamedForADocumentsNameOrItsExtension() throws {
    let columns = try Self.allowed()
    for word in ["file", "title", "extension", "filename", "media", "master", "plain"] {
      #expect(columns.filter { $0.contains(word) } == [])
    }
    #expect(columns.filter { $0.hasSuffix(".name") } == ["accounts.name"])
    #expect(columns.filter { $0.hasSuffix("_key") } == ["passkeys.public_key", "key_wraps.wrapped_key"])
  }

  /// First column of the page's table.
  private static func allowed() throws -> [String] {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let page = try text("/" + root + "/docs/server-schema.md")
    return page.split(separator: "\n").filter { $0.hasPrefix("| `") }.compactMap { line in
      line.split(separator: "`").dropFirst().first.map(String.init)
    }
  }

  private static func text(_ path: String) throws -> String {
    let file = open(path, O_RDONLY)
    try #require(file >= 0)
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = read(file, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  private func makeAccount(_ store: SQLiteServerStore) throws -> UUID {
    let id = try #require(UUID(bytes: [UInt8](repeating: 1, count: 16)))
    let moment = Timestamp(milliseconds: 1_790_000_000_000)
    let made = try store.makeAccount(
      AccountRow(id: id, name: "ada", quota: 100, createdAt: moment),
      enrolment: EnrolmentRow(account: id, tokenHash: [UInt8](repeating: 2, count: 32), endsAt: moment))
    #expect(made)
    return id
  }
}
