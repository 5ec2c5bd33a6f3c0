import FoundationEssentials
import Glibc
import SeifAgentTesting
import SeifTestSupport
import Testing

/// The seeds of the wire's fuzzer, made by another program from docs/agent.md: each is understood, and none that is cut
/// or changed does harm.
@Suite struct WireProbeTests {
  private static func seeds() throws -> [[UInt8]] {
    let scratch = try Scratch()
    let folder = scratch.path
    let script = TestData.packageRoot.path + "/scripts/fuzz-seeds"
    var words = ["python3", script, folder].map { (word: String) in strdup(word) } + [nil]
    defer { words.forEach { free($0) } }
    var child: pid_t = 0
    try #require(posix_spawnp(&child, "python3", nil, nil, &words, environ) == 0)
    var status: Int32 = 0
    waitpid(child, &status, 0)
    try #require(status == 0)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder + "/FuzzWire").sorted()
    return try names.map { [UInt8](try Data(contentsOf: URL(filePath: folder + "/FuzzWire/" + $0))) }
  }

  @Test func everySeedIsTakenButTheTwoFailures() throws {
    let probe = try #require(WireProbe())
    let seeds = try Self.seeds()
    var refused: [[UInt8]] = []
    for seed in seeds where try !probe.look(at: seed) { refused.append(seed) }
    #expect(refused.map { $0.prefix(3) } == [[3, 1, 1], [3, 1, 2]])
    #expect(Set(seeds.compactMap(\.first)).isSuperset(of: 0..<UInt8(3 + WireProbe.callCount)))
  }

  @Test func cutAndChangedMessagesBreakNothing() throws {
    let probe = try #require(WireProbe())
    var generator = SeededGenerator(seed: 20)
    for seed in try Self.seeds() {
      for length in 1..<seed.count where length % 3 == 0 || seed.count < 80 {
        try probe.look(at: Array(seed.prefix(length)))
      }
      for _ in 0..<40 {
        var changed = seed
        let place = Int.random(in: 1..<seed.count, using: &generator)
        changed[place] = UInt8.random(in: 0...255, using: &generator)
        try probe.look(at: changed)
      }
    }
  }
}
