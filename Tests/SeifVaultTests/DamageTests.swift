import SeifBytes
import SeifRecords
import SeifSQL
import Testing

@testable import SeifVault

/// What a person can do about rows that don't open.
@Suite struct DamageTests {
  private static let stray: UUID? = UUID("00000000-0000-0000-0000-000000000001")

  private func values(_ faults: [VaultFault]) -> [VaultFault] {
    faults.filter { if case .value = $0 { true } else { false } }
  }

  @Test func anEntryThatDoesNotOpenIsSetAsideAndTheOthersStay() throws {
    let place = try TestVault()
    let vault = try place.create()
    let ids = try vault.add([try Sample.totp("A"), Sample.login("B", password: "p"), Sample.login("C", password: "q")])
    let kept = try vault.entry(ids[1])
    let sealed = try Self.detail(place, ids[1])
    try place.tamper {
      try $0.execute("UPDATE item SET detail = CAST(X'00' || substr(detail, 2) AS BLOB) WHERE position = 2")
    }
    #expect(throws: VaultError(.damaged)) { try vault.remove([ids[1]]) }
    try vault.apply([.setAside(ids[1])])
    #expect(try vault.summaries().map(\.id) == [ids[0], ids[2]])
    #expect(try vault.records().count == 2)
    #expect(vault.damage == [])
    #expect(try vault.rowsSetAside() == [SetAsideRow(id: ids[1], table: "item", at: Moment.start)])
    // Its seed would be no stray, for who can say which it is; what was altered still shows.
    #expect(try vault.verify() == [.contents])
    // Nothing was lost: as it stood it comes back, and what was altered can be mended.
    try vault.undo()
    #expect(try vault.rowsSetAside() == [])
    #expect(try vault.summaries().map(\.id) == ids)
    try place.tamper { connection in
      let update = try connection.prepare("UPDATE item SET detail = ?1 WHERE position = 2")
      try update.bind(sealed, at: 1)
      try update.run()
    }
    #expect(try vault.entry(ids[1]) == kept)
    #expect(try vault.verify() == [])
  }

  private static func detail(_ place: TestVault, _ id: UUID) throws -> [UInt8] {
    let connection = try Connection(path: place.location.file, mode: .readOnly)
    let statement = try connection.statement("SELECT detail FROM item WHERE id = ?1", binding: id)
    #expect(try statement.step())
    return try statement.blob(0)
  }

  @Test func setAsideKeepsTheSeedAndThePlaceOfAnEntry() throws {
    let place = try TestVault()
    let vault = try place.create()
    let ids = try vault.add([try Sample.totp("A"), try Sample.totp("B")])
    try place.tamper { try $0.execute("UPDATE item SET detail = zeroblob(60) WHERE position = 2") }
    try vault.apply([.setAside(ids[1])])
    #expect(try vault.verify() == [.contents])
    // The place is taken meanwhile, and the entry comes back all the same.
    let third = try vault.add([try Sample.totp("C")])[0]
    try vault.undo()
    try vault.undo()
    try vault.restoreFromBin([third])
    #expect(try vault.summaries().map(\.name).sorted() == ["A", "B", "C"])
    #expect(Set(try vault.summaries().map(\.id)) == Set(ids + [third]))
  }

  @Test func ofAnEntryThatOpensOnlyTheSummaryIsMadeAnew() throws {
    let place = try TestVault()
    let vault = try place.create()
    let ids = try vault.add([try Sample.totp("A"), Sample.login("B", password: "p"), try Sample.totp("C")])
    let entries = try vault.entries()
    try place.tamper {
      try $0.execute(
        """
        UPDATE item_summary SET summary = zeroblob(40) WHERE position = 1;
        DELETE FROM item_summary WHERE position = 2
        """)
    }
    let faults = try vault.verify()
    #expect(values(faults) == [.value(table: "item_summary", row: ids[0], column: "summary")])
    #expect(faults.contains(.missingSummary(row: ids[1])))
    try vault.apply([.setAside(ids[0]), .setAside(ids[1]), .setAside(ids[2])])
    #expect(try vault.summaries().map(\.name) == ["A", "B", "C"])
    #expect(vault.damage == [])
    #expect(try vault.entries().map(\.entry) == entries.map(\.entry))
    #expect(try vault.rowsSetAside() == [])
  }

