internal import CSeif
internal import Glibc

/// The clipboard of a Wayland desktop that lets programs without a window have it: `ext_data_control_manager_v1`, or
/// `zwlr_data_control_manager_v1`, from which it comes and whose requests have the same numbers.
final class WaylandSelection: OwnedSelection {
  let way = ClipboardWay.wayland
  var descriptor: Int32 { connection.descriptor }
  private let connection: WaylandConnection
  /// Nil where the desktop is only asked what it has.
  private let message: ClipboardMessage?
  private var isOurs = true
  private var hasPrimary = false

  /// Objects by the numbers that we give them: in the order in which they are made, without a gap.
  private enum Object {
    static let display: UInt32 = 1
    static let registry: UInt32 = 2
    static let firstRound: UInt32 = 3
    static let seat: UInt32 = 4
    static let manager: UInt32 = 5
    static let device: UInt32 = 6
    static let source: UInt32 = 7
    static let secondRound: UInt32 = 8
    /// After the second round, so that without it no number is left out.
    static let primarySource: UInt32 = 9
    static let thirdRound: UInt32 = 10
  }
  private struct Global {
    let name: UInt32
    let interface: String
    let version: UInt32
  }
  private var globals: [Global] = []
  private var finishedRounds: Set<UInt32> = []
  private static let secondsToAnswer: Int64 = 3

  private static let newName = "ext_data_control_manager_v1"
  private static let oldName = "zwlr_data_control_manager_v1"

  /// Whether a desktop has the protocol; takes nothing.
  static func check(path: String) throws(ClipboardError) {
    _ = try WaylandSelection(nil, path: path).findManager()
  }

  convenience init(_ message: ClipboardMessage, path: String) throws(ClipboardError) {
    try self.init(Optional(message), path: path)
    try take(message)
  }

  private init(_ message: ClipboardMessage?, path: String) throws(ClipboardError) {
    guard let connection = WaylandConnection(path: path) else { throw .displayRefused }
    self.connection = connection
    self.message = message
    connection.send(Object.display, 1, .number(Object.registry))
    try round(Object.firstRound)
  }

  private func findManager() throws(ClipboardError) -> (manager: Global, seat: Global) {
    let manager = globals.first { $0.interface == Self.newName } ?? globals.first { $0.interface == Self.oldName }
    guard let manager, let seat = globals.first(where: { $0.interface == "wl_seat" }) else { throw .noDataControl }
    return (manager, seat)
  }

  private func take(_ message: ClipboardMessage) throws(ClipboardError) {
    let (manager, seat) = try findManager()
    let version = manager.interface == Self.newName ? 1 : min(2, manager.version)
    bind(seat, version: 1, as: Object.seat)
    bind(manager, version: version, as: Object.manager)
    connection.send(Object.manager, 1, .number(Object.device), .number(Object.seat))
    offer(Object.source, message.isASCII, by: 0)
    try round(Object.secondRound)
    // The first version of the older protocol doesn't know the primary selection.
    if message.options.alsoPrimary, version > 1 || manager.interface == Self.newName {
      offer(Object.primarySource, message.isASCII, by: 2)
      hasPrimary = true
      try round(Object.thirdRound)
    }
  }

  func answer() -> Bool {
    guard connection.receive() else { return false }
    while var event = connection.next() { handle(&event) }
    return isOurs
  }

  func end() {
    // Taking the source away clears the selection only as long as it is the one that is offered.
    connection.send(Object.source, 1)
    if hasPrimary { connection.send(Object.primarySource, 1) }
  }

  private func bind(_ global: Global, version: UInt32, as object: UInt32) {
    connection.send(
      Object.registry, 0, .number(global.name), .text(global.interface), .number(version), .number(object))
  }

  /// Makes a source with all formats, and the selection of it.
  private func offer(_ source: UInt32, _ isASCII: Bool, by request: Int) {
    connection.send(Object.manager, 0, .number(source))
    for format in ["text/plain;charset=utf-8", "UTF8_STRING", "text/plain", ClipboardMessage.hintName] {
      connection.send(source, 0, .text(format))
    }
    // Programs that come from X take these for Latin-1.
    if isASCII { for format in ["STRING", "TEXT"] { connection.send(source, 0, .text(format)) } }
    connection.send(Object.device, request, .number(source))
  }

  /// Has the compositor answer everything that was asked so far.
  private func round(_ number: UInt32) throws(ClipboardError) {
    let end = Moment.now + Self.secondsToAnswer * 1000
    connection.send(Object.display, 0, .number(number))
    while !finishedRounds.contains(number) {
      guard Wait.readable(descriptor, until: end), connection.receive() else { throw .displayRefused }
      while var event = connection.next() { handle(&event) }
      if !isOurs { throw .takenAtOnce }
    }
  }

  private func handle(_ event: inout WaylandConnection.Event) {
    switch (event.object, event.opcode) {
    case (Object.display, 0): isOurs = false  // an error, after which the connection ends
    case (Object.registry, 0):
      if let name = event.number(), let interface = event.text(), let version = event.number() {
        globals.append(Global(name: name, interface: interface, version: version))
      }
    case (Object.firstRound, 0), (Object.secondRound, 0), (Object.thirdRound, 0): finishedRounds.insert(event.object)
    case (Object.source, 0), (Object.primarySource, 0): give(event.text() ?? "")
    case (Object.source, 1): isOurs = false
    case (Object.device, 0):
      // What others copied is offered to us too; we don't want it.
      if let offer = event.number() { connection.send(offer, 1) }
    case (Object.device, 2): isOurs = false  // the seat is gone
    default: break
    }
  }

  /// Writes the text, or the mark, to who asked. One that doesn't read is left after two seconds.
  private func give(_ format: String) {
    guard let receiver = connection.nextDescriptor() else { return }
    defer { close(receiver) }
    _ = seif_fcntl_setfl(receiver, seif_fcntl_getfl(receiver) | O_NONBLOCK)
    let end = Moment.now + 2000
    func put(_ bytes: UnsafeRawBufferPointer) {
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = write(receiver, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count > 0 {
          rest = rest.dropFirst(count)
        } else if count < 0, errno == EAGAIN {
          if !Wait.writable(receiver, until: end) { return }
        } else if count == 0 || errno != EINTR {
          return
        }
      }
    }
    if format == ClipboardMessage.hintName {
      ClipboardMessage.hintValue.withUnsafeBytes(put)
    } else {
      message?.withText(put)
    }
  }
}
