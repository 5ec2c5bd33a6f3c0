import SeifFormats
import FoundationEssentials
import SeifBytes
import SeifFormats
import SeifRecords
import SeifSQL
import Testing

@testable import SeifVault

@Suite struct TamperingTests {
  /// A vault of a few entries whose file was changed by `body` while it was locked.
  private func tampered(_ body: (Connection) throws -> Void) throws -> (TestVault, Vault) {
    let place = try TestVault()
    let vault = try place.create()
    let ids = try vault.add([try Sample.totp("A"), try Sample.totp("B"), Sample.login("C", password: "p")])
    try vault.replace(ids[0], with: try Sample.totp("A2", seed: "second seed, longer one"))
    vault.lock()
    try place.tamper(body)
    return (place, try place.open())
  }

  private func tables(of faults: [VaultFault]) -> Set<String> {
    Set(
      faults.compactMap { fault in
        if case .value(let table, _, let column) = fault { "\(table).\(column)" } else { nil }
      })
  }

  @Test func swappedValuesShow() throws {
    let (_, vault) = try tampered {
      try $0.execute(
        """
        UPDATE item_summary
        SET summary = (SELECT summary FROM item_summary AS other WHERE other.position = 3 - item_summary.position)
        WHERE position IN (1, 2)
        """)
    }
    #expect(vault.openingFaults == [.contents])
    #expect(tables(of: try vault.verify()) == ["item_summary.summary"])
    // The second row got back what was its own.
    #expect(try vault.summaries().map(\.name) == ["B", "C"])
    #expect(vault.damage.count == 1)
  }

  @Test func aDamagedRowTakesNoOtherWithIt() throws {
    let place = try TestVault()
    var vault = try place.create()
    let ids = try vault.add([try Sample.totp("A"), try Sample.totp("B"), Sample.login("C", password: "p")])
    try vault.apply([
      .addUnusable(UnusableEntry(kind: .notes, json: SecretValue(utf8: "1"))),
      .setOpaque([OpaqueMember(key: "kept", value: SecretValue(utf8: "1"))]),
    ])
    vault.lock()
    try place.tamper {
      try $0.execute(
        """
        UPDATE item_summary SET summary = zeroblob(length(summary)) WHERE position = 1;
        UPDATE secret SET value = zeroblob(length(value)) WHERE position = 2;
        """)
    }
    vault = try place.open()
    #expect(try vault.summaries().map(\.name) == ["B", "C"])
    #expect(vault.damage == [.value(table: "item_summary", row: ids[0], column: "summary")])
    #expect(try vault.records().count == 2)
    #expect(vault.damage == [.damagedSecret(row: ids[1])])
    #expect(try vault.entries().map(\.id) == [ids[0], ids[2]])
    #expect(try vault.entry(ids[2]).entry.name == "C")
    #expect(throws: VaultError(.damaged)) { try vault.entry(ids[1]) }
    // Other rows are written as ever, the damaged one stays as it is.
    try vault.replace(ids[2], with: Sample.login("D", password: "q"))
    try vault.add([try Sample.totp("E")])
    #expect(try vault.entries().map(\.entry.name) == ["A", "D", "E"])
    try place.tamper {
      try $0.execute(
        """
        UPDATE item SET detail = zeroblob(length(detail)) WHERE position = 1;
        UPDATE unusable SET content = zeroblob(length(content));
        UPDATE opaque_member SET content = zeroblob(length(content));
        """)
    }
    let records = try vault.records()
    #expect(records.count == 2)
    #expect(records.unusable.isEmpty)
    #expect(records.opaque.isEmpty)
    #expect(vault.damage.count == 4)
    #expect(vault.damage.first == .value(table: "item", row: ids[0], column: "detail"))
    // What can't be read isn't replaced by what could.
    try vault.apply([.setOpaque([])])
    _ = try vault.records()
    #expect(vault.damage.contains { if case .value("opaque_member", _, _) = $0 { true } else { false } })
    #expect(try vault.summaries().count == 3)
  }

