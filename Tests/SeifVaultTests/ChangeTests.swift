import SeifBytes
import SeifOTP
import SeifRecords
import SeifSQL
import Testing

@testable import SeifVault

@Suite struct ChangeTests {
  @Test func aReplacedEntryKeepsItsPlaceAndItsRow() throws {
    let place = try TestVault()
    let vault = try place.create()
    let ids = try vault.add([try Sample.totp("A"), try Sample.totp("B")])
    try vault.replace(ids[0], with: try Sample.totp("C", seed: "another seed of the same"))
    #expect(try vault.records().accounts.map(\.issuer) == ["C", "B"])
    #expect(try vault.entry(ids[0]).entry.name == "C")
    #expect(try vault.summaries().map(\.id) == ids)
    #expect(try vault.verify() == [])
  }

  @Test func aChangedPasswordJoinsTheHistoryOfWhichTenAreKept() throws {
    let place = try TestVault()
    let vault = try place.create()
    let id = try vault.add([Sample.login("Shop", password: "p0")])[0]
    for number in 1...12 { try vault.replace(id, with: try edited(vault, id, password: "p\(number)")) }
    let login = try #require(try vault.records().passwords.first)
    #expect(login.password == SecretValue(utf8: "p12"))
    #expect(login.history.map(\.password) == (2...11).reversed().map { SecretValue(utf8: "p\($0)") })
    #expect(login.history.allSatisfy { $0.changedAt == Moment.start })
    var renamed = login
    renamed.title = "Shop 2"
    try vault.replace(id, with: .password(renamed))
    #expect(try vault.records().passwords[0].history == login.history)
  }

  private func edited(_ vault: Vault, _ id: UUID, password: String) throws -> Entry {
    guard case .password(var login) = try vault.entry(id).entry else { throw VaultError(.noSuchEntry) }
    login.password = SecretValue(utf8: password)
    return .password(login)
  }

  @Test func aCounterIsStoredBeforeItIsGivenAndNeverGoesBack() throws {
    let place = try TestVault()
    let vault = try place.create()
    let id = try vault.add([try Sample.hotp(counter: 7)])[0]
    #expect(try vault.advanceCounter(id).otp.counter == 7)
    #expect(try vault.records().accounts[0].otp.counter == 8)
    #expect(try vault.advanceCounter(id).otp.counter == 8)
    try vault.replace(id, with: try Sample.hotp(counter: 2))
    #expect(try vault.records().accounts[0].otp.counter == 9)
    try vault.undo()
    #expect(try vault.records().accounts[0].otp.counter == 9)
    let timed = try vault.add([try Sample.totp("A")])[0]
    #expect(throws: VaultError(.noCounter)) { try vault.advanceCounter(timed) }
    let last = try vault.add([try Sample.hotp(counter: .max)])[0]
    #expect(throws: VaultError(.counterExhausted)) { try vault.advanceCounter(last) }
  }

  @Test func removedEntriesWaitInTheBinAndComeBackToTheirPlaces() throws {
    let place = try TestVault()
    let vault = try place.create()
    let records = try Sample.full()
    try vault.apply(Sample.changes(records))
    let ids = try vault.summaries().map(\.id)
    try vault.remove([ids[0], ids[3], ids[10]])
    #expect(try vault.records().count == records.count - 3)
    #expect(Set(try vault.bin().map(\.id)) == [ids[0], ids[3], ids[10]])
    #expect(try vault.bin().allSatisfy { $0.removedAt == Moment.start })
    #expect(try vault.verify() == [])
    try vault.restoreFromBin([ids[10], ids[3], ids[0]])
    #expect(try vault.records() == records)
    #expect(try vault.bin().isEmpty)
    #expect(try vault.summaries()[3].hasOneTimeCode)
    #expect(try vault.verify() == [])
  }

  @Test func onlyATakenIdentifierIsTakenForOne() throws {
    let place = try TestVault()
    let vault = try place.create()
    try vault.appendToLedger(LedgerTests.entry(0))
    let taken = try vault.write { (rows) throws(VaultError) in
      let (first, second) = (rows.makeID(), rows.makeID())
      func values(_ id: UUID, at position: Int64) -> [SQLValue] {
        [.blob(id.bytes), .integer(position), .blob([0]), .integer(1)]
      }
      let isNew = try rows.insertIfNew(.tombstone, first, values(first, at: 1))
      let isNewAgain = try rows.insertIfNew(.tombstone, first, values(first, at: 2))
      var clash: VaultError?
      do throws(VaultError) {
        _ = try rows.insertIfNew(.tombstone, second, values(second, at: 1))
      } catch {
        clash = error
      }
      return (isNew, isNewAgain, clash)
    }
    #expect(taken.0)
    #expect(!taken.1)
    #expect(taken.2 == VaultError(.damaged))
  }

