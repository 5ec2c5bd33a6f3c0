internal import SeifCommandLine
internal import CSeif
internal import Glibc
internal import Synchronization

/// The terminal's second screen, of which nothing stays: no line reaches the scrollback, and what was drawn is erased
/// before it is left, on every way out (the end, SIGINT, SIGTERM, SIGHUP, a crash, and while the process is stopped).
final class AlternateScreen: Sendable {
  private enum Phase { case off, drawing, aside }
  private struct State {
    var phase = Phase.off
    var key: UInt64?
    /// What is on the screen, drawn anew after a stop.
    var lines: [String] = []
    /// The most rows that it ever had, to erase.
    var rows = 24
    /// Whether all has to be drawn anew.
    var isStale = true
    /// Whether the process went on after a stop.
    var wasStopped = false
  }
  private let descriptor: Int32
  private let before: termios
  private let state = Mutex(State())
  /// Set by who wants the screen back: a write that the terminal doesn't take ends then.
  private let isLeaving = Atomic(false)
  /// Wakes whoever waits for keys.
  private let wake: (reads: Int32, writes: Int32)

  /// Takes the terminal over, without echo and a key at a time; nil where there is none.
  init?(_ context: Context) {
    guard let path = context.terminalPath else { return nil }
    // One keeper of the terminal's attributes at a time; no question follows.
    context.hiddenInput.end()
    descriptor = seif_open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0)
    var attributes = termios()
    var ends: [Int32] = [-1, -1]
    guard descriptor >= 0, tcgetattr(descriptor, &attributes) == 0, seif_pipe(&ends) == 0 else {
      if descriptor >= 0 { close(descriptor) }
      return nil
    }
    before = attributes
    wake = (ends[0], ends[1])
    for end in ends { _ = seif_fcntl_setfl(end, O_NONBLOCK) }
    let added = Interrupts.add(
      .init(
        end: { [weak self] in self?.leave(.off) }, suspend: { [weak self] in self?.suspend() },
        resume: { [weak self] in self?.resume() }, resized: { [weak self] in self?.rouse() }, endsLine: true))
    state.withLock { $0.key = added }
    CrashedScreen.arm(descriptor, before, hasScreen: true)
    enter(.drawing)
  }

  deinit {
    end()
    close(descriptor)
    close(wake.reads)
    close(wake.writes)
  }

  /// Erases it and gives the terminal back.
  func end() {
    guard let key = state.withLock({ $0.key }) else { return }
    Interrupts.remove(key) {
      leave(.off)
      state.withLock { $0.key = nil }
      return true
    } if: {
      $0
    }
    CrashedScreen.disarm()
  }

  /// Rows and columns.
  var size: (rows: Int, columns: Int) {
    let packed = Int(seif_terminal_size(descriptor))
    guard packed > 0 else { return (24, 80) }
    // What a terminal says of itself is bounded: a screen is made of it.
    let (rows, columns) = (min(packed >> 16, 500), min(packed & 0xFFFF, 1000))
    state.withLock { $0.rows = max($0.rows, rows) }
    CrashedScreen.cover(rows)
    return (rows, columns)
  }

  /// Whether something but us changed the screen since this was asked last: a stop, another that had it meanwhile.
  func takeStale() -> Bool {
    state.withLock { state in
      defer { state.isStale = false }
      return state.isStale
    }
  }

  /// Whether the process was stopped since this was asked last.
  func takeStopped() -> Bool {
    state.withLock { state in
      defer { state.wasStopped = false }
      return state.wasStopped
    }
  }

  /// Shows lines from the top; only lines that changed are written.
  func show(_ new: [String]) {
    state.withLock { state in
      let old = state.lines
      state.lines = Array(new.prefix(24))
      let changed = state.lines.enumerated().filter { !old.indices.contains($0.offset) || old[$0.offset] != $0.element }
      if state.phase == .drawing { put(changed.map { Self.line($0.offset, $0.element) }.joined()) }
    }
  }

  /// Writes what moves the cursor itself; not while somebody else has the screen.
  func write(_ bytes: [UInt8]) {
    state.withLock { state in
      if state.phase == .drawing { put(bytes.span.bytes) }
    }
  }

  /// Waits for keys.
  /// - Returns: the bytes that came, none at the end of input; nil where none come within so many milliseconds, or the
  ///   terminal changed.
  func keys(within milliseconds: Int32) -> [UInt8]? {
    var pollers = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: wake.reads, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&pollers, 2, milliseconds) > 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 64)
    if pollers[1].revents != 0 {
      _ = bytes.withUnsafeMutableBytes { read(wake.reads, $0.baseAddress, $0.count) }
      if pollers[0].revents == 0 { return nil }
    }
    let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
    if count < 0, errno == EAGAIN || errno == EINTR { return nil }
    return Array(bytes.prefix(max(0, count)))
  }

  /// Gives the terminal, still on this screen, to questions that are asked line by line, and erases what they leave.
  func aside<Result>(_ context: Context, _ body: () throws -> Result) rethrows -> Result {
    state.withLock { state in
      guard state.phase == .drawing else { return }
      // What was typed before the question stands there is no answer to it.
      tcflush(descriptor, TCIFLUSH)
      put(Self.erasure(state.rows) + "\u{1B}[?2004l\u{1B}[?7h\u{1B}[?25h")
      set(before)
      state.phase = .aside
    }
    defer {
      context.hiddenInput.end()
      state.withLock { state in
        if state.phase == .aside {
          tcflush(descriptor, TCIFLUSH)
          set(Self.raw(before))
          put("\u{1B}[?2004h\u{1B}[?7l\u{1B}[?25l" + Self.erasure(state.rows))
          state.phase = .drawing
          state.isStale = true
        }
      }
    }
    return try body()
  }

  // MARK: - In and out

  private func enter(_ phase: Phase) {
    state.withLock { state in
      CrashedScreen.setOn(true)
      set(phase == .aside ? before : Self.raw(before))
      put("\u{1B}[?1049h" + (phase == .aside ? "" : "\u{1B}[?2004h\u{1B}[?7l\u{1B}[?25l") + Self.erasure(state.rows))
      state.phase = phase
      state.isStale = true
      if phase == .drawing { put(state.lines.enumerated().map { Self.line($0.offset, $0.element) }.joined()) }
    }
  }

  private func leave(_ phase: Phase) {
    isLeaving.store(true, ordering: .relaxed)
    state.withLock { state in
      isLeaving.store(false, ordering: .relaxed)
      guard state.phase != .off else { return }
      put(
        "\u{1B}[0m\u{1B}[?2004l\u{1B}[?7h" + Self.erasure(state.rows) + "\u{1B}[?25h\u{1B}[?1049l", milliseconds: 2_000)
      tcflush(descriptor, TCIFLUSH)
      set(before)
      // From here on it is the shell's: a crash while stopped must not erase that.
      CrashedScreen.setOn(false)
      state.phase = phase
    }
  }

  /// What was going on before a stop.
  private let suspended = Mutex(Phase.off)

  private func suspend() {
    suspended.withLock { suspended in suspended = state.withLock { $0.phase } }
    leave(.off)
  }

  private func resume() {
    let phase = suspended.withLock { suspended in
      defer { suspended = .off }
      return suspended
    }
    if phase != .off { enter(phase) }
    state.withLock { $0.wasStopped = true }
    rouse()
  }

  private func rouse() {
    var byte: UInt8 = 1
    _ = Glibc.write(wake.writes, &byte, 1)
  }

  // MARK: - Bytes

  private static func line(_ row: Int, _ text: String) -> String { "\u{1B}[\(row + 1);1H\u{1B}[2K\(text)" }

  private static func raw(_ before: termios) -> termios {
    var attributes = before
    attributes.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | IEXTEN)
    attributes.c_lflag |= tcflag_t(ISIG)
    // Ctrl-S would stop the clock on the screen, and Enter is Enter.
    attributes.c_iflag &= ~tcflag_t(IXON)
    return attributes
  }

  /// Line by line: some terminals push what "clear screen" clears into their scrollback.
  static func erasure(_ rows: Int) -> String { (0..<rows).map { line($0, "") }.joined() + "\u{1B}[1;1H" }

  private func set(_ attributes: termios) {
    var attributes = attributes
    while tcsetattr(descriptor, TCSANOW, &attributes) != 0, errno == EINTR {}
  }

  private func put(_ text: String, milliseconds: Int64 = .max) {
    var text = text
    text.withUTF8 { put($0.span.bytes, milliseconds: milliseconds) }
  }

  /// Writes all, unless the terminal takes nothing and somebody wants the screen back.
  private func put(_ bytes: RawSpan, milliseconds: Int64 = .max) {
    bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      let start = Clock.monotonicMilliseconds()
      while !rest.isEmpty {
        let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count > 0 {
          rest = rest.dropFirst(count)
        } else if count < 0, errno == EAGAIN {
          if milliseconds == .max, isLeaving.load(ordering: .relaxed) { return }
          if Clock.monotonicMilliseconds() - start > milliseconds { return }
          var poller = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          _ = poll(&poller, 1, 100)
        } else if count == 0 || errno != EINTR {
          return
        }
      }
    }
  }
}
