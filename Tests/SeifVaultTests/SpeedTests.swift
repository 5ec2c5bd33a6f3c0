import FoundationEssentials
import SeifBytes
import SeifCrypto
import SeifOTP
import SeifRecords
import SeifSQL
import Testing

@testable import SeifVault

/// Measures an import against bare SQLite inserts of the same rows, and a list against opening the same bytes with
/// AES-GCM. The figures are printed, not judged.
/// `SEIF_BENCH=1 swift test -c release -Xswiftc -enable-testing --filter SpeedTests` prints them.
@Suite(.serialized) struct SpeedTests {
  private static let isMeasuring = ProcessInfo.processInfo.environment["SEIF_BENCH"] != nil

  @Test(arguments: isMeasuring ? [10_000, 100_000] : [100])
  func importsAndListsAllOfIt(count: Int) throws {
    var imports: [Double] = []
    var ratios: [Double] = []
    var lists: [Double] = []
    for _ in 0..<(Self.isMeasuring ? 5 : 1) {
      let place = try TestVault()
      let vault = try place.create()
      let changes = try Self.accounts(count)
      let clock = ContinuousClock()
      let imported = try clock.measure { _ = try vault.apply(changes) }
      let bare = try bareInserts(place)
      imports.append(imported / .seconds(1))
      ratios.append(imported / bare)
      var summaries: [EntrySummary] = []
      let listed = try clock.measure { summaries = try vault.summaries() }
      #expect(summaries.count == count)
      lists.append(listed / (try bareOpening(place)))
    }
    guard Self.isMeasuring else { return }
    func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
    print("\(count) accounts: import \(median(imports)) s, \(median(ratios)) × bare inserts \(ratios)")
    print("\(count) accounts: list \(median(lists)) × bare AES-GCM \(lists)")
  }

  private static func accounts(_ count: Int) throws -> [VaultChange] {
    try (0..<count).map { index in
      var info = EntryInfo()
      info.id = RandomSource.system.makeUUID()
      info.sortIndex = Int64(index)
      info.createdAt = Timestamp(seconds: 1_700_000_000 + Int64(index))
      let otp = try OTPParameters(kind: .totp(period: 30), secret: SecretValue(RandomSource.system.makeBytes(20)))
      return .add(
        .account(Account(issuer: "Service \(index)", account: "person\(index)@example.com", otp: otp, info: info)))
    }
  }

  /// The time of inserting the vault's rows, as they are, into another file with the same tables.
  private func bareInserts(_ place: TestVault) throws -> Duration {
    let tables = [VaultTable.item, .itemSummary, .secret]
    let source = try Connection(path: place.location.file, mode: .readOnly)
    let rows = try tables.map { table in
      let statement = try source.prepare(table.selectAll)
      var rows: [[SQLValue]] = []
      while try statement.step() { rows.append(try table.columns.indices.map { try statement.value($0) }) }
      return rows
    }
    let target = try Connection(path: place.location.folder + "/bare.db", mode: .create)
    for (name, sql) in VaultSchemaVersion.firstStatements where ["item", "item_summary", "secret"].contains(name) {
      try target.execute(sql)
    }
    return try ContinuousClock().measure {
      try target.transaction { () throws(SQLError) in
        for (table, rows) in zip(tables, rows) {
          let insert = try target.prepare(table.insert)
          for row in rows {
            for (column, value) in row.enumerated() { try insert.bind(value, at: column + 1) }
            try insert.run()
          }
        }
      }
    }
  }

  /// The time of opening values of the summaries' lengths, one after the other, with nothing else done.
  private func bareOpening(_ place: TestVault) throws -> Duration {
    let source = try Connection(path: place.location.file, mode: .readOnly)
    let cipher = try AES256GCM(key: RandomSource.system.makeSecret(byteCount: 32))
    let aad = [UInt8](repeating: 0x41, count: 62)
    let statement = try source.prepare("SELECT summary FROM item_summary")
    var sealed: [[UInt8]] = []
    while try statement.step() {
      let plain = [UInt8](repeating: 1, count: try statement.blob(0).count - 28)
      sealed.append(
        try cipher.sealCombined(plain.span.bytes, nonce: RandomSource.system.makeBytes(12), aad: aad.span.bytes))
    }
    return try ContinuousClock().measure {
      for value in sealed { _ = try cipher.openCombined(value.span.bytes, aad: aad.span.bytes) }
    }
  }
}