  @Test func anEntryWithTheIdentifierOfOneInTheBinGetsANewOne() throws {
    let place = try TestVault()
    let vault = try place.create()
    var entry = try Sample.totp("A")
    entry.info = Sample.info(1)
    let id = try vault.add([entry])[0]
    try vault.remove([id])
    #expect(try vault.add([entry])[0] != id)
    try vault.restoreFromBin([id])
    #expect(try vault.records().accounts.count == 2)
  }

  @Test func whatIsMissingStopsTheWholeChange() throws {
    let place = try TestVault()
    let vault = try place.create()
    let id = try vault.add([try Sample.totp("A")])[0]
    let nobody = try #require(UUID("00000000-0000-4000-8000-000000000000"))
    let counter = try vault.counter()
    #expect(throws: VaultError(.noSuchEntry)) { try vault.remove([id, nobody]) }
    #expect(throws: VaultError(.noSuchEntry)) { try vault.restoreFromBin([nobody]) }
    #expect(throws: VaultError(.noSuchEntry)) { try vault.replace(nobody, with: try Sample.totp("B")) }
    #expect(throws: VaultError(.noSuchEntry)) { try vault.entry(nobody) }
    #expect(try vault.records().accounts.count == 1)
    #expect(try vault.counter() == counter)
  }

  @Test func undoTakesBackEachChangeAsAWholeLastFirst() throws {
    let place = try TestVault()
    let vault = try place.create()
    try vault.apply(Sample.changes(try Sample.full()))
    var states = [try vault.records()]
    let undone = SecretValue(utf8: "y")
    let ids = try vault.summaries().map(\.id)
    let steps: [() throws -> Void] = [
      { try vault.add([try Sample.totp("new"), Sample.login("new", password: "x")]) },
      { try vault.replace(ids[0], with: try Sample.totp("other seed", seed: "abcdefghijklmnop")) },
      { try vault.replace(ids[3], with: Sample.login("no code now", password: "y")) },
      { try vault.remove([ids[1], ids[4], ids[3]]) },
      { try vault.restoreFromBin([ids[4]]) },
      { try vault.apply([.setOpaque([]), .addUnusable(UnusableEntry(kind: .cards, json: SecretValue(utf8: "1")))]) },
      {
        try vault.apply([.remove(ids[0]), .add(try Sample.hotp(counter: 1)), .replace(ids[2], try Sample.totp("s"))])
      },
    ]
    for step in steps {
      try step()
      states.append(try vault.records())
      #expect(try vault.verify() == [])
    }
    for state in states.dropLast().reversed() {
      try vault.undo()
      var records = try vault.records()
      // An undone password stays in the history; its own test says how.
      for index in records.passwords.indices { records.passwords[index].history.removeAll { $0.password == undone } }
      #expect(records == state)
      #expect(try vault.verify() == [])
    }
  }

  @Test func theLastChangeIsNamedBeforeItIsTakenBack() throws {
    let place = try TestVault()
    let vault = try place.create()
    func last() throws -> String {
      let change = try vault.lastChange()
      #expect(try change.step == vault.counter() && change.madeAt == Moment.start)
      let groups = change.groups.map { "\($0.kind) \($0.total) \($0.names.map(\.name).joined(separator: "+"))" }
      return (groups + (change.otherCount > 0 ? ["\(change.otherCount) others"] : [])).joined(separator: ", ")
    }
    #expect(throws: VaultError(.nothingToUndo)) { try vault.lastChange() }
    let ids = try vault.add([try Sample.totp("A"), Sample.login("B", password: "x")])
    #expect(try last() == "added 2 A+B")
    // Equal or not.
    try vault.replace(ids[1], with: try vault.entry(ids[1]).entry)
    #expect(try last() == "edited 1 B")
    try vault.remove([ids[0]])
    #expect(try last() == "removed 1 A")
    try vault.restoreFromBin([ids[0]])
    #expect(try last() == "restored 1 A")
    try vault.apply([.setOpaque([]), .addUnusable(UnusableEntry(kind: .cards, json: SecretValue(utf8: "1")))])
    #expect(try last() == "2 others")
    try vault.apply([.replace(ids[0], try Sample.totp("A2")), .remove(ids[0]), .add(try Sample.totp("C"))])
    #expect(try last() == "added 1 C, removed 1 A2")
    try vault.add((0..<12).map { try Sample.totp("\($0)") })
    #expect(try last() == "added 12 0+1+2+3+4+5+6+7+8+9")
  }

  @Test func onlyTheChangeThatWasNamedIsTakenBack() throws {
    let place = try TestVault()
    let vault = try place.create()
    try vault.add([try Sample.totp("A")])
    let named = try vault.lastChange()
    try vault.add([try Sample.totp("B")])
    #expect(throws: VaultError(.changedMeanwhile)) { try vault.undo(ifStepIs: named.step) }
    #expect(try vault.records().accounts.count == 2)
    try vault.undo(ifStepIs: try vault.lastChange().step)
    try vault.undo(ifStepIs: named.step)
    #expect(try vault.records().accounts.isEmpty)
  }

