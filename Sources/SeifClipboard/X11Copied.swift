internal import CClipboard
internal import Glibc
internal import SeifBytes

/// A connection to an X display of this machine, for what only looks.
final class X11Connection {
  let x: UnsafePointer<seif_libxcb>
  let connection: OpaquePointer

  init(display: String) throws(ClipboardError) {
    guard let name = X11Selection.localName(display) else { throw .displayElsewhere }
    guard let x = libxcb else { throw .libraryMissing }
    guard let connection = x.pointee.xcb_connect(name, nil) else { throw .displayRefused }
    self.x = x
    self.connection = connection
    guard x.pointee.xcb_connection_has_error(connection) == 0 else { throw .displayRefused }
  }

  deinit { x.pointee.xcb_disconnect(connection) }
}

/// What was copied on an X display (ICCCM 2.0, section 2).
final class X11Copied: CopiedFormats {
  private(set) var formats: [String] = []
  private let display: X11Connection
  private let window: xcb_window_t
  private let clipboard: xcb_atom_t
  private let property: xcb_atom_t
  private let incremental: xcb_atom_t
  private static let names = [
    "UTF8_STRING", "text/plain;charset=utf-8", "text/plain", "STRING", "image/png", "image/jpeg",
  ]
  /// Of one property; larger contents come in pieces.
  private static let pieceLimit: UInt32 = 8 << 20

  init(display name: String) throws(ClipboardError) {
    display = try X11Connection(display: name)
    let (x, connection) = (display.x, display.connection)
    let root = seif_xcb_root(x, connection)
    guard root != 0 else { throw .displayRefused }
    func atom(_ name: String) -> xcb_atom_t { seif_xcb_atom(x, connection, name) }
    window = seif_xcb_window(x, connection, root)
    (clipboard, property, incremental) = (atom("CLIPBOARD"), atom("seif-copied"), atom("INCR"))
    guard seif_xcb_owner(x, connection, clipboard) != 0 else { throw .nothingCopied }
    let targets = try convert(atom("TARGETS"), byteLimit: 65_536)
    // EXPOSE: the numbers of formats.
    let bytes = targets.exposedBytes()
    let offered = Set(
      stride(from: 0, to: bytes.count / 4 * 4, by: 4).map { start in
        bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: start, as: xcb_atom_t.self) }
      })
    formats = Self.names.filter { offered.contains(atom($0)) }
  }

  func read(_ format: String, byteLimit: Int) throws(ClipboardError) -> SecretValue {
    try convert(seif_xcb_atom(display.x, display.connection, format), byteLimit: byteLimit)
  }

  private func convert(_ target: xcb_atom_t, byteLimit: Int) throws(ClipboardError) -> SecretValue {
    let (x, connection) = (display.x, display.connection)
    let end = Moment.now + PipeReading.millisecondsInAll
    _ = x.pointee.xcb_convert_selection(connection, window, clipboard, target, property, 0)
    _ = x.pointee.xcb_flush(connection)
    let answer = try event(XCB_SELECTION_NOTIFY, before: end) { raw in
      raw.loadUnaligned(as: xcb_selection_notify_event_t.self).property
    }
    guard answer == property else { throw .silent }
    let whole = try take(byteLimit)
    guard whole.type == incremental else { return whole.value }
    // In pieces: each comes once the one before was taken away, and an empty one ends them.
    var contents = SecretBuffer()
    while true {
      let isNew = try event(XCB_PROPERTY_NOTIFY, before: end) { [property] raw in
        let notice = raw.loadUnaligned(as: xcb_property_notify_event_t.self)
        return notice.atom == property && UInt32(notice.state) == XCB_PROPERTY_NEW_VALUE.rawValue
      }
      guard isNew else { continue }
      let piece = try take(byteLimit - contents.byteCount)
      if piece.value.isEmpty { return contents.finish() }
      contents.append(piece.value)
    }
  }

  /// The property's value, which is taken away with it.
  private func take(_ byteLimit: Int) throws(ClipboardError) -> (type: xcb_atom_t, value: SecretValue) {
    let (x, connection) = (display.x, display.connection)
    let asked = x.pointee.xcb_get_property(connection, 1, window, property, 0, 0, Self.pieceLimit / 4)
    guard let reply = x.pointee.xcb_get_property_reply(connection, asked, nil) else { throw .silent }
    defer { free(reply) }
    _ = x.pointee.xcb_flush(connection)
    let count = Int(x.pointee.xcb_get_property_value_length(reply))
    guard reply.pointee.bytes_after == 0, count <= byteLimit else { throw .copiedTooLarge }
    guard count > 0, let start = x.pointee.xcb_get_property_value(reply) else { return (reply.pointee.type, .empty) }
    defer { explicit_bzero(start, count) }
    return (reply.pointee.type, SecretValue(copying: UnsafeRawBufferPointer(start: start, count: count).bytes))
  }

  /// The next event of a kind; others are passed over.
  private func event<Result>(
    _ kind: Int32, before last: Int64, _ read: (UnsafeRawPointer) -> Result
  ) throws(ClipboardError) -> Result {
    let (x, connection) = (display.x, display.connection)
    let end = min(last, Moment.now + PipeReading.millisecondsToWait)
    while x.pointee.xcb_connection_has_error(connection) == 0 {
      // Also where events of other kinds never end.
      guard Moment.now < end else { throw .silent }
      if let event = x.pointee.xcb_poll_for_event(connection) {
        defer { free(event) }
        if Int32(event.pointee.response_type & 0x7F) == kind { return read(UnsafeRawPointer(event)) }
        continue
      }
      guard Wait.readable(x.pointee.xcb_get_file_descriptor(connection), until: end) else { throw .silent }
    }
    throw .displayRefused
  }
}
