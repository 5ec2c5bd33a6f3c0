internal import Glibc

/// A thread beside a test's own, for what blocks.
public final class SideThread: Sendable {
  private let body: @Sendable () -> Void

  public init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  public func start() {
    var thread = pthread_t()
    let box = Unmanaged.passRetained(self).toOpaque()
    pthread_create(
      &thread, nil,
      { box in
        guard let box else { return nil }
        Unmanaged<SideThread>.fromOpaque(box).takeRetainedValue().body()
        return nil
      }, box)
    pthread_detach(thread)
  }
}
