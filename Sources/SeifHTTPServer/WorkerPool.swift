internal import Glibc
internal import Synchronization

/// Threads for what waits, and a queue in front of them that is never longer than it may be.
final class WorkerPool: Sendable {
  private struct State {
    /// Emptied as they are taken: what a piece of work holds goes with it.
    var waiting: [(@Sendable () -> Void)?] = []
    /// Of the first that waits: taking from the front of an array moves all others.
    var first = 0
    var threads = 0
    var hasEnded = false
  }

  private let state = Mutex(State())
  private let available = Semaphore()
  private let ended = Semaphore()
  private let count: Int
  private let limit: Int

  init(count: Int, limit: Int) {
    self.count = count
    self.limit = limit
    for _ in 0..<count { start() }
  }

  /// Has something done; false: too much waits already, and it won't be.
  func submit(_ work: @escaping @Sendable () -> Void) -> Bool {
    let isTaken = state.withLock { state in
      guard !state.hasEnded, state.waiting.count - state.first < limit else { return false }
      state.waiting.append(work)
      return true
    }
    if isTaken { available.signal() }
    return isTaken
  }

  /// Does what waits, and ends.
  func end() {
    let threads = state.withLock { state in
      state.hasEnded = true
      return state.threads
    }
    for _ in 0..<threads { available.signal() }
    for _ in 0..<threads { ended.wait() }
  }

  private func start() {
    state.withLock { $0.threads += 1 }
    let box = Unmanaged.passRetained(self)
    var thread = pthread_t()
    if pthread_create(&thread, nil, serveWork, box.toOpaque()) == 0 {
      pthread_detach(thread)
    } else {
      box.release()
      state.withLock { $0.threads -= 1 }
    }
  }

  fileprivate func run() {
    while true {
      available.wait()
      let work: (@Sendable () -> Void)? = state.withLock { state in
        guard state.first < state.waiting.count else { return nil }
        let work = state.waiting[state.first].take()
        state.first += 1
        if state.first == state.waiting.count || state.first > 512 {
          state.waiting.removeFirst(state.first)
          state.first = 0
        }
        return work
      }
      guard let work else { break }
      work()
    }
    ended.signal()
  }
}

private func serveWork(_ box: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let box { Unmanaged<WorkerPool>.fromOpaque(box).takeRetainedValue().run() }
  return nil
}

/// A counting semaphore of the system.
final class Semaphore: @unchecked Sendable {
  private let place = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() { sem_init(place, 0, 0) }

  deinit {
    sem_destroy(place)
    place.deallocate()
  }

  func signal() { sem_post(place) }

  func wait() {
    // A signal's handler may end the waiting early.
    while sem_wait(place) != 0 {}
  }
}
