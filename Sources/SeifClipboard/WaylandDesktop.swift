internal import CSeif
internal import Glibc

/// A Wayland desktop, for programs without a window: what it has, and the device of its clipboard
/// (`ext_data_control_manager_v1`, or `zwlr_data_control_manager_v1`, from which it comes and whose requests have the same
/// numbers).
final class WaylandDesktop {
  struct Global {
    let name: UInt32
    let interface: String
    let version: UInt32
  }

  /// Objects by the numbers that we give them: in the order in which they are made, without a gap. Those from 7 on are
  /// the caller's.
  enum Object {
    static let display: UInt32 = 1
    static let registry: UInt32 = 2
    static let firstRound: UInt32 = 3
    static let seat: UInt32 = 4
    static let manager: UInt32 = 5
    static let device: UInt32 = 6
  }

  let connection: WaylandConnection
  private var globals: [Global] = []

  private static let newName = "ext_data_control_manager_v1"
  private static let oldName = "zwlr_data_control_manager_v1"
  private static let secondsToAnswer: Int64 = 3
  /// More than a desktop with any sense has.
  private static let globalLimit = 4096

  init(path: String) throws(ClipboardError) {
    guard let connection = WaylandConnection(path: path) else { throw .displayRefused }
    self.connection = connection
    connection.send(Object.display, 1, .number(Object.registry))
    try round(Object.firstRound) { (event) throws(ClipboardError) in
      if Self.isError(event) { throw .displayRefused }
    }
  }

  /// What the clipboard is had by; takes nothing.
  func clipboard() throws(ClipboardError) -> (manager: Global, seat: Global) {
    let manager = globals.first { $0.interface == Self.newName } ?? globals.first { $0.interface == Self.oldName }
    guard let manager, let seat = globals.first(where: { $0.interface == "wl_seat" }) else { throw .noDataControl }
    return (manager, seat)
  }

  /// Takes the clipboard's device.
  /// - Returns: whether it has the primary selection too, which the first version of the older protocol doesn't know.
  func takeDevice() throws(ClipboardError) -> Bool {
    let (manager, seat) = try clipboard()
    let version = manager.interface == Self.newName ? 1 : min(2, manager.version)
    bind(seat, version: 1, as: Object.seat)
    bind(manager, version: version, as: Object.manager)
    connection.send(Object.manager, 1, .number(Object.device), .number(Object.seat))
    return version > 1 || manager.interface == Self.newName
  }

  private func bind(_ global: Global, version: UInt32, as object: UInt32) {
    connection.send(
      Object.registry, 0, .number(global.name), .text(global.interface), .number(version), .number(object))
  }

  /// Has the desktop answer everything that was asked so far.
  func round(
    _ number: UInt32, _ handle: (inout WaylandConnection.Event) throws(ClipboardError) -> Void
  ) throws(ClipboardError) {
    let end = Moment.now + Self.secondsToAnswer * 1000
    connection.send(Object.display, 0, .number(number))
    var isOver = false
    while !isOver {
      guard Wait.readable(connection.descriptor, until: end), connection.receive() else { throw .displayRefused }
      while var event = connection.next() {
        if event.object == number, event.opcode == 0 {
          isOver = true
        } else if !note(&event) {
          try handle(&event)
        }
      }
    }
  }

  /// Takes in what the desktop says it has.
  /// - Returns: false for every other event.
  func note(_ event: inout WaylandConnection.Event) -> Bool {
    guard event.object == Object.registry, event.opcode == 0 else { return false }
    if globals.count < Self.globalLimit, let name = event.number(), let interface = event.text(),
      let version = event.number()
    {
      globals.append(Global(name: name, interface: interface, version: version))
    }
    return true
  }

  /// Whether the desktop ends the connection with this event.
  static func isError(_ event: WaylandConnection.Event) -> Bool {
    event.object == Object.display && event.opcode == 0
  }
}