  @Test func anEntryWhoseSeedOrSummaryDoesNotOpenIsRemovedAsEver() throws {
    let place = try TestVault()
    let vault = try place.create()
    var login = Password(password: SecretValue(utf8: "p"))
    login.title = "L"
    login.totp = SecretValue(utf8: "otpauth://totp/a?secret=JBSWY3DPEHPK3PXP")
    let ids = try vault.add([.password(login), try Sample.totp("A")])
    try place.tamper {
      try $0.execute("UPDATE secret SET value = zeroblob(40); UPDATE item_summary SET summary = zeroblob(40)")
    }
    try vault.remove(ids)
    #expect(try vault.summaries() == [])
    try vault.undo()
    #expect(try vault.summaries().map(\.hasOneTimeCode) == [true, false])
    // Set aside they go with their seeds, and all that is left opens.
    try vault.apply(ids.map(VaultChange.setAside))
    #expect(try vault.verify() == [.contents])
    try vault.undo()
    #expect(try vault.verify().count == 3)
  }

  @Test func aSeedThatNoEntryHasCanBeSetAsideAndNoOther() throws {
    let place = try TestVault()
    let vault = try place.create()
    try vault.add([try Sample.totp("A"), try Sample.totp("B")])
    try place.tamper {
      try $0.execute("DELETE FROM item WHERE position = 1; DELETE FROM item_summary WHERE position = 1")
    }
    let stray = try vault.verify().compactMap { if case .strayData("secret", let row) = $0 { row } else { nil } }
    #expect(stray.count == 1)
    try vault.apply(stray.map(VaultChange.setAside))
    try vault.acceptContents()
    #expect(try vault.verify() == [])
    #expect(try vault.records().count == 1)
    let statement = try vault.opened().connection.prepare("SELECT id FROM secret")
    #expect(try statement.step())
    let other = try statement.uuid(0)
    statement.reset()
    #expect(throws: VaultError(.noSuchEntry)) { try vault.apply([.setAside(other)]) }
  }

  /// Looked through and taken for right in one transaction: while another writes, neither has begun.
  @Test func whatIsTakenForRightIsLookedThroughUnderTheSameLock() throws {
    let place = try TestVault()
    let vault = try place.create()
    try vault.add([try Sample.totp("A")])
    try place.tamper { try $0.execute("UPDATE secret SET value = zeroblob(40)") }
    try vault.opened().connection.execute("PRAGMA busy_timeout = 50")
    let other = try Connection(path: place.location.file, mode: .readWrite)
    try other.transaction(.immediate) { () throws(SQLError) in
      #expect(throws: VaultError(.busy)) { try vault.acceptContents() }
      #expect((try? vault.counter()) != nil)
    }
    #expect(throws: VaultError(.damaged)) { try vault.acceptContents() }
    #expect(try !vault.verify().isEmpty)
  }

  @Test func rowsOfEveryTableThatHoldsEntriesCanBeSetAside() throws {
    let place = try TestVault()
    let vault = try place.create()
    let id = try vault.add([try Sample.totp("A")])[0]
    try vault.remove([id])
    let unusable = try vault.apply([
      .addUnusable(UnusableEntry(kind: .notes, json: SecretValue(utf8: "1"))),
      .setOpaque([OpaqueMember(key: "kept", value: SecretValue(utf8: "1"))]),
    ])[0]
    try place.tamper {
      try $0.execute(
        """
        UPDATE bin SET detail = zeroblob(40);
        UPDATE unusable SET content = zeroblob(40);
        UPDATE opaque_member SET content = zeroblob(40);
        """)
    }
    let rows = values(try vault.verify()).compactMap { if case .value(_, let row, _) = $0 { row } else { nil } }
    #expect(rows.count == 3)
    #expect(rows.contains(id) && rows.contains(unusable))
    try vault.apply(rows.map(VaultChange.setAside))
    #expect(try vault.verify() == [.contents])
    #expect(try vault.rowsSetAside().map(\.table).sorted() == ["bin", "opaque_member", "unusable"])
    try vault.undo()
    #expect(values(try vault.verify()).count == 3)
    let other = try #require(Self.stray)
    #expect(throws: VaultError(.noSuchEntry)) { try vault.apply([.setAside(other)]) }
  }

