internal import CSeif
internal import Glibc
package import SeifBytes
package import SeifVault
internal import Synchronization

/// The agent: takes clients in, each on a thread of its own, and locks vaults when their time has come.
package final class AgentServer: Sendable {
  /// Clients at a time.
  package static let clientLimit = 64
  /// More, for what takes no time: to lock, to end, to say what is open.
  package static let reservedPlaces = 4

  /// What a server is made of.
  package struct Parts: Sendable {
    package var hello: Hello
    package var asker: any ConsentAsker
    /// What opens a vault by a device, with a PIN or an empty one; nil where there is no such device.
    ///
    /// It is found by what this process was started with: a client that could name a TPM or a program would have this
    /// process load it.
    package var device: Devices
    /// Who is at the other end; in tests somebody else.
    package var peer: @Sendable (Int32) -> Peer?
    /// Called between the derivation of a key and the opening of its vault; in tests something happens then.
    package var whenDerived: (@Sendable () -> Void)?

    /// Takes snapshots to destinations; nil: there is nothing that could.
    package var backUp: BackUp?

    /// With the vault, the one destination that is meant (nil: all that are approved), whether it is for changed contents
    /// only, and whether it is still wanted: once it isn't, what goes on elsewhere ends.
    package typealias BackUp =
      @Sendable (
        any VaultTurns, String?, Bool, @escaping @Sendable () -> Bool
      ) throws(VaultUseError) -> [Delivery]
    package typealias Devices = @Sendable (WayIn.Kind, SecretValue) throws(VaultError) -> (any WayInProvider)?

    package init(
      hello: Hello, asker: any ConsentAsker, device: @escaping Devices = { _, _ in nil },
      peer: @escaping @Sendable (Int32) -> Peer? = { Peer.of($0) },
      whenDerived: (@Sendable () -> Void)? = nil, backUp: BackUp? = nil
    ) {
      self.backUp = backUp
      self.hello = hello
      self.asker = asker
      self.device = device
      self.peer = peer
      self.whenDerived = whenDerived
    }
  }

  let parts: Parts
  let vaults: OpenVaults
  let consent: Consent
  private let wakeReader: Int32
  private let wakeWriter: Int32
  let clients = ClientRegister(limit: clientLimit, reserve: reservedPlaces)
  private let isEnding = Mutex(false)
  /// One backup at a time.
  private let isBackingUp = Mutex(false)
  private let hasLogind = Mutex(false)

  /// - Throws: `gone` where the system has no descriptor left.
  package init(_ parts: Parts) throws(AgentRefusal) {
    var ends: [Int32] = [-1, -1]
    guard seif_pipe(&ends) == 0 else { throw AgentRefusal(.gone, "a pipe") }
    for end in ends { _ = seif_fcntl_setfl(end, O_NONBLOCK) }
    (wakeReader, wakeWriter) = (ends[0], ends[1])
    let writer = ends[1]
    self.parts = parts
    consent = Consent(asker: parts.asker)
    vaults = OpenVaults(consent: consent, device: parts.device, whenDerived: parts.whenDerived) {
      AgentServer.wake(writer)
    }
  }

  private static func wake(_ descriptor: Int32) {
    var byte: UInt8 = 0
    _ = write(descriptor, &byte, 1)
  }

  /// Whether suspend, screen lock and log-out are heard of.
  var knowsSessions: Bool { hasLogind.withLock { $0 } }

  /// Has a snapshot of a vault taken away. The vault has its turns meanwhile, and others have theirs in between.
  ///
  /// - Throws: `backingUp` while another one is under way.
  func backUp(
    _ vault: OpenVault, to destination: String?, onlyIfChanged: Bool, isWanted: @escaping @Sendable () -> Bool
  ) throws(VaultUseError) -> [Delivery] {
    guard let backUp = parts.backUp else { throw .agent(AgentRefusal(.notApproved, destination ?? "")) }
    let isFree = isBackingUp.withLock { isBusy in
      defer { isBusy = true }
      return !isBusy
    }
    guard isFree else { throw .agent(AgentRefusal(.backingUp)) }
    defer { isBackingUp.withLock { $0 = false } }
    return try backUp(vault, destination, onlyIfChanged) { [vaults] in vaults.holds(vault) && isWanted() }
  }

  /// Locks all vaults.
  package func lockAll() { vaults.lockAll() }

  /// Locks all and has `run` return.
  package func end() {
    isEnding.withLock { $0 = true }
    vaults.lockAll()
    Self.wake(wakeWriter)
  }

  /// Serves until it is asked to end, or the socket's place is gone.
  ///
  /// - Parameters:
  ///   - listener: a listening socket that doesn't block.
  ///   - logind: what tells of suspend, screen lock and log-out; nil: nobody does.
  ///   - isInPlace: whether clients can still find the socket.
  package func run(listener: Int32, logind: Logind?, isInPlace: () -> Bool) {
    var logind = logind
    hasLogind.withLock { $0 = logind != nil }
    while !isEnding.withLock({ $0 }) {
      let due = vaults.lockWhatIsDue()
      var wait: Int64 = 60_000
      if let due { wait = min(wait, max(0, due &- Deadline.now)) }
      if let bus = logind { wait = min(wait, bus.millisecondsToWait) }
      var pollers = [
        pollfd(fd: listener, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wakeReader, events: Int16(POLLIN), revents: 0),
      ]
      if let logind { pollers.append(pollfd(fd: logind.descriptor, events: logind.events, revents: 0)) }
      let count = poll(&pollers, nfds_t(pollers.count), Int32(clamping: wait))
      guard count >= 0 || errno == EINTR else { break }
      if pollers[1].revents != 0 { emptyWakes() }
      if let bus = logind, !serve(bus) {
        logind = nil
        hasLogind.withLock { $0 = false }
      }
      if count > 0, pollers[0].revents != 0 { accept(from: listener) }
      if count == 0, !isInPlace() { break }
    }
    vaults.lockAll()
    // Who asked for the end is told; who only sits there isn't waited for.
    for _ in 0..<50 where clientCount > 0 { usleep(10_000) }
  }

  private func emptyWakes() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(wakeReader, &bytes, bytes.count) > 0 {}
  }

  // MARK: - Sessions

  /// - Returns: false once the bus is gone.
  private func serve(_ logind: Logind) -> Bool {
    for event in logind.process() {
      switch event {
      case .sleep:
        vaults.prepareForSleep()
        logind.allowSleep()
      case .wake:
        vaults.wakeUp()
        logind.delaySleep()
      case .screenLock, .userGone: vaults.lockAll()
      case .sessionEnd(let session, let hasSeat):
        vaults.forgetComing()
        vaults.lock { vault in
          vault.loginSession.map { utf8Equal($0, session) } ?? hasSeat
        }
      case .lost:
        // Nobody would tell of the next suspend, nor of the end of this one.
        vaults.lockAll()
        vaults.wakeUp()
        return false
      }
    }
    return true
  }

  // MARK: - Clients

  // A few at a time: whoever connects without end must not keep what is due from being locked.
  private func accept(from listener: Int32) {
    for _ in 0..<8 {
      let socket = seif_accept(listener)
      guard socket >= 0 else {
        // Without a descriptor left the client waits until one is free; not in a loop that takes all of a processor.
        if [EMFILE, ENFILE, ENOMEM].contains(errno) { usleep(50_000) }
        return
      }
      take(socket)
    }
  }

  private func take(_ socket: Int32) {
    guard let peer = parts.peer(socket), peer.user == geteuid() else {
      return refuse(socket, AgentRefusal(.stranger))
    }
    guard let number = clients.enter(process: peer.process, descriptor: socket) else {
      return refuse(socket, AgentRefusal(.full))
    }
    let connection = ClientConnection(self, MessageChannel(descriptor: socket), peer, number: number)
    let box = Unmanaged.passRetained(connection)
    var thread = pthread_t()
    let failure = pthread_create(&thread, nil, serveClient, box.toOpaque())
    guard failure == 0 else {
      box.release()
      clients.leave(number)
      return refuse(socket, AgentRefusal(.full))
    }
    pthread_detach(thread)
  }

  private func refuse(_ socket: Int32, _ refusal: AgentRefusal) {
    let channel = MessageChannel(descriptor: socket)
    // Both are small enough to be taken in at once.
    try? channel.send(parts.hello.payload, patience: 0)
    try? channel.send(AgentAnswer.failure(.agent(refusal)), patience: 0)
    close(socket)
  }

  /// How many clients there are.
  package var clientCount: Int { clients.count }
}

// In an ordinary file of a library: one written in a main-actor context would trap on a thread.
private func serveClient(_ box: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let box else { return nil }
  Unmanaged<ClientConnection>.fromOpaque(box).takeRetainedValue().serve()
  seif_wipe_stack()
  return nil
}
