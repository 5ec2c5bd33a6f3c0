internal import Glibc

/// Who has been refused how often: a program that asks again and again until a tired person says yes is made to wait.
///
/// After three refusals within a minute nothing more is asked for one tree of processes for 15 seconds, and for twice as
/// long after each further refusal, up to an hour. Processes that hide their ancestors by leaving them count together
/// with all others: ten refusals within a minute, whoever asked, do the same to everyone.
struct RefusedQuestions {
  static let minute: Int64 = 60_000
  static let limitOfTree = 3
  static let limitOfAll = 10
  private static let shortest: Int64 = 15_000
  private static let longest: Int64 = 3_600_000
  /// After so long without a refusal it begins anew.
  private static let forgotten: Int64 = 2 * longest

  private struct Record {
    var times: [Int64] = []
    var pause: Int64 = 0
    var end: Int64 = 0
  }
  private var trees: [Int32: Record] = [:]
  private var all = Record()

  /// Milliseconds until a question of this tree is asked again; nil: it may be asked now.
  func pause(of tree: Int32, at now: Int64) -> Int64? {
    let end = max(trees[tree]?.end ?? 0, all.end)
    return end > now ? end - now : nil
  }

  mutating func refused(_ tree: Int32, at now: Int64) {
    trees = trees.filter { now - ($0.value.times.last ?? 0) < Self.forgotten }
    Self.note(now, in: &trees[tree, default: Record()], limit: Self.limitOfTree)
    Self.note(now, in: &all, limit: Self.limitOfAll)
  }

  /// A yes says that the questions of this tree are wanted.
  ///
  /// Those of all together stay counted: a program can say yes to itself on a terminal that it made.
  mutating func agreed(_ tree: Int32) { trees[tree] = nil }

  private static func note(_ now: Int64, in record: inout Record, limit: Int) {
    if now - (record.times.last ?? now) >= forgotten { record = Record() }
    record.times = record.times.suffix(limit - 1) + [now]
    // One that has had to wait before waits after each refusal.
    let isOften = record.times.count == limit && now - (record.times.first ?? now) <= minute
    guard record.pause > 0 || isOften else { return }
    record.pause = min(longest, max(shortest, record.pause * 2))
    record.end = now + record.pause
  }
}

/// Which tree of processes one belongs to.
enum ProcessTree {
  /// The oldest ancestor that runs as the same user; the process itself where nothing is known of it.
  static func root(of process: Int32, user: UInt32) -> Int32 {
    var root = process
    // A chain is as long as processes may be nested, which nobody does a thousand times.
    for _ in 0..<1_000 {
      guard let parent = parent(of: root), parent > 1, self.user(of: parent) == user else { break }
      root = parent
    }
    return root
  }

  private static func parent(of process: Int32) -> Int32? {
    number("PPid:", of: process).flatMap { Int32(exactly: $0) }
  }
  private static func user(of process: Int32) -> UInt32? { number("Uid:", of: process).flatMap { UInt32(exactly: $0) } }

  private static func number(_ name: String, of process: Int32) -> Int64? {
    guard let text = ProcFile.read("/proc/\(process)/status") else { return nil }
    for line in text.split(separator: "\n") where line.hasPrefix(name) {
      return line.split(whereSeparator: { $0 == "\t" || $0 == " " }).dropFirst().first.flatMap { Int64($0) }
    }
    return nil
  }
}
