internal import Glibc
internal import Synchronization

/// Who is connected, and since when each is waited for.
///
/// There is room for a fixed number. Where it is full, one that is waited for goes: of the process that has most
/// connections the one that has been waited for longest. So clients that say nothing, or read nothing, keep nobody out.
/// One that is worked for is never sent away; one that waits for a person is, the last that came first, where there is no
/// other. Beyond the number there are a few places for what takes no time, so that all being worked for keeps nobody from
/// locking.
final class ClientRegister: Sendable {
  private struct Client {
    let process: Int32
    let descriptor: Int32
    /// Of the order in which waiting began; nil while it is worked for.
    var waitingSince: UInt64?
    /// Whether what it waits for is a person's answer.
    var isForPerson = false
    /// Whether it sits on one of the places for what takes no time.
    var isReserved = false
  }
  private struct State {
    var clients: [UInt64: Client] = [:]
    var last: UInt64 = 0

    mutating func next() -> UInt64 {
      last += 1
      return last
    }
  }

  let limit: Int
  private let reserve: Int
  private let state = Mutex(State())

  init(limit: Int, reserve: Int = 0) {
    self.limit = limit
    self.reserve = reserve
  }

  var count: Int { state.withLock { $0.clients.count } }

  /// Takes a client in.
  ///
  /// - Returns: its number, or nil where all others are worked for.
  func enter(process: Int32, descriptor: Int32) -> UInt64? {
    state.withLock { state in
      if state.clients.count >= limit {
        if let slowest = Self.slowest(of: state.clients), let gone = state.clients.removeValue(forKey: slowest) {
          // Its thread wakes up, finds the end of the connection, and closes it: the number isn't another's before that.
          shutdown(gone.descriptor, Int32(SHUT_RDWR))
        } else if state.clients.count >= limit + reserve {
          return nil
        }
      }
      let number = state.next()
      var client = Client(process: process, descriptor: descriptor, waitingSince: state.next())
      client.isReserved = Self.ordinaryCount(of: state.clients) >= limit
      state.clients[number] = client
      return number
    }
  }

  /// The other side has to do something: speak, or read.
  func isWaitedFor(_ number: UInt64) {
    state.withLock { state in
      let now = state.next()
      state.clients[number]?.waitingSince = now
      state.clients[number]?.isForPerson = false
    }
  }

  /// A person is asked for it.
  func waitsForPerson(_ number: UInt64) {
    state.withLock { state in
      let now = state.next()
      state.clients[number]?.waitingSince = now
      state.clients[number]?.isForPerson = true
    }
  }

  /// Whether it may have what takes time: not on a reserved place, while no other has become free.
  func hasPlace(_ number: UInt64) -> Bool {
    state.withLock { state in
      guard let client = state.clients[number] else { return false }
      guard client.isReserved else { return true }
      guard Self.ordinaryCount(of: state.clients) < limit else { return false }
      state.clients[number]?.isReserved = false
      return true
    }
  }

  private static func ordinaryCount(of clients: [UInt64: Client]) -> Int { clients.values.count { !$0.isReserved } }

  /// What it asked for is under way.
  ///
  /// - Returns: false where it was sent away meanwhile.
  func isWorkedFor(_ number: UInt64) -> Bool {
    state.withLock { state in
      guard state.clients[number] != nil else { return false }
      state.clients[number]?.waitingSince = nil
      state.clients[number]?.isForPerson = false
      return true
    }
  }

  /// A client is done with; called before its descriptor is closed.
  func leave(_ number: UInt64) { state.withLock { _ = $0.clients.removeValue(forKey: number) } }

  private static func slowest(of clients: [UInt64: Client]) -> UInt64? {
    var connections: [Int32: Int] = [:]
    for client in clients.values { connections[client.process, default: 0] += 1 }
    let waiting = clients.compactMap { number, client in
      client.isForPerson
        ? nil : client.waitingSince.map { (number: number, connections: connections[client.process] ?? 0, since: $0) }
    }
    let slowest = waiting.max { left, right in
      (left.connections, right.since) < (right.connections, left.since)
    }
    return slowest?.number
      ?? clients.filter(\.value.isForPerson).max { ($0.value.waitingSince ?? 0) < ($1.value.waitingSince ?? 0) }?.key
  }
}
