internal import CSeif
internal import Glibc
internal import SeifBytes

/// What was copied on a Wayland desktop that lets programs without a window have it: see ``WaylandSelection``.
final class WaylandCopied: CopiedFormats {
  var formats: [String] { selected.flatMap { offers[$0] } ?? [] }
  private let desktop: WaylandDesktop
  /// The formats of each offer.
  private var offers: [UInt32: [String]] = [:]
  private var selected: UInt32?
  private static let round: UInt32 = 7
  /// More than a desktop with any sense offers.
  private static let (offerLimit, formatLimit) = (16, 256)

  init(path: String) throws(ClipboardError) {
    desktop = try WaylandDesktop(path: path)
    _ = try desktop.takeDevice()
    try desktop.round(Self.round) { (event) throws(ClipboardError) in try handle(&event) }
    guard selected != nil else { throw .nothingCopied }
  }

  func read(_ format: String, byteLimit: Int) throws(ClipboardError) -> SecretValue {
    var ends: [Int32] = [-1, -1]
    guard let selected, seif_pipe(&ends) == 0 else { throw .silent }
    defer { close(ends[0]) }
    let isSent = desktop.connection.send(selected, 0, .text(format), with: ends[1])
    close(ends[1])
    guard isSent else { throw .displayRefused }
    return try PipeReading.read(ends[0], byteLimit: byteLimit)
  }

  private func handle(_ event: inout WaylandConnection.Event) throws(ClipboardError) {
    if WaylandDesktop.isError(event) { throw .displayRefused }
    switch (event.object, event.opcode) {
    case (WaylandDesktop.Object.device, 0):
      if let offer = event.number(), offers.count < Self.offerLimit { offers[offer] = [] }
    case (WaylandDesktop.Object.device, 1):
      if let offer = event.number() { selected = offers[offer] == nil ? nil : offer }
    case (WaylandDesktop.Object.device, 2): throw .displayRefused
    default:
      if event.opcode == 0, let count = offers[event.object]?.count, count < Self.formatLimit,
        let format = event.text()
      {
        offers[event.object]?.append(format)
      }
    }
  }
}
