internal import CSeif
internal import Glibc
internal import SeifBytes

/// What was copied on a Wayland desktop that lets programs without a window have it: see ``WaylandSelection``.
final class WaylandCopied: CopiedFormats {
  var formats: [String] { selected.flatMap { offers[$0] } ?? [] }
  private let connection: WaylandConnection
  /// The formats of each offer.
  private var offers: [UInt32: [String]] = [:]
  private var selected: UInt32?
  private var hasFailed = false
  private var finishedRounds: Set<UInt32> = []

  /// Objects by the numbers that we give them.
  private enum Object {
    static let display: UInt32 = 1
    static let registry: UInt32 = 2
    static let firstRound: UInt32 = 3
    static let seat: UInt32 = 4
    static let manager: UInt32 = 5
    static let device: UInt32 = 6
    static let secondRound: UInt32 = 7
  }
  private var globals: [(name: UInt32, interface: String)] = []
  private static let managers = ["ext_data_control_manager_v1", "zwlr_data_control_manager_v1"]
  private static let secondsToAnswer: Int64 = 3
  /// More than a desktop with any sense offers.
  private static let formatLimit = 256

  init(path: String) throws(ClipboardError) {
    guard let connection = WaylandConnection(path: path) else { throw .displayRefused }
    self.connection = connection
    connection.send(Object.display, 1, .number(Object.registry))
    try round(Object.firstRound)
    let manager = Self.managers.lazy.compactMap { name in self.globals.first { $0.interface == name } }.first
    guard let manager, let seat = globals.first(where: { $0.interface == "wl_seat" }) else { throw .noDataControl }
    for (global, object) in [(seat, Object.seat), (manager, Object.manager)] {
      connection.send(
        Object.registry, 0, .number(global.name), .text(global.interface), .number(1), .number(object))
    }
    connection.send(Object.manager, 1, .number(Object.device), .number(Object.seat))
    try round(Object.secondRound)
    guard selected != nil else { throw .nothingCopied }
  }

  func read(_ format: String, byteLimit: Int) throws(ClipboardError) -> SecretValue {
    var ends: [Int32] = [-1, -1]
    guard let selected, seif_pipe(&ends) == 0 else { throw .silent }
    defer { close(ends[0]) }
    let isSent = connection.send(selected, 0, .text(format), with: ends[1])
    close(ends[1])
    guard isSent else { throw .displayRefused }
    return try PipeReading.read(ends[0], byteLimit: byteLimit)
  }

  private func round(_ number: UInt32) throws(ClipboardError) {
    let end = Moment.now + Self.secondsToAnswer * 1000
    connection.send(Object.display, 0, .number(number))
    while !finishedRounds.contains(number) {
      guard Wait.readable(connection.descriptor, until: end), connection.receive() else { throw .displayRefused }
      while var event = connection.next() { handle(&event) }
      if hasFailed { throw .displayRefused }
    }
  }

  private func handle(_ event: inout WaylandConnection.Event) {
    switch (event.object, event.opcode) {
    case (Object.display, 0): hasFailed = true
    case (Object.registry, 0):
      if let name = event.number(), let interface = event.text() { globals.append((name, interface)) }
    case (Object.firstRound, 0), (Object.secondRound, 0): finishedRounds.insert(event.object)
    case (Object.device, 0):
      if let offer = event.number(), offers.count < 16 { offers[offer] = [] }
    case (Object.device, 1):
      if let offer = event.number() { selected = offers[offer] == nil ? nil : offer }
    case (Object.device, 2): hasFailed = true
    default:
      if event.opcode == 0, let count = offers[event.object]?.count, count < Self.formatLimit,
        let format = event.text()
      {
        offers[event.object]?.append(format)
      }
    }
  }
}