  @Test func aDamagedRowOfTheBinTakesNoOtherWithIt() throws {
    let place = try TestVault()
    let vault = try place.create()
    let ids = try vault.add([try Sample.totp("A"), try Sample.totp("B")])
    try vault.remove(ids)
    try place.tamper { try $0.execute("UPDATE bin SET removed_at = zeroblob(36) WHERE position = 1") }
    #expect(try vault.bin().map(\.id) == [ids[1]])
    #expect(vault.damage.count == 1)
    try vault.restoreFromBin([ids[1]])
    #expect(try vault.entries().map(\.id) == [ids[1]])
    #expect(vault.damage.isEmpty)
  }

  @Test func swappedRowsShow() throws {
    let (_, vault) = try tampered {
      try $0.execute(
        """
        UPDATE secret SET id = X'00000000000000000000000000000001' WHERE position = 1;
        UPDATE secret SET id = (SELECT id FROM secret WHERE position = 2) WHERE position = 3;
        """)
    }
    #expect(vault.openingFaults == [.contents])
    let faults = try vault.verify()
    #expect(tables(of: faults) == ["secret.value"])
    #expect(faults.contains { if case .missingSecret = $0 { true } else { false } })
  }

  @Test func valuesMovedToAnotherColumnShow() throws {
    let (_, vault) = try tampered {
      try $0.execute(
        """
        UPDATE item SET detail = (SELECT summary FROM item_summary WHERE item_summary.id = item.id)
        WHERE position = 2
        """)
    }
    #expect(vault.openingFaults == [.contents])
    #expect(tables(of: try vault.verify()) == ["item.detail"])
  }

  @Test func erasedValuesShow() throws {
    let (_, vault) = try tampered { try $0.execute("UPDATE secret SET value = X'' WHERE position = 1") }
    #expect(vault.openingFaults == [.contents])
    #expect(tables(of: try vault.verify()) == ["secret.value"])
  }

  @Test func changedPlacesAndClearColumnsShow() throws {
    for sql: StaticString in [
      "UPDATE item SET position = 9 WHERE position = 1", "UPDATE vault SET generation = 2",
      "UPDATE undo SET step = step + 1",
    ] {
      let (_, vault) = try tampered { try $0.execute(sql) }
      #expect(vault.openingFaults == [.contents])
    }
  }

  @Test func removedAndAddedRowsShow() throws {
    let (_, less) = try tampered { try $0.execute("DELETE FROM item WHERE position = 2") }
    #expect(less.openingFaults.count == 1)
    guard case .rowCount(let expected, let found)? = less.openingFaults.first else {
      Issue.record("no count")
      return
    }
    #expect(found == expected - 1)
    #expect(try less.verify().contains { if case .strayData("secret", _) = $0 { true } else { false } })
    let (_, more) = try tampered {
      try $0.execute(
        "INSERT INTO tombstone VALUES (1, X'00000000000000000000000000000001', 1, X'00')")
    }
    #expect(more.openingFaults == [.rowCount(expected: expected, found: expected + 1)])
  }

  @Test func aRowPutBackToAnOlderStateShows() throws {
    let place = try TestVault()
    let vault = try place.create()
    let id = try vault.add([try Sample.totp("A")])[0]
    let old = try copyOfItem(place)
    try vault.replace(id, with: try Sample.totp("B"))
    vault.lock()
    try place.tamper { connection in
      let update = try connection.prepare("UPDATE item SET revision = ?1, detail = ?2")
      try update.bind(old.revision, at: 1)
      try update.bind(old.detail, at: 2)
      try update.run()
      let shown = try connection.prepare("UPDATE item_summary SET revision = ?1, summary = ?2")
      try shown.bind(old.revision, at: 1)
      try shown.bind(old.summary, at: 2)
      try shown.run()
    }
    let opened = try place.open()
    #expect(try opened.summaries().map(\.name) == ["A"])
    #expect(opened.openingFaults == [.contents])
    // A write afterwards doesn't hide it.
    try opened.add([try Sample.totp("C")])
    #expect(try opened.verify() == [.contents])
    // The values alone, under the present revision, don't even open.
    opened.lock()
    try place.tamper { try $0.execute("UPDATE item_summary SET revision = 2 WHERE position = 1") }
    let altered = try place.open()
    #expect(try altered.summaries().map(\.name) == ["C"])
    #expect(altered.damage == [.value(table: "item_summary", row: id, column: "summary")])
  }

