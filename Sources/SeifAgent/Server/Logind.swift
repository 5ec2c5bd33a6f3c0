internal import CSeif
internal import CSystemd
internal import Glibc

/// What logind tells on the system bus: suspend, screen lock, log-out. One thread uses it.
package final class Logind {
  /// What happened.
  package enum Event: Sendable, Equatable {
    /// The machine is about to sleep, and waits for `allowSleep`.
    case sleep
    /// It is awake again.
    case wake
    /// The screen of one of the user's sessions was locked.
    case screenLock
    /// A login session ended; whether it was one with a screen and keyboard of this machine.
    case sessionEnd(String, hasSeat: Bool)
    /// The last session of the user ended.
    case userGone
    /// The bus is gone.
    case lost
  }

  private static let name = "org.freedesktop.login1"
  private static let root = "/org/freedesktop/login1"
  private static let manager = "org.freedesktop.login1.Manager"
  private static let session = "org.freedesktop.login1.Session"
  private static let patienceMicroseconds: UInt64 = 2_000_000

  private let library: UnsafePointer<seif_libsystemd>
  private let bus: OpaquePointer
  private var happened: [Event] = []
  private var inhibitor: Int32 = -1
  /// The user's sessions that have a seat, by number.
  private var seated: Set<String> = []

  /// Connects to the system bus; nil where there is no libsystemd, no bus or no logind on it.
  package init?() {
    guard let library = seif_load_libsystemd("libsystemd.so.0") else { return nil }
    var bus: OpaquePointer?
    guard library.pointee.sd_bus_open_system(&bus) >= 0, let bus else { return nil }
    self.library = library
    self.bus = bus
    _ = library.pointee.sd_bus_set_method_call_timeout(bus, Self.patienceMicroseconds)
    let context = Unmanaged.passUnretained(self).toOpaque()
    func hear(_ path: String?, _ interface: String, _ member: String, _ handler: @escaping sd_bus_message_handler_t)
      -> Bool
    {
      library.pointee.sd_bus_match_signal(bus, nil, Self.name, path, interface, member, handler, context) >= 0
    }
    guard hear(Self.root, Self.manager, "PrepareForSleep", { message, this, _ in tell(this) { $0.sleep(message) } }),
      hear(Self.root, Self.manager, "SessionNew", { message, this, _ in tell(this) { $0.sessionNew(message) } }),
      hear(
        Self.root, Self.manager, "SessionRemoved", { message, this, _ in tell(this) { $0.sessionRemoved(message) } }),
      hear(Self.root, Self.manager, "UserRemoved", { message, this, _ in tell(this) { $0.userRemoved(message) } }),
      hear(nil, Self.session, "Lock", { message, this, _ in tell(this) { $0.screenLock(message) } }),
      hear(
        nil, "org.freedesktop.DBus.Properties", "PropertiesChanged",
        { message, this, _ in tell(this) { $0.properties(message) } })
    else { return nil }
    // Also the question whether there is a logind at all.
    guard listSessions() else { return nil }
    delaySleep()
  }

  deinit {
    allowSleep()
    _ = library.pointee.sd_bus_flush_close_unref(bus)
  }

  // MARK: - For the loop

  package var descriptor: Int32 { library.pointee.sd_bus_get_fd(bus) }
  package var events: Int16 { Int16(truncatingIfNeeded: max(0, library.pointee.sd_bus_get_events(bus))) }

  /// Milliseconds until the bus wants to be served whatever comes.
  package var millisecondsToWait: Int64 {
    var moment: UInt64 = 0
    guard library.pointee.sd_bus_get_timeout(bus, &moment) >= 0, moment != .max else { return .max }
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    let now = UInt64(max(0, time.tv_sec)) &* 1_000_000 &+ UInt64(max(0, time.tv_nsec)) / 1000
    return moment <= now ? 0 : Int64(clamping: (moment - now) / 1000 + 1)
  }

  /// Takes in what came, and gives what happened.
  package func process() -> [Event] {
    while true {
      let result = library.pointee.sd_bus_process(bus, nil)
      if result < 0 { happened.append(.lost) }
      if result <= 0 { break }
    }
    defer { happened = [] }
    return happened
  }

  // MARK: - Sleep

  /// Has the machine wait for us before it sleeps.
  package func delaySleep() {
    guard inhibitor < 0 else { return }
    call("Inhibit", ["sleep", "Seif", "Open vaults are locked first", "delay"]) { reply in
      var descriptor: Int32 = -1
      // The message closes its own.
      if library.pointee.sd_bus_message_read_basic(reply, Self.type("h"), &descriptor) > 0 {
        inhibitor = seif_duplicate(descriptor)
      }
    }
  }

  /// Lets it sleep.
  package func allowSleep() {
    if inhibitor >= 0 { close(inhibitor) }
    inhibitor = -1
  }

  // MARK: - Calls

  private static func type(_ letter: Unicode.Scalar) -> CChar { CChar(truncatingIfNeeded: letter.value) }

  private func call(_ member: String, _ texts: [String], _ body: (OpaquePointer) -> Void) {
    var message: OpaquePointer?
    guard
      library.pointee.sd_bus_message_new_method_call(bus, &message, Self.name, Self.root, Self.manager, member) >= 0
    else { return }
    defer { _ = library.pointee.sd_bus_message_unref(message) }
    for text in texts {
      let added = text.withCString { library.pointee.sd_bus_message_append_basic(message, Self.type("s"), $0) }
      guard added >= 0 else { return }
    }
    var error = sd_bus_error()
    defer { library.pointee.sd_bus_error_free(&error) }
    var reply: OpaquePointer?
    guard library.pointee.sd_bus_call(bus, message, Self.patienceMicroseconds, &error, &reply) >= 0, let reply
    else { return }
    body(reply)
    _ = library.pointee.sd_bus_message_unref(reply)
  }

  private func text(_ message: OpaquePointer?, _ letter: Unicode.Scalar = "s") -> String? {
    var text: UnsafePointer<CChar>?
    guard library.pointee.sd_bus_message_read_basic(message, Self.type(letter), &text) > 0, let text else { return nil }
    return String(cString: text)
  }

  private func number(_ message: OpaquePointer?) -> UInt32? {
    var number: UInt32 = 0
    return library.pointee.sd_bus_message_read_basic(message, Self.type("u"), &number) > 0 ? number : nil
  }

  private func flag(_ message: OpaquePointer?) -> Bool? {
    var flag: Int32 = 0
    return library.pointee.sd_bus_message_read_basic(message, Self.type("b"), &flag) > 0 ? flag != 0 : nil
  }

  private func inside(_ message: OpaquePointer?, _ kind: Unicode.Scalar, _ contents: String) -> Bool {
    library.pointee.sd_bus_message_enter_container(message, Self.type(kind), contents) > 0
  }

  private func outside(_ message: OpaquePointer?) { _ = library.pointee.sd_bus_message_exit_container(message) }

  private func listSessions() -> Bool {
    var isAnswered = false
    call("ListSessions", []) { reply in
      guard inside(reply, "a", "(susso)") else { return }
      isAnswered = true
      while inside(reply, "r", "susso") {
        if let id = text(reply), let user = number(reply), text(reply) != nil, let seat = text(reply),
          text(reply, "o") != nil, user == getuid(), !seat.isEmpty
        {
          seated.insert(id)
        }
        outside(reply)
      }
    }
    return isAnswered
  }

  /// The user of a session, and its seat; nil where logind doesn't say.
  private func owner(of path: String) -> (user: UInt32, seat: String)? {
    var user: UInt32?
    property("User", of: path, "(uo)") { reply in if inside(reply, "r", "uo") { user = number(reply) } }
    var seat: String?
    property("Seat", of: path, "(so)") { reply in if inside(reply, "r", "so") { seat = text(reply) } }
    return user.map { ($0, seat ?? "") }
  }

  private func property(_ member: String, of path: String, _ type: String, _ body: (OpaquePointer) -> Void) {
    var error = sd_bus_error()
    defer { library.pointee.sd_bus_error_free(&error) }
    var reply: OpaquePointer?
    guard
      library.pointee.sd_bus_get_property(bus, Self.name, path, Self.session, member, &error, &reply, type) >= 0,
      let reply
    else { return }
    body(reply)
    _ = library.pointee.sd_bus_message_unref(reply)
  }

  // MARK: - What comes

  private func sleep(_ message: OpaquePointer?) {
    if let isBefore = flag(message) { happened.append(isBefore ? .sleep : .wake) }
  }

  private func sessionNew(_ message: OpaquePointer?) {
    guard let id = text(message), let path = text(message, "o"), let owner = owner(of: path) else { return }
    if owner.user == getuid(), !owner.seat.isEmpty { seated.insert(id) }
  }

  private func sessionRemoved(_ message: OpaquePointer?) {
    guard let id = text(message) else { return }
    happened.append(.sessionEnd(id, hasSeat: seated.remove(id) != nil))
  }

  private func userRemoved(_ message: OpaquePointer?) {
    if number(message) == getuid() { happened.append(.userGone) }
  }

  private func screenLock(_ message: OpaquePointer?) {
    guard let path = library.pointee.sd_bus_message_get_path(message).map({ String(cString: $0) }) else { return }
    // Of another user's session only if logind says so: locking once too often does no harm.
    if let owner = owner(of: path), owner.user != getuid() { return }
    happened.append(.screenLock)
  }

  // Desktops that lock by themselves say it by this property, without the signal.
  private func properties(_ message: OpaquePointer?) {
    guard text(message) == Self.session, inside(message, "a", "{sv}") else { return }
    var isLocked = false
    while inside(message, "e", "sv") {
      if text(message) == "LockedHint", inside(message, "v", "b") {
        isLocked = flag(message) ?? false
        outside(message)
      } else {
        _ = library.pointee.sd_bus_message_skip(message, "v")
      }
      outside(message)
    }
    if isLocked { screenLock(message) }
  }
}

/// Hands on what C calls: the functions that it calls stand in no actor, and have the object as their context.
private func tell(_ context: UnsafeMutableRawPointer?, _ body: (Logind) -> Void) -> Int32 {
  if let context { body(Unmanaged<Logind>.fromOpaque(context).takeUnretainedValue()) }
  return 0
}
