internal import CSystemd
internal import Glibc
internal import SeifVault

/// Who keeps secrets for the desktop's session: the owner of `org.freedesktop.secrets`. Only looked at: nobody is started,
/// unlocked or asked for a secret.
package enum SecretService: Sendable, Equatable {
  /// There is no bus of the session on this machine, or no library that speaks to it.
  case unknown
  /// Nobody offers one.
  case nobody
  /// A process by its name does; `isLocked` is of its default collection, nil where it has none.
  case owned(program: String, process: Int, isLocked: Bool?)

  private static let name = "org.freedesktop.secrets"
  private static let bus = "org.freedesktop.DBus"
  private static let patienceMicroseconds: UInt64 = 2_000_000

  /// - Parameter address: of the session's bus. Only one on this machine is spoken to: `unix:…`.
  package init(at address: String) {
    guard address.hasPrefix("unix:"), !address.contains(";"),
      let library = seif_load_libsystemd("libsystemd.so.0"), let bus = Self.connect(library, address)
    else {
      self = .unknown
      return
    }
    defer { _ = library.pointee.sd_bus_flush_close_unref(bus) }
    let ask = BusQuestions(library: library, bus: bus)
    guard let owner = ask.text("GetNameOwner", Self.name) else {
      // The bus says so itself; one that doesn't answer at all isn't a bus.
      self = ask.text("GetNameOwner", Self.bus) == nil ? .unknown : .nobody
      return
    }
    let process = Int(ask.number("GetConnectionUnixProcessID", owner) ?? 0)
    self = .owned(program: Self.program(process), process: process, isLocked: ask.isLocked(owner))
  }

  private static func connect(_ library: UnsafePointer<seif_libsystemd>, _ address: String) -> OpaquePointer? {
    var bus: OpaquePointer?
    guard library.pointee.sd_bus_new(&bus) >= 0, let bus else { return nil }
    guard library.pointee.sd_bus_set_address(bus, address) >= 0, library.pointee.sd_bus_set_bus_client(bus, 1) >= 0,
      library.pointee.sd_bus_set_method_call_timeout(bus, patienceMicroseconds) >= 0,
      library.pointee.sd_bus_start(bus) >= 0
    else {
      _ = library.pointee.sd_bus_flush_close_unref(bus)
      return nil
    }
    return bus
  }

  /// A process's program: the last part of its path, else the kernel's short name for it.
  private static func program(_ process: Int) -> String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/\(process)/exe", &buffer, buffer.count)
    let path = String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return path.split(separator: "/").last.map(String.init) ?? "a program"
  }

  /// The questions to the bus and to whoever owns the name.
  private struct BusQuestions {
    let library: UnsafePointer<seif_libsystemd>
    let bus: OpaquePointer

    func text(_ member: String, _ argument: String) -> String? {
      var text: UnsafePointer<CChar>?
      var result: String?
      call(member, argument) { reply in
        if library.pointee.sd_bus_message_read_basic(reply, CChar(UInt8(ascii: "s")), &text) > 0 {
          result = text.map { String(cString: $0) }
        }
      }
      return result
    }

    func number(_ member: String, _ argument: String) -> UInt32? {
      var number: UInt32 = 0
      var isThere = false
      call(member, argument) { reply in
        isThere = library.pointee.sd_bus_message_read_basic(reply, CChar(UInt8(ascii: "u")), &number) > 0
      }
      return isThere ? number : nil
    }

    /// Of the default collection; asked of the owner by its own name, so that nobody is started for it.
    func isLocked(_ owner: String) -> Bool? {
      var error = sd_bus_error()
      defer { library.pointee.sd_bus_error_free(&error) }
      var isLocked: Int32 = 0
      let result = library.pointee.sd_bus_get_property_trivial(
        bus, owner, "/org/freedesktop/secrets/aliases/default", "org.freedesktop.Secret.Collection", "Locked", &error,
        CChar(UInt8(ascii: "b")), &isLocked)
      return result >= 0 ? isLocked != 0 : nil
    }

    private func call(_ member: String, _ argument: String, _ body: (OpaquePointer) -> Void) {
      var message: OpaquePointer?
      guard
        library.pointee.sd_bus_message_new_method_call(
          bus, &message, SecretService.bus, "/org/freedesktop/DBus", SecretService.bus, member) >= 0
      else { return }
      defer { _ = library.pointee.sd_bus_message_unref(message) }
      let added = argument.withCString {
        library.pointee.sd_bus_message_append_basic(message, CChar(UInt8(ascii: "s")), $0)
      }
      guard added >= 0 else { return }
      var error = sd_bus_error()
      defer { library.pointee.sd_bus_error_free(&error) }
      var reply: OpaquePointer?
      let answered = library.pointee.sd_bus_call(bus, message, SecretService.patienceMicroseconds, &error, &reply)
      guard answered >= 0, let reply else { return }
      body(reply)
      _ = library.pointee.sd_bus_message_unref(reply)
    }
  }
}
