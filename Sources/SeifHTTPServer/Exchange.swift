internal import CMicroHTTPD
internal import Glibc
internal import SeifBytes
internal import SeifHTTPFields

/// One request and its answer.
///
/// Not locked: a connection's own thread uses it, and a worker only while the connection is suspended.
final class Exchange: @unchecked Sendable {
  enum Step {
    /// The head hasn't been looked at.
    case new
    /// Whatever comes of the body is thrown away; `answer` follows.
    case discarding
    case collecting(@Sendable (SecretValue) -> HTTPAnswer)
    /// A receiver that hasn't begun, and one that has.
    case beginning(any HTTPBodyReceiver)
    case receiving(any HTTPBodyReceiver)
    case working(@Sendable () -> HTTPAnswer)
    /// A worker has it; the connection is suspended.
    case waiting
    /// `answer` is there.
    case answering
    case answered
  }

  let target: [UInt8]
  let connection: ConnectionState?
  let startedAt = MonotonicTime.microseconds()
  var head: HTTPRequestHead?
  var step = Step.new
  var answer: HTTPAnswer?
  var collected: CollectedBody?
  /// A body that is being received, until it has ended one way or another.
  var receiver: (any HTTPBodyReceiver)?
  var received = 0
  var discarded = 0

  init(target: [UInt8], connection: ConnectionState?) {
    self.target = target
    self.connection = connection
  }

  /// Sets what is answered once the body is over.
  func settle(_ answer: HTTPAnswer) {
    self.answer = answer
    step = .answering
  }
}

/// A body that is kept in memory, and wiped.
final class CollectedBody {
  private var bytes: [UInt8] = []
  private(set) var isTooLong = false
  private let limit: Int

  init(limit: Int, expected: Int?) {
    self.limit = limit
    // Growing would leave copies behind.
    bytes.reserveCapacity(min(limit, expected ?? limit))
  }

  func append(_ piece: UnsafeRawBufferPointer) {
    guard !isTooLong, piece.count <= limit - bytes.count else {
      isTooLong = true
      return wipe()
    }
    bytes.append(contentsOf: piece)
  }

  /// What came; this one is empty afterwards.
  func take() -> SecretValue {
    let value = SecretValue(bytes)
    wipe()
    return value
  }

  private func wipe() {
    bytes.withUnsafeMutableBytes { if let base = $0.baseAddress { explicit_bzero(base, $0.count) } }
    bytes.removeAll()
  }

  deinit { wipe() }
}