  private func copyOfItem(_ place: TestVault) throws -> (revision: Int64, summary: [UInt8], detail: [UInt8]) {
    let connection = try Connection(path: place.location.file, mode: .readOnly)
    let statement = try connection.prepare("SELECT item.revision, summary, detail FROM item, item_summary USING (id)")
    #expect(try statement.step())
    return (try statement.integer(0), try statement.blob(1), try statement.blob(2))
  }

  @Test func anOlderCopyOfTheWholeVaultShows() throws {
    let place = try TestVault()
    var vault = try place.create()
    try vault.add([try Sample.totp("A")])
    vault.lock()
    let old = try Data(contentsOf: URL(filePath: place.location.file))
    vault = try place.open()
    try vault.add([try Sample.totp("B")])
    vault.lock()
    try old.write(to: URL(filePath: place.location.file))
    vault = try place.open()
    #expect(vault.openingFaults == [.olderCopy(counter: 2, seen: 3)])
    #expect(vault.openingFaults[0].description.contains("an older copy of this vault"))
    #expect(try vault.records().accounts.count == 1)
    vault.lock()
    #expect(try place.open(.readOnly).openingFaults == [.olderCopy(counter: 2, seen: 3)])
    vault = try place.open()
    try vault.acceptOlderCopy()
    vault.lock()
    #expect(try place.open().openingFaults == [])
  }

  @Test func aMissingOrAlteredStateShowsAndStopsWriting() throws {
    for sql: StaticString in ["DELETE FROM accumulator", "UPDATE accumulator SET state = X'00'"] {
      let (place, vault) = try tampered { try $0.execute(sql) }
      defer { withExtendedLifetime(place) {} }
      #expect(vault.openingFaults == [.accumulator])
      #expect(try vault.records().count == 3)
      #expect(throws: VaultError(.damaged)) { try vault.add([try Sample.totp("D")]) }
    }
  }

  @Test func aSecondRowOfWhatThereIsOneOfBlocksNothing() throws {
    let stray = try #require(UUID("00000000-0000-0000-0000-000000000001"))
    let place = try TestVault()
    var vault = try place.create()
    try vault.add([try Sample.totp("A")])
    _ = try vault.nextBackupLink()
    vault.lock()
    try place.tamper {
      try $0.execute(
        """
        UPDATE accumulator SET id = X'FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF';
        INSERT INTO accumulator SELECT X'00000000000000000000000000000001', X'00';
        INSERT INTO accumulator SELECT vault.id, state FROM vault, accumulator WHERE length(state) > 1;
        DELETE FROM accumulator WHERE id = X'FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF';
        """)
    }
    vault = try place.open()
    #expect(vault.openingFaults == [])
    try vault.add([try Sample.totp("B")])
    #expect(try vault.verify() == [.strayData(table: "accumulator", row: stray)])
    vault.lock()
    try place.tamper {
      try $0.execute("INSERT INTO backup_link VALUES (X'00000000000000000000000000000001', 1, X'00')")
    }
    vault = try place.open()
    #expect(vault.openingFaults.count == 1)
    #expect(try vault.nextBackupLink().sequence == 2)
    #expect(try vault.verify().contains(.value(table: "backup_link", row: stray, column: "content")))
  }

  @Test func aFileWithAForeignTriggerOrTableIsRefused() throws {
    for sql: StaticString in [
      "CREATE TRIGGER t AFTER INSERT ON item BEGIN DELETE FROM undo; END", "CREATE TABLE other (a)",
      "CREATE VIEW v AS SELECT 1", "DROP TABLE undo",
    ] {
      #expect(throws: VaultError(.notAVault)) { try tampered { try $0.execute(sql) } }
    }
  }

  @Test func aBrokenLedgerShows() throws {
    let place = try TestVault()
    let vault = try place.create()
    for number in 0..<3 { try vault.appendToLedger(LedgerTests.entry(number)) }
    vault.lock()
    try place.tamper { try $0.execute("DELETE FROM proofs WHERE position = 2") }
    #expect(try place.open().verify().contains(.ledger(sequence: 2)))
  }
}
