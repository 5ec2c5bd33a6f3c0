import Glibc

/// A thread of its own, for what blocks.
final class Worker: @unchecked Sendable {
  private final class Work {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  private var thread = pthread_t()

  init(_ body: @escaping @Sendable () -> Void) {
    let work = Unmanaged.passRetained(Work(body)).toOpaque()
    pthread_create(&thread, nil, Worker.start, work)
  }

  private static let start: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { pointer in
    if let pointer { Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body() }
    return nil
  }

  func join() { pthread_join(thread, nil) }
}

func pause() { usleep(1000) }
