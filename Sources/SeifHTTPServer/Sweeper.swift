internal import Glibc
internal import Synchronization

/// A thread that looks after connections twice a second.
final class Sweeper: Sendable {
  private enum State: Sendable { case new, running, ending, ended }

  private let state = Mutex(State.new)
  private let done = Semaphore()
  private let watch: ConnectionWatch

  init(_ watch: ConnectionWatch) { self.watch = watch }

  func start() {
    state.withLock { $0 = .running }
    let box = Unmanaged.passRetained(self)
    var thread = pthread_t()
    if pthread_create(&thread, nil, sweepConnections, box.toOpaque()) == 0 {
      pthread_detach(thread)
    } else {
      box.release()
      state.withLock { $0 = .ended }
    }
  }

  func end() {
    let isRunning = state.withLock { state in
      defer { if state != .ended { state = .ending } }
      return state == .running
    }
    if isRunning { done.wait() }
    state.withLock { $0 = .ended }
  }

  fileprivate func run() {
    while state.withLock({ $0 == .running }) {
      watch.sweep()
      usleep(500_000)
    }
    done.signal()
  }
}

private func sweepConnections(_ box: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let box { Unmanaged<Sweeper>.fromOpaque(box).takeRetainedValue().run() }
  return nil
}