  @Test func whatAnUndoneChangeAddedWaitsInTheBin() throws {
    let place = try TestVault()
    let vault = try place.create()
    let id = try vault.add([try Sample.hotp(counter: 4)])[0]
    #expect(try vault.advanceCounter(id).otp.counter == 4)
    try vault.undo()
    #expect(try vault.records().count == 0)
    #expect(try vault.bin().map(\.id) == [id])
    #expect(try vault.verify() == [])
    try vault.restoreFromBin([id])
    #expect(try vault.records().accounts[0].otp.counter == 5)
    #expect(try vault.verify() == [])
  }

  @Test func tenChangesCanBeUndoneAndNoMore() throws {
    let place = try TestVault()
    let vault = try place.create()
    for number in 0..<12 { try vault.add([try Sample.totp("\(number)")]) }
    for _ in 0..<10 { try vault.undo() }
    #expect(try vault.records().accounts.map(\.issuer) == ["0", "1"])
    #expect(throws: VaultError(.nothingToUndo)) { try vault.undo() }
    #expect(try vault.verify() == [])
  }

  @Test func aLongChangeIsUndoneFromManyRows() throws {
    let place = try TestVault()
    let vault = try place.create()
    let text = String(repeating: "x", count: 400_000)
    let ids = try vault.add((0..<6).map { _ in Sample.login(text, password: "p") })
    let before = try vault.records()
    try vault.apply(ids.map { .replace($0, Sample.login("short", password: "q")) })
    try vault.undo()
    var after = try vault.records()
    for index in after.passwords.indices { after.passwords[index].history = [] }
    #expect(after == before)
  }

  @Test func anUndonePasswordJoinsTheHistoryOfWhichTenAreKept() throws {
    let place = try TestVault()
    let vault = try place.create()
    let id = try vault.add([Sample.login("Shop", password: "p0")])[0]
    func history() throws -> [String?] { try vault.records().passwords[0].history.map { $0.password.exposedText() } }
    try vault.replace(id, with: try edited(vault, id, password: "p1"))
    try vault.replace(id, with: try edited(vault, id, password: "p2"))
    try vault.undo()
    #expect(try history() == ["p2", "p0"])
    #expect(try vault.records().passwords[0].history[0].changedAt == Moment.start)
    try vault.undo()
    #expect(try vault.records().passwords[0].password == SecretValue(utf8: "p0"))
    #expect(try history() == ["p1", "p2"])
    for number in 3...14 {
      try vault.replace(id, with: try edited(vault, id, password: "p\(number)"))
      try vault.undo()
    }
    #expect(try history() == (5...14).reversed().map { "p\($0)" })
    // An undone change of something else adds nothing.
    guard case .password(var login) = try vault.entry(id).entry else { throw VaultError(.noSuchEntry) }
    login.title = "Other"
    try vault.replace(id, with: .password(login))
    try vault.undo()
    #expect(try history() == (5...14).reversed().map { "p\($0)" })
    #expect(try vault.verify() == [])
  }

  @Test func afterThirtyDaysTheBinIsEmptiedAndTombstonesStay() throws {
    let place = try TestVault()
    var vault = try place.create()
    let ids = try vault.add([try Sample.totp("old"), try Sample.totp("kept")])
    try vault.remove([ids[0]])
    vault.lock()
    vault = try place.open(now: Moment.days(29))
    #expect(try vault.purgeBin() == 0)
    #expect(try vault.bin().count == 1)
    vault.lock()
    vault = try place.open(now: Moment.days(30))
    #expect(try vault.purgeBin() == 1)
    #expect(try vault.bin().isEmpty)
    #expect(try vault.tombstones() == [ids[0]])
    #expect(throws: VaultError(.nothingToUndo)) { try vault.undo() }
    #expect(try vault.records().accounts.map(\.issuer) == ["kept"])
    #expect(try vault.verify() == [])
  }

  @Test func nothingIsDeletedForGoodFromContentsThatDoNotMatch() throws {
    let place = try TestVault()
    var vault = try place.create()
    let ids = try vault.add([try Sample.totp("old"), try Sample.totp("kept")])
    try vault.remove([ids[0]])
    vault.lock()
    try place.tamper { try $0.execute("UPDATE vault SET created_at = created_at + 1") }
    vault = try place.open(now: Moment.days(31))
    #expect(vault.openingFaults == [.contents])
    #expect(throws: VaultError(.unverified)) { try vault.purgeBin() }
    #expect(try vault.bin().count == 1)
  }
}
