internal import CMicroHTTPD
internal import CSeif
internal import Glibc
internal import SeifBytes
internal import Synchronization

/// Why an engine doesn't listen.
package struct HTTPEngineFailure: Error, Sendable, Equatable {
  package enum Code: Sendable { case address, inUse, notAllowed, certificate, failed }
  package let code: Code
  /// What the system said; never a part of a key.
  package let reason: String
}

/// HTTP/1.1 by libmicrohttpd, with epoll, behind the guard that its parser needs.
package final class MicroHTTPDEngine: HTTPEngine {
  /// The daemon, while there is one. Everything else of it is safe to call from any thread.
  private let daemon = Mutex<Handle?>(nil)
  /// What the daemon's threads use: it outlives them.
  private let core: EngineCore
  private let sweeper: Sweeper
  package let port: UInt16

  private struct Handle: @unchecked Sendable { let daemon: OpaquePointer }

  /// Listens from here on.
  package init(_ settings: HTTPEngineSettings, _ service: any HTTPService) throws(HTTPEngineFailure) {
    signal(SIGPIPE, SIG_IGN)
    let listener = try Listener(address: settings.address, port: settings.port)
    port = listener.port
    core = EngineCore(settings, service)
    sweeper = Sweeper(core.watch)
    var start = seif_mhd_start()
    start.listener = listener.descriptor
    start.threads = UInt32(clamping: max(1, settings.threadCount))
    start.connections = UInt32(clamping: settings.connectionLimit)
    start.connections_per_address = UInt32(clamping: settings.connectionLimitPerAddress)
    start.idle_seconds = UInt32(clamping: settings.idleSeconds)
    // Half of it is what a body is read into at a time.
    start.connection_memory = 64 << 10
    start.context = Unmanaged.passUnretained(core).toOpaque()
    (start.handler, start.target, start.completed) = (handleRequest, beginRequest, endRequest)
    (start.connection, start.unescape) = (noticeConnection, keepEscapes)
    let started = Self.start(&start, settings.tls)
    guard let started else {
      core.pool.end()
      sweeper.end()
      throw settings.tls == nil
        ? HTTPEngineFailure(code: .failed, reason: "the server can't be started")
        : HTTPEngineFailure(code: .certificate, reason: "certificate or key can't be used")
    }
    // The daemon has the socket now.
    listener.handOver()
    daemon.withLock { $0 = Handle(daemon: started) }
    sweeper.start()
  }

  private static func start(
    _ start: inout seif_mhd_start, _ tls: (certificate: [UInt8], key: SecretValue)?
  ) -> OpaquePointer? {
    guard let tls else { return seif_mhd_start(&start) }
    // A text that ends with zero, in memory that is wiped afterwards.
    let key = UnsafeMutableBufferPointer<CChar>.allocate(capacity: tls.key.byteCount + 1)
    defer {
      if let base = key.baseAddress { explicit_bzero(base, key.count) }
      key.deallocate()
    }
    key.update(repeating: 0)
    tls.key.withBytes { bytes in bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(key).copyMemory(from: $0) } }
    return (tls.certificate + [0]).withUnsafeBytes { certificate in
      start.certificate = certificate.bindMemory(to: CChar.self).baseAddress
      start.key = UnsafePointer(key.baseAddress)
      return seif_mhd_start(&start)
    }
  }

  package var connectionCount: Int { daemon.withLock { $0.map { Int(seif_mhd_connection_count($0.daemon)) } ?? 0 } }

  package func stop(within seconds: Int) {
    // One caller stops it; another one waits for nothing.
    guard let handle = daemon.withLock({ $0.take() }) else { return }
    // Closed at once: clients that come now are refused and don't hang.
    let listener = MHD_quiesce_daemon(handle.daemon)
    if listener >= 0 { close(listener) }
    let end = MonotonicTime.milliseconds() + seconds * 1000
    while seif_mhd_connection_count(handle.daemon) > 0, MonotonicTime.milliseconds() < end {
      core.watch.cutIdle()
      usleep(20_000)
    }
    core.watch.cutAll()
    // What workers have must come back before the daemon ends: a suspended connection stops it for ever.
    core.pool.end()
    sweeper.end()
    MHD_stop_daemon(handle.daemon)
  }

  deinit { stop(within: 0) }
}
