internal import CSeif
internal import Glibc
internal import SeifBytes
internal import SeifCommandLine
internal import SeifHTTPServer
internal import SeifServer
internal import SeifServerCommands
internal import SeifServerStore

extension ServerRun {
  func serve(_ command: ServeCommand) throws -> ExitCode {
    // Before any thread: all of them leave these to the one that waits.
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&signals, number) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)

    let folder = try ServerFolder.make(command.place.folder(environment))
    let (store, blobs, key) = (try folder.open(), try folder.blobs(), try folder.key())
    try folder.note(command.origin)
    let controller = AccountController(
      settings: AccountSettings(
        origin: command.origin.text, host: command.origin.host, proxies: command.proxies),
      stores: ServerStores(accounts: store, vaults: store, blobs: blobs), key: key, hasher: PasswordHasher())
    let counts = RequestCounts()
    let log = ServerLog(isQuiet: command.isQuiet)
    let service = ServerService(controller, counts: counts, now: ServerClock.now, log: log.line)
    var settings = HTTPEngineSettings()
    (settings.address, settings.port) = (command.address.host, command.address.port)
    settings.tls = try command.tls.map { (files) throws(CommandFailure) in
      (certificate: try Self.read(files.certificate), key: SecretValue(try Self.read(files.key)))
    }
    let engine = try Self.engine(settings, service, "--listen")
    defer { engine.stop(within: 30) }
    var metrics: MicroHTTPDEngine?
    if let address = command.metricsAddress {
      var settings = HTTPEngineSettings()
      (settings.address, settings.port, settings.threadCount) = (address.host, address.port, 1)
      (settings.workerCount, settings.waitingLimit) = (1, 16)
      metrics = try Self.engine(
        settings,
        MetricsService(counts, connections: { [weak engine] in engine?.connectionCount ?? 0 }) {
          (try? store.accounts(after: nil, limit: 1)) != nil
        }, "--metrics")
    }
    defer { metrics?.stop(within: 1) }
    let care = ServerCare(store, blobs, log)
    care.start()
    talk.say(.ok, "Serving \(folder.path) at \(command.origin.text), on port \(engine.port).")
    if let metrics { talk.say("Health and metrics are on port \(metrics.port).") }
    ServiceManager.tell("READY=1", environment)
    var number: Int32 = 0
    while sigwait(&signals, &number) != 0 {}
    ServiceManager.tell("STOPPING=1", environment)
    care.end()
    return .done
  }

  private static func engine(
    _ settings: HTTPEngineSettings, _ service: any HTTPService, _ option: String
  ) throws(CommandFailure) -> MicroHTTPDEngine {
    do throws(HTTPEngineFailure) { return try MicroHTTPDEngine(settings, service) } catch {
      let hint: String? =
        switch error.code {
        case .inUse: "Another program listens there. Give another address: \(option)"
        case .notAllowed: "Ports below 1024 need a right: CAP_NET_BIND_SERVICE, or another port"
        case .certificate: "Both are PEM, and the key is the certificate's."
        case .address, .failed: nil
        }
      throw CommandFailure(.unavailable, error.reason, hint: hint)
    }
  }

  /// A certificate or a key: at most 256 KiB.
  private static func read(_ path: String) throws(CommandFailure) -> [UInt8] {
    let descriptor = seif_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0)
    guard descriptor >= 0 else {
      throw CommandFailure(.notFound, "\(path): \(String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 256 << 10)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    guard count > 0, count < bytes.count else { throw CommandFailure(.badInput, "\(path) is no certificate or key") }
    return Array(bytes[..<count])
  }
}

/// Lines about requests, on stderr.
final class ServerLog: Sendable {
  private let isQuiet: Bool

  init(isQuiet: Bool) { self.isQuiet = isQuiet }

  @Sendable func line(_ text: String) {
    guard !isQuiet else { return }
    always(text)
  }

  /// One write: lines of several threads don't mix.
  func always(_ text: String) {
    let bytes = Array((text + "\n").utf8)
    _ = Descriptor.writeAll(bytes.span.bytes, to: 2)
  }
}
