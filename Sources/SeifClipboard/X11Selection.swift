internal import CClipboard
internal import Glibc

/// libxcb's functions, loaded by whoever first has to do with an X display.
nonisolated(unsafe) let libxcb: UnsafePointer<seif_libxcb>? = seif_load_libxcb("libxcb.so.1")

/// The clipboard of an X display (ICCCM 2.0, section 2), owned by a window that is never shown.
///
/// libxcb keeps what it sends in memory of its own, which isn't locked; it goes with the process.
final class X11Selection: OwnedSelection {
  let way = ClipboardWay.x11
  let descriptor: Int32
  private let x: UnsafePointer<seif_libxcb>
  private let connection: OpaquePointer
  private let window: xcb_window_t
  private let time: xcb_timestamp_t
  private let clipboard: xcb_atom_t
  private let message: ClipboardMessage
  /// The formats that we give, with their answers.
  private let formats: [(target: xcb_atom_t, type: xcb_atom_t, answer: Answer)]
  /// What is ours now.
  private var owned: Set<xcb_atom_t> = []

  private enum Answer { case targets, timestamp, text, hint }

  init(_ message: ClipboardMessage, display: String) throws(ClipboardError) {
    guard let name = Self.localName(display) else { throw .displayElsewhere }
    guard let x = libxcb else { throw .libraryMissing }
    guard let connection = x.pointee.xcb_connect(name, nil), x.pointee.xcb_connection_has_error(connection) == 0 else {
      throw .displayRefused
    }
    let root = seif_xcb_root(x, connection)
    guard root != 0 else { throw .displayRefused }
    func atom(_ name: String) -> xcb_atom_t { seif_xcb_atom(x, connection, name) }
    let (utf8, string) = (atom("UTF8_STRING"), xcb_atom_t(XCB_ATOM_STRING.rawValue))
    let hint = atom(ClipboardMessage.hintName)
    var formats: [(xcb_atom_t, xcb_atom_t, Answer)] = [
      (atom("TARGETS"), xcb_atom_t(XCB_ATOM_ATOM.rawValue), .targets),
      (atom("TIMESTAMP"), xcb_atom_t(XCB_ATOM_INTEGER.rawValue), .timestamp),
      (utf8, utf8, .text),
    ]
    for name in ["text/plain;charset=utf-8"] { formats.append((atom(name), atom(name), .text)) }
    if message.isASCII {
      // STRING is Latin-1 by its definition: only where the two are the same bytes.
      formats += [
        (string, string, .text), (atom("TEXT"), string, .text), (atom("text/plain"), atom("text/plain"), .text),
      ]
    }
    formats.append((hint, hint, .hint))
    self.x = x
    self.connection = connection
    self.message = message
    self.formats = formats
    clipboard = atom("CLIPBOARD")
    descriptor = x.pointee.xcb_get_file_descriptor(connection)
    window = seif_xcb_window(x, connection, root)
    time = try Self.serverTime(x, connection, window, property: hint)
    let primary = xcb_atom_t(XCB_ATOM_PRIMARY.rawValue)
    for selection in message.options.alsoPrimary ? [clipboard, primary] : [clipboard] {
      _ = x.pointee.xcb_set_selection_owner(connection, window, selection, time)
      if seif_xcb_owner(x, connection, selection) == window { owned.insert(selection) }
    }
    guard owned.contains(clipboard) else { throw .takenAtOnce }
  }

  func answer() -> Bool {
    while let event = x.pointee.xcb_poll_for_event(connection) {
      defer { free(event) }
      let raw = UnsafeRawPointer(event)
      switch Int32(event.pointee.response_type & 0x7F) {
      case XCB_SELECTION_REQUEST:
        answer(raw.loadUnaligned(as: xcb_selection_request_event_t.self))
      case XCB_SELECTION_CLEAR:
        owned.remove(raw.loadUnaligned(as: xcb_selection_clear_event_t.self).selection)
      default: break
      }
    }
    _ = x.pointee.xcb_flush(connection)
    return owned.contains(clipboard) && x.pointee.xcb_connection_has_error(connection) == 0
  }

  func end() {
    // With our time: the server passes over it where somebody else took the selection since.
    for selection in owned { _ = x.pointee.xcb_set_selection_owner(connection, 0, selection, time) }
    _ = x.pointee.xcb_flush(connection)
    x.pointee.xcb_disconnect(connection)
  }

  private func answer(_ request: xcb_selection_request_event_t) {
    var request = request
    // Obsolete clients name no property; the target stands for it (ICCCM 2.2).
    var property = request.property == 0 ? request.target : request.property
    if let format = formats.first(where: { $0.target == request.target }), owned.contains(request.selection) {
      func put(_ bytes: UnsafeRawBufferPointer, bits: UInt8) {
        _ = x.pointee.xcb_change_property(
          connection, UInt8(XCB_PROP_MODE_REPLACE.rawValue), request.requestor, property, format.type, bits,
          UInt32(bytes.count / Int(bits / 8)), bytes.baseAddress)
      }
      switch format.answer {
      case .targets: formats.map(\.target).withUnsafeBytes { put($0, bits: 32) }
      case .timestamp: withUnsafeBytes(of: time) { put($0, bits: 32) }
      case .text: message.withText { put($0, bits: 8) }
      case .hint: ClipboardMessage.hintValue.withUnsafeBytes { put($0, bits: 8) }
      }
    } else {
      property = 0
    }
    seif_xcb_answer(x, connection, &request, property)
  }

  /// The server's clock, by which ownership is ordered: it stands in the notice of a change of a property.
  private static func serverTime(
    _ x: UnsafePointer<seif_libxcb>, _ connection: OpaquePointer, _ window: xcb_window_t, property: xcb_atom_t
  ) throws(ClipboardError) -> xcb_timestamp_t {
    _ = x.pointee.xcb_change_property(
      connection, UInt8(XCB_PROP_MODE_APPEND.rawValue), window, property, xcb_atom_t(XCB_ATOM_STRING.rawValue), 8, 0,
      nil)
    _ = x.pointee.xcb_flush(connection)
    while let event = x.pointee.xcb_wait_for_event(connection) {
      defer { free(event) }
      if Int32(event.pointee.response_type & 0x7F) == XCB_PROPERTY_NOTIFY {
        return UnsafeRawPointer(event).loadUnaligned(as: xcb_property_notify_event_t.self).time
      }
    }
    throw .displayRefused
  }

  /// The name of a display of this machine in the form that never leads to a network; nil for others, such as
  /// `localhost:10` of a secure shell.
  static func localName(_ display: String) -> String? {
    var rest = display[...]
    for prefix in ["unix/", "unix"] where rest.hasPrefix(prefix) {
      rest = rest.dropFirst(prefix.count)
      break
    }
    guard rest.first == ":" else { return nil }
    let parts = rest.dropFirst().split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let areNumbers = parts.allSatisfy { part in
      (1...5).contains(part.utf8.count) && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
    return areNumbers ? "unix/" + rest : nil
  }
}
