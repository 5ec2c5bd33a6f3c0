internal import CSeif
internal import Glibc

/// The clipboard of a Wayland desktop that lets programs without a window have it.
final class WaylandSelection: OwnedSelection {
  let way = ClipboardWay.wayland
  var descriptor: Int32 { connection.descriptor }
  private let desktop: WaylandDesktop
  private var connection: WaylandConnection { desktop.connection }
  private let message: ClipboardMessage
  private var isOurs = true
  private var hasPrimary = false

  /// Objects after those of the desktop.
  private enum Object {
    static let source: UInt32 = 7
    static let firstRound: UInt32 = 8
    /// After the first round, so that without it no number is left out.
    static let primarySource: UInt32 = 9
    static let secondRound: UInt32 = 10
  }

  /// Whether a desktop has the protocol; takes nothing.
  static func check(path: String) throws(ClipboardError) { _ = try WaylandDesktop(path: path).clipboard() }

  init(_ message: ClipboardMessage, path: String) throws(ClipboardError) {
    self.message = message
    desktop = try WaylandDesktop(path: path)
    let knowsPrimary = try desktop.takeDevice()
    offer(Object.source, message.isASCII, by: 0)
    try round(Object.firstRound)
    if message.options.alsoPrimary, knowsPrimary {
      offer(Object.primarySource, message.isASCII, by: 2)
      hasPrimary = true
      try round(Object.secondRound)
    }
  }

  func answer() -> Bool {
    guard connection.receive() else { return false }
    while var event = connection.next() { if !desktop.note(&event) { handle(&event) } }
    return isOurs
  }

  func end() {
    // Taking the source away clears the selection only as long as it is the one that is offered.
    connection.send(Object.source, 1)
    if hasPrimary { connection.send(Object.primarySource, 1) }
  }

  /// Makes a source with all formats, and the selection of it.
  private func offer(_ source: UInt32, _ isASCII: Bool, by request: Int) {
    connection.send(WaylandDesktop.Object.manager, 0, .number(source))
    for format in ["text/plain;charset=utf-8", "UTF8_STRING", "text/plain", ClipboardMessage.hintName] {
      connection.send(source, 0, .text(format))
    }
    // Programs that come from X take these for Latin-1.
    if isASCII { for format in ["STRING", "TEXT"] { connection.send(source, 0, .text(format)) } }
    connection.send(WaylandDesktop.Object.device, request, .number(source))
  }

  private func round(_ number: UInt32) throws(ClipboardError) {
    try desktop.round(number) { (event) throws(ClipboardError) in
      handle(&event)
      if !isOurs { throw .takenAtOnce }
    }
  }

  private func handle(_ event: inout WaylandConnection.Event) {
    switch (event.object, event.opcode) {
    case (WaylandDesktop.Object.display, 0): isOurs = false  // an error, after which the connection ends
    case (Object.source, 0), (Object.primarySource, 0): give(event.text() ?? "")
    case (Object.source, 1): isOurs = false
    case (WaylandDesktop.Object.device, 0):
      // What others copied is offered to us too; we don't want it.
      if let offer = event.number() { connection.send(offer, 1) }
    case (WaylandDesktop.Object.device, 2): isOurs = false  // the seat is gone
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
      message.withText(put)
    }
  }
}
