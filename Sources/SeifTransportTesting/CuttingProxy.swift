internal import CSeif
internal import Glibc
internal import Synchronization

/// Passes connections on to a port of 127.0.0.1, and cuts them where it is told to.
public final class CuttingProxy: Sendable {
  /// A way that bytes go.
  public enum Direction: Sendable, CaseIterable {
    /// To the server.
    case up
    /// From it.
    case down
  }

  private struct State: Sendable {
    var passed: [Direction: Int] = [:]
    var cut: (direction: Direction, byteCount: Int, isOnce: Bool)?
    var isCut = false
    var isEnded = false
  }
  private let state = Mutex(State())
  private let listener: Int32
  /// The port of 127.0.0.1 on which it listens.
  public let port: UInt16

  /// Starts to pass on.
  public init(to server: UInt16) throws {
    (listener, port) = try LoopbackSocket.listener()
    LoopbackSocket.onThread { [listener, weak self] in
      while true {
        let client = seif_accept(listener)
        guard client >= 0, let self, !self.state.withLock(\.isEnded) else {
          if client >= 0 { close(client) }
          close(listener)
          return
        }
        guard !self.state.withLock(\.isCut), let far = LoopbackSocket.connection(server) else {
          close(client)
          continue
        }
        LoopbackSocket.onThread {
          self.pass(client, far)
          close(client)
          close(far)
        }
      }
    }
  }

  deinit { end() }

  /// Takes no connection any more.
  public func end() {
    state.withLock { state in
      guard !state.isEnded else { return }
      state.isEnded = true
      shutdown(listener, Int32(SHUT_RDWR))
    }
  }

  /// From now on passes so many bytes in a direction, then cuts; until `heal`, or only that connection.
  public func cut(_ direction: Direction, after byteCount: Int, isOnce: Bool) {
    state.withLock { state in
      state.passed = [:]
      state.isCut = false
      state.cut = (direction, byteCount, isOnce)
    }
  }

  /// Passes everything again.
  public func heal() {
    state.withLock { state in
      state.passed = [:]
      state.cut = nil
      state.isCut = false
    }
  }

  /// How many bytes it has passed in a direction since the last `cut` or `heal`.
  public func byteCount(_ direction: Direction) -> Int { state.withLock { $0.passed[direction] ?? 0 } }

  private func pass(_ client: Int32, _ far: Int32) {
    while true {
      var waiting = [
        pollfd(fd: client, events: Int16(POLLIN), revents: 0), pollfd(fd: far, events: Int16(POLLIN), revents: 0),
      ]
      let ready = poll(&waiting, 2, 50)
      if state.withLock({ $0.isCut || $0.isEnded }) { return }
      guard ready >= 0 || errno == EINTR else { return }
      for (index, direction) in [(0, Direction.up), (1, .down)] where waiting[index].revents != 0 {
        var bytes: [UInt8] = []
        guard LoopbackSocket.read(from: waiting[index].fd, onto: &bytes) else { return }
        let (allowed, isLast) = take(bytes.count, direction)
        LoopbackSocket.write(Array(bytes.prefix(allowed)), to: direction == .up ? far : client)
        if isLast { return }
      }
    }
  }

  // How many of the bytes go on, and whether the connection ends with them.
  private func take(_ count: Int, _ direction: Direction) -> (Int, Bool) {
    state.withLock { state in
      let before = state.passed[direction] ?? 0
      guard let cut = state.cut, cut.direction == direction, before + count > cut.byteCount else {
        state.passed[direction] = before + count
        return (count, false)
      }
      let allowed = max(0, cut.byteCount - before)
      state.passed[direction] = before + allowed
      state.isCut = !cut.isOnce
      if cut.isOnce { state.cut = nil }
      return (allowed, true)
    }
  }
}
