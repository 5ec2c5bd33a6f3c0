internal import CMicroHTTPD
internal import Glibc
internal import Synchronization

/// What a connection is doing, for how long, and how much it has moved: libmicrohttpd ends one only that is wholly still.
final class ConnectionState: Sendable {
  enum Phase: Sendable {
    /// Nothing, or a part of a head, has come.
    case head
    /// A body comes.
    case body
    /// Something is worked out, which takes as long as it takes.
    case work
    /// An answer goes.
    case answer
  }

  fileprivate struct State {
    var phase = Phase.head
    var since = MonotonicTime.milliseconds()
    /// Whether the connection is new, and its first head on the way.
    var isFirst = true
    /// When bytes of a later head were first seen.
    var headSeenAt: Int?
    /// Bytes moved in both directions at the last look.
    var moved: UInt64 = 0
    var lookedAt = MonotonicTime.milliseconds()
  }

  fileprivate let state = Mutex(State())

  func enter(_ phase: Phase) {
    let now = MonotonicTime.milliseconds()
    state.withLock { state in
      guard state.phase != phase else { return }
      (state.phase, state.since, state.lookedAt, state.moved) = (phase, now, now, .max)
      (state.isFirst, state.headSeenAt) = (false, nil)
    }
  }
}

/// The connections of an engine. Those that take too long are cut off.
final class ConnectionWatch: Sendable {
  private let states = Mutex<[Int32: ConnectionState]>([:])
  private let headMilliseconds: Int
  private let bytesPerSecond: Int

  init(headSeconds: Int, bytesPerSecond: Int) {
    headMilliseconds = headSeconds.multipliedReportingOverflow(by: 1000).partialValue
    self.bytesPerSecond = bytesPerSecond
  }

  func began(_ descriptor: Int32) -> ConnectionState {
    let state = ConnectionState()
    states.withLock { $0[descriptor] = state }
    return state
  }

  /// Called before the descriptor is closed: its number is another connection's afterwards.
  func ended(_ descriptor: Int32, _ state: ConnectionState) {
    states.withLock { if $0[descriptor] === state { $0[descriptor] = nil } }
  }

  /// Cuts off what takes too long. The lock is held throughout, so that no number is another connection's.
  func sweep() {
    let now = MonotonicTime.milliseconds()
    states.withLock { states in
      for (descriptor, state) in states where isTooSlow(descriptor, state, now) {
        shutdown(descriptor, Int32(SHUT_RDWR))
      }
    }
  }

  /// Cuts off those that wait for a request.
  func cutIdle() {
    states.withLock { states in
      for (descriptor, state) in states where state.state.withLock({ $0.phase == .head }) {
        shutdown(descriptor, Int32(SHUT_RDWR))
      }
    }
  }

  /// Cuts all off.
  func cutAll() {
    states.withLock { states in
      for descriptor in states.keys { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
  }

  private static let lookMilliseconds = 10_000

  private func isTooSlow(_ descriptor: Int32, _ connection: ConnectionState, _ now: Int) -> Bool {
    connection.state.withLock { state in
      switch state.phase {
      case .work: return false
      case .head where state.isFirst: return now - state.since > headMilliseconds
      case .head:
        // Between two requests a connection may rest; a head that has begun may not.
        // What it takes of the answer before is none of it.
        guard let given = Self.moved(descriptor)?.given else { return false }
        if state.moved == .max { state.moved = given }
        guard given != state.moved else { return false }
        let seenAt = state.headSeenAt ?? now
        state.headSeenAt = seenAt
        return now - seenAt > headMilliseconds
      case .body, .answer: break
      }
      guard state.moved != .max, now - state.lookedAt < Self.lookMilliseconds else {
        guard let (taken, given) = Self.moved(descriptor) else { return false }
        let moved = taken &+ given
        defer { (state.moved, state.lookedAt) = (moved, now) }
        guard state.moved != .max, moved >= state.moved else { return false }
        return moved - state.moved < UInt64(bytesPerSecond) * UInt64(now - state.lookedAt) / 1000
      }
      return false
    }
  }
}

extension ConnectionWatch {
  /// Bytes of both directions; nil: it can't be told.
  fileprivate static func moved(_ descriptor: Int32) -> (taken: UInt64, given: UInt64)? {
    var (taken, given) = (UInt64(0), UInt64(0))
    return seif_tcp_progress(descriptor, &taken, &given) == 0 ? (taken, given) : nil
  }
}

/// Time that no one sets.
enum MonotonicTime {
  static func microseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int(time.tv_sec) * 1_000_000 + Int(time.tv_nsec) / 1000
  }

  static func milliseconds() -> Int { microseconds() / 1000 }
}
