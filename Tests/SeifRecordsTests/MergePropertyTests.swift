import SeifBytes
import SeifOTP
import SeifRecords
import SeifTestSupport
import Testing

/// What holds of any vault and any file.
@Suite struct MergePropertyTests {
  // What may not be found again: another spelling of an identifier, a counter that moved on, a mark that was
  // set, that a document vault is local where another copy names its server.
  private func values(_ entries: [Entry]) -> Set<String> {
    var values: Set<String> = []
    for entry in entries {
      var entry = entry
      switch entry {
      case .account(var account):
        if let moved = try? account.otp.withCounter(0) { account.otp = moved }
        entry = .account(account)
      case .otherAccount(var other):
        other.counter = nil
        entry = .otherAccount(other)
      case .document(var document):
        document.id = ""
        entry = .document(document)
      default: break
      }
      entry.info.createdAt = nil
      entry.info.sortIndex = nil
      if case .password(var login) = entry {
        for index in login.history.indices { login.history[index].changedAt = nil }
        entry = .password(login)
      }
      values.formUnion(MergeModel.leaves(entry))
    }
    return values
  }

  private func highest(_ entries: [Entry]) -> [String: Int64] {
    var highest: [String: Int64] = [:]
    for case .account(let account) in entries {
      guard let counter = account.otp.counter else { continue }
      let seed = account.otp.secret.exposedBytes().description
      highest[seed] = max(counter, highest[seed] ?? 0)
    }
    return highest
  }

  @Test(arguments: 0..<60) func nothingIsLostAndASecondTimeNothingChanges(seed: Int) throws {
    var first = RecordGenerator(seed: UInt64(seed), side: "a")
    var second = RecordGenerator(seed: UInt64(seed) + 1_000_000, side: "b")
    let (mine, theirs) = (try first.entries(12), try second.entries(12))
    // Every second vault has room for one previous password only.
    let count = seed % 2 == 0 ? Int.max : 1
    let result = try MergeModel.apply(mine, theirs, historyCount: count)
    let there = MergeModel.texts(result)
    let missing = values(mine + theirs).filter { !there.contains($0) && !["", "false", "local"].contains($0) }
    #expect(missing.isEmpty, "\(missing)")
    #expect(highest(result) == highest(mine + theirs))
    #expect(mine.contains { $0.info.isFavorite } == false || result.contains { $0.info.isFavorite })
    #expect(
      try MergeModel.items(result, theirs, historyCount: count).map(MergeModel.word) == theirs.map { _ in "same" })
    // In whatever order the same things come.
    var chance = SeededGenerator(seed: UInt64(seed))
    #expect(
      try MergeModel.items(result.shuffled(using: &chance), theirs.shuffled(using: &chance), historyCount: count)
        .map(MergeModel.word) == theirs.map { _ in "same" })
  }

  @Test(arguments: 0..<30) func theOrderOfAFileLosesNothingEither(seed: Int) throws {
    var generator = RecordGenerator(seed: UInt64(seed) + 5_000_000, side: "c")
    let (mine, theirs) = (try generator.entries(6), try generator.entries(12))
    var chance = SeededGenerator(seed: UInt64(seed))
    let there = MergeModel.texts(try MergeModel.apply(mine, theirs.shuffled(using: &chance)))
    #expect(values(mine + theirs).filter { !there.contains($0) && !["", "false", "local"].contains($0) } == [])
  }

  @Test(arguments: 0..<30) func aFileMergedWithItselfChangesNothing(seed: Int) throws {
    var generator = RecordGenerator(seed: UInt64(seed) + 9_000_000, side: "d")
    let entries = try generator.entries(20)
    #expect(try MergeModel.items(entries, entries).map(MergeModel.word) == entries.map { _ in "same" })
  }
}
