import SeifBytes
import SeifOTP
import SeifRecords
import SeifTestSupport
import SeifVault
import Testing

@testable import SeifAgent

/// Finding by the index beside the rule said in a few plain lines.
@Suite struct SearchIndexTests {
  private static func rule(_ query: String, _ entries: [(name: String, account: String)]) -> [Int] {
    let wanted = Array(TextMatch.folded(query).utf8)
    let folded = entries.map { (Array(TextMatch.folded($0.name).utf8), Array(TextMatch.folded($0.account).utf8)) }
    func holds(_ text: [UInt8]) -> Bool { text.firstRange(of: wanted) != nil }
    let tests: [([UInt8], [UInt8]) -> Bool] = [
      { $0 + Array(":".utf8) + $1 == wanted }, { name, _ in name == wanted }, { $1 == wanted },
      { name, _ in name.starts(with: wanted) }, { holds($0) || holds($1) },
    ]
    for test in tests {
      let hits = folded.indices.filter { test(folded[$0].0, folded[$0].1) }
      if !hits.isEmpty { return hits }
    }
    return []
  }

  private static func vault(_ entries: [(name: String, account: String)], _ scratch: Scratch) throws -> Vault {
    let path = scratch.path + "/vault"
    let vault = try Vault.create(
      at: VaultLocation(folder: path, stateFolder: path), passphrase: AgentWorld.secret(),
      recoveryCode: RecoveryCode.make(), cost: .forTests)
    try vault.add(
      entries.map { .account(Account(issuer: $0.name, account: $0.account, otp: .made(.totp(period: 30)))) })
    return vault
  }

  @Test(arguments: 1...6) func theIndexFindsWhatTheRuleSays(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    // Few letters, so that parts, beginnings and whole names meet; some fold, some are two bytes, one is a separator.
    let letters = ["a", "A", "b", ":", "é", "e\u{301}", "ß", "İ", " "]
    func text(_ most: Int) -> String {
      (0..<Int.random(in: 0...most, using: &generator)).map { _ in letters.randomElement(using: &generator) ?? "a" }
        .joined()
    }
    // More than three runs of the index, the last one not full.
    let entries = (0..<200).map { _ in (name: text(6), account: text(3)) }
    let scratch = try Scratch()
    let vault = try Self.vault(entries, scratch)
    let index = try SearchIndex(of: vault)
    #expect(index.count == entries.count)
    for _ in 0..<300 {
      let query = text(6)
      guard !query.isEmpty else { continue }
      let found = index.places(fitting: query, onlyCodes: true)
      #expect(found == Self.rule(query, entries), "seed \(seed), \"\(query)\"")
    }
    vault.lock()
  }

  @Test func anIdentifierHitsOneAndAnEmptyOrHostileQueryNone() throws {
    let scratch = try Scratch()
    let entries = [(name: "one", account: "x"), (name: "two", account: "y")]
    let vault = try Self.vault(entries, scratch)
    let index = try SearchIndex(of: vault)
    let ids = try vault.summaries().map(\.id)
    #expect(index.places(fitting: ids[1].description, onlyCodes: true) == [1])
    #expect(index.places(fitting: RandomIDs.first.description, onlyCodes: true) == [])
    for query in ["", "e\0x", "\0", "x\0two", "one\0", String(repeating: "o", count: 100_000)] {
      #expect(index.places(fitting: query, onlyCodes: true) == [])
    }
    let none = SearchIndex()
    #expect(none.places(fitting: "one", onlyCodes: false) == [])
    vault.lock()
  }

  @Test func onlyWhatHasCodesIsFoundForACode() throws {
    let world = try AgentWorld()
    let direct = try world.direct(try world.makeVault())
    let index = try SearchIndex(of: direct)
    #expect(index.places(fitting: "Forge", onlyCodes: true) == [])
    #expect(index.places(fitting: "Forge", onlyCodes: false) == [3])
    direct.lock()
  }
}