  @Test func whatIsThereIsTakenForRightOnlyOnceAllOfItOpens() throws {
    let place = try TestVault()
    var vault = try place.create(now: Moment.start)
    let ids = try vault.add([Sample.login("A", password: "p"), Sample.login("B", password: "q")])
    try place.tamper { try $0.execute("UPDATE item SET detail = zeroblob(60) WHERE position = 2") }
    #expect(throws: VaultError(.damaged)) { try vault.acceptContents() }
    try vault.apply([.setAside(ids[1])])
    try vault.acceptContents()
    #expect(try vault.verify() == [])
    vault.lock()
    vault = try place.open(now: Moment.days(31))
    #expect(vault.openingFaults == [])
    // As with the bin: thirty days later it goes for good, once all is as last written.
    #expect(try vault.purgeBin() == 1)
    #expect(try vault.rowsSetAside() == [])
    #expect(try vault.verify() == [])
  }

  @Test func aPlantedRowBesideTheVaultsOwnBlocksNothing() throws {
    let planted = VaultFault.strayData(table: "vault", row: try #require(Self.stray))
    for sql: StaticString in [
      "INSERT INTO vault VALUES (X'00000000000000000000000000000001', 1, 1, 0)",
      """
      INSERT INTO vault (rowid, id, revision, generation, created_at)
      VALUES (-5, X'00000000000000000000000000000001', 1, 1, 0);
      INSERT INTO accumulator VALUES (X'00000000000000000000000000000001', X'00')
      """,
    ] {
      let place = try TestVault()
      var vault = try place.create()
      let id = vault.id
      try vault.add([try Sample.totp("A")])
      vault.lock()
      try place.tamper { try $0.execute(sql) }
      vault = try place.open()
      #expect(vault.id == id)
      #expect(vault.openingFaults.contains(planted))
      #expect(try vault.verify().contains(planted))
      try vault.add([try Sample.totp("B")])
      #expect(try vault.entries().map(\.entry.name) == ["A", "B"])
      try vault.acceptContents()
      #expect(try vault.verify() == [])
      vault.lock()
      #expect(try place.open().openingFaults == [])
    }
  }

  @Test func moreRowsThanAreTriedAreDamageAndNoWrongPassphrase() throws {
    let place = try TestVault()
    try place.create().lock()
    try place.tamper { connection in
      for number in 1...9 {
        let insert = try connection.prepare("INSERT INTO vault VALUES (?1, 1, 1, 0)")
        try insert.bind([UInt8](repeating: UInt8(number), count: 16), at: 1)
        try insert.run()
      }
    }
    #expect(throws: VaultError(.damaged)) { try place.open() }
  }

  @Test func aDamagedMemberStaysWhereOthersAreReplaced() throws {
    let place = try TestVault()
    let vault = try place.create()
    let first = OpaqueMember(key: "a", value: SecretValue(utf8: "1"))
    let second = OpaqueMember(key: "b", value: SecretValue(utf8: "2"))
    try vault.apply([.setOpaque([first, second])])
    try place.tamper { try $0.execute("UPDATE opaque_member SET content = zeroblob(40) WHERE position = 1") }
    let new = OpaqueMember(key: "c", value: SecretValue(utf8: "3"))
    try vault.apply([.setOpaque([second, new]), .add(try Sample.totp("A"))])
    #expect(try vault.records().opaque == [second, new])
    #expect(vault.damage.count == 1)
    #expect(values(try vault.verify()).count == 1)
    try vault.undo()
    #expect(try vault.records().opaque == [second])
    #expect(values(try vault.verify()).count == 1)
  }
}
