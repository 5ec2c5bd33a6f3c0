internal import CSeif
internal import Glibc
internal import Synchronization

/// The terminal's second screen, of which nothing stays: no line reaches the scrollback, and what was drawn is erased
/// before it is left, on every way out (the end, SIGINT, SIGTERM, SIGHUP, and while the process is stopped).
final class AlternateScreen: Sendable {
  private let descriptor: Int32
  private let before: termios
  private let key = Mutex<UInt64?>(nil)
  /// What is on the screen, drawn anew after a stop.
  private let lines = Mutex<[String]>([])
  /// The rows that were ever drawn, to erase.
  private static let rows = 24

  /// Takes the terminal over, without echo and a key at a time; nil where there is none.
  init?(_ context: Context) {
    guard let path = context.terminalPath else { return nil }
    // One keeper of the terminal's attributes at a time; no question follows.
    context.hiddenInput.end()
    descriptor = seif_open(path, O_RDWR | O_CLOEXEC | O_NOCTTY, 0)
    var attributes = termios()
    guard descriptor >= 0, tcgetattr(descriptor, &attributes) == 0 else {
      if descriptor >= 0 { close(descriptor) }
      return nil
    }
    before = attributes
    let (descriptor, before) = (descriptor, before)
    let leave: @Sendable () -> Void = { Self.leave(descriptor, before) }
    let enter: @Sendable () -> Void = { [weak self] in
      Self.enter(descriptor, before)
      self?.draw()
    }
    let added = Interrupts.add(.init(end: leave, suspend: leave, resume: enter, endsLine: true))
    key.withLock { $0 = added }
    Self.enter(descriptor, before)
  }

  deinit {
    end()
    close(descriptor)
  }

  /// Erases it and gives the terminal back.
  func end() {
    let (descriptor, before) = (descriptor, before)
    key.withLock { key in
      guard let added = key else { return }
      key = nil
      Interrupts.remove(added) {
        Self.leave(descriptor, before)
        return true
      } if: {
        $0
      }
    }
  }

  /// Shows lines from the top; only lines that changed are written.
  func show(_ new: [String]) {
    let changed = lines.withLock { lines in
      let old = lines
      lines = Array(new.prefix(Self.rows))
      return lines.enumerated().filter { !old.indices.contains($0.offset) || old[$0.offset] != $0.element }
    }
    Self.put(changed.map { Self.line($0.offset, $0.element) }.joined(), on: descriptor)
  }

  /// Waits for keys.
  /// - Returns: the bytes that came, none at the end of input; nil where none come within so many milliseconds.
  func keys(within milliseconds: Int32) -> [UInt8]? {
    var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&poller, 1, milliseconds) > 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
    return Array(bytes.prefix(max(0, count)))
  }

  private func draw() {
    let lines = lines.withLock { $0 }
    Self.put(lines.enumerated().map { Self.line($0.offset, $0.element) }.joined(), on: descriptor)
  }

  private static func line(_ row: Int, _ text: String) -> String { "\u{1B}[\(row + 1);1H\u{1B}[2K\(text)" }

  private static func enter(_ descriptor: Int32, _ before: termios) {
    var attributes = before
    attributes.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON)
    attributes.c_lflag |= tcflag_t(ISIG)
    set(descriptor, attributes)
    put("\u{1B}[?1049h\u{1B}[?25l" + erasure, on: descriptor)
  }

  private static func leave(_ descriptor: Int32, _ before: termios) {
    put(erasure + "\u{1B}[?25h\u{1B}[?1049l", on: descriptor)
    tcflush(descriptor, TCIFLUSH)
    set(descriptor, before)
  }

  /// Line by line: some terminals push what "clear screen" clears into their scrollback.
  private static let erasure = (0..<rows).map { line($0, "") }.joined() + "\u{1B}[1;1H"

  private static func set(_ descriptor: Int32, _ attributes: termios) {
    var attributes = attributes
    while tcsetattr(descriptor, TCSANOW, &attributes) != 0, errno == EINTR {}
  }

  private static func put(_ text: String, on descriptor: Int32) {
    var text = text
    text.withUTF8 { _ = Descriptor.writeAll($0.span.bytes, to: descriptor) }
  }
}
