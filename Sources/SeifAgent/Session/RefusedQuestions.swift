/// Who has been refused how often: a program that asks again and again until a tired person says yes is made to wait.
///
/// After three refusals within a minute nothing more is asked for one session of processes for 15 seconds, and for twice
/// as long after each further refusal, up to an hour. A process may begin a session of its own for each question, so ten
/// refusals within a minute in windows, whoever asked, pause all; but for 15 seconds only, and not before ten more:
/// otherwise one program would shut out all others by having itself refused.
struct RefusedQuestions {
  static let minute: Int64 = 60_000
  static let limitOfSession = 3
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
  private var sessions: [Int32: Record] = [:]
  private var all = Record()

  /// Milliseconds until a question of this session is asked again; nil: it may be asked now.
  func pause(of session: Int32, at now: Int64) -> Int64? {
    let end = max(sessions[session]?.end ?? 0, all.end)
    return end > now ? end - now : nil
  }

  /// - Parameter isSeen: whether it was in a window: what is refused on a terminal may be refused by who asks.
  mutating func refused(_ session: Int32, isSeen: Bool, at now: Int64) {
    sessions = sessions.filter { now - ($0.value.times.last ?? 0) < Self.forgotten }
    Self.note(now, in: &sessions[session, default: Record()])
    guard isSeen else { return }
    all.times = all.times.suffix(Self.limitOfAll - 1) + [now]
    if all.times.count == Self.limitOfAll, now - (all.times.first ?? now) <= Self.minute {
      all = Record(end: now + Self.shortest)
    }
  }

  /// A yes says that the questions of this session are wanted.
  ///
  /// Those of all together stay counted: a program can say yes to itself on a terminal that it made.
  mutating func agreed(_ session: Int32) { sessions[session] = nil }

  private static func note(_ now: Int64, in record: inout Record) {
    if now - (record.times.last ?? now) >= forgotten { record = Record() }
    record.times = record.times.suffix(limitOfSession - 1) + [now]
    // One that has had to wait before waits after each refusal.
    let isOften = record.times.count == limitOfSession && now - (record.times.first ?? now) <= minute
    guard record.pause > 0 || isOften else { return }
    record.pause = min(longest, max(shortest, record.pause * 2))
    record.end = now + record.pause
  }
}
