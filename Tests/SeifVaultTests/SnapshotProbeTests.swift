import FoundationEssentials
import Glibc
import SeifTestSupport
import SeifVaultTesting
import Testing

/// The seeds of the snapshots' fuzzer, and changes by chance: what is taken for whole is what the vault once wrote.
@Suite struct SnapshotProbeTests {
  private static func seeds() throws -> [[UInt8]] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "seif-seeds-\(UInt64.random(in: 0 ... .max))")
    defer { try? FileManager.default.removeItem(at: folder) }
    let script = TestData.packageRoot.path + "/scripts/fuzz-seeds"
    var words = ["python3", script, folder.path].map { (word: String) in strdup(word) } + [nil]
    defer { words.forEach { free($0) } }
    var child: pid_t = 0
    try #require(posix_spawnp(&child, "python3", nil, nil, &words, environ) == 0)
    var status: Int32 = 0
    waitpid(child, &status, 0)
    try #require(status == 0)
    let seeds = folder.appending(path: "FuzzSnapshot")
    return try FileManager.default.contentsOfDirectory(atPath: seeds.path).sorted()
      .map { [UInt8](try Data(contentsOf: seeds.appending(path: $0))) }
  }

  @Test func theSnapshotAsItIsIsWholeAndTheEarlierOneToo() throws {
    let probe = try #require(SnapshotProbe())
    #expect(try probe.look(at: [1]) == .whole)
    #expect(try probe.look(at: [0] + probe.snapshot) == .whole)
    // All pages of the earlier state at once are that state.
    #expect(try probe.look(at: [1] + (0..<64).flatMap { [3, $0] }) == .whole)
    #expect(try probe.look(at: []) == .refused)
  }

  @Test func theProbesVaultIsTheSameInEachRun() throws {
    // Else an input that was found once would do nothing the next time.
    #expect(try #require(SnapshotProbe()).snapshot == #require(SnapshotProbe()).snapshot)
  }

  @Test func seedsAndChangesByChanceNeverPassForWhole() throws {
    let probe = try #require(SnapshotProbe())
    var generator = SeededGenerator(seed: 20)
    var outcomes: Set<SnapshotProbe.Outcome> = []
    for seed in try Self.seeds() {
      for round in 0..<2 {
        var changed = seed
        if round > 0, changed.count < 100 {
          for _ in 0..<Int.random(in: 1...4, using: &generator) {
            changed += [1] + (0..<3).map { _ in UInt8.random(in: 0...255, using: &generator) }
            changed += [1, UInt8.random(in: 0...255, using: &generator)]
          }
        }
        outcomes.insert(try probe.look(at: changed))
      }
    }
    // Else they reach no depth.
    #expect(outcomes == [.refused, .read, .opened, .whole])
  }
}
