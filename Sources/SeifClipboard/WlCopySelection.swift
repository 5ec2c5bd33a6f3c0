internal import CSeif
internal import Glibc
internal import SeifProcesses

/// The clipboard by the program `wl-copy`, for desktops that give it only to programs with a window.
///
/// It keeps what it copies in a file below `/tmp`, readable to its owner, until it ends by losing the clipboard. So it is
/// used only where a person allows it, and is ended by clearing what it offers, since a killed one leaves the file.
final class WlCopySelection: OwnedSelection {
  let way: ClipboardWay
  let descriptor: Int32 = -1
  private let program: String
  /// One for the clipboard and, if wanted, one for the primary selection: `--primary` alone leaves the clipboard as it is.
  private var owners: [(words: [String], child: Int32)] = []

  init(_ message: ClipboardMessage, searchPath: String) throws(ClipboardError) {
    guard let program = Self.find(searchPath) else { throw .wlCopyFailed }
    self.program = program
    let hasMark = Self.marks(program: program)
    way = hasMark ? .wlCopySensitive : .wlCopy
    for words in message.options.alsoPrimary ? [[], ["--primary"]] : [[]] {
      guard let child = Self.own(program, words, hasMark, message) else {
        end()
        throw .wlCopyFailed
      }
      owners.append((words, child))
    }
  }

  /// A `wl-copy` that has the text and what it was asked for.
  private static func own(
    _ program: String, _ selection: [String], _ hasMark: Bool, _ message: ClipboardMessage
  ) -> Int32? {
    var ends: [Int32] = [-1, -1]
    guard seif_pipe(&ends) == 0 else { return nil }
    let words = ["--foreground", "--type", "text/plain;charset=utf-8"] + (hasMark ? ["--sensitive"] : []) + selection
    let child = start(program, words, input: ends[0], output: nil)
    close(ends[0])
    guard let child else {
      close(ends[1])
      return nil
    }
    message.withText { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = write(ends[1], UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count > 0 { rest = rest.dropFirst(count) } else if count == 0 || errno != EINTR { return }
      }
    }
    close(ends[1])
    // It says nothing when it has the clipboard; one that doesn't get it has ended by now.
    return Self.ends(child, within: 500) ? nil : child
  }

  /// Nobody asks us: `wl-copy` answers. It ends when it loses the clipboard.
  func answer() -> Bool {
    guard let clipboard = owners.first else { return false }
    return !Self.ends(clipboard.child, within: 0)
  }

  func end() {
    // One that ended before: somebody else has its selection, and clearing would take theirs.
    for owner in owners where !Self.ends(owner.child, within: 0) {
      if let clearing = Self.start(program, ["--clear"] + owner.words, input: nil, output: nil) {
        if !Self.ends(clearing, within: 2000) { kill(clearing, SIGKILL) }
      }
      if !Self.ends(owner.child, within: 2000) { kill(owner.child, SIGTERM) }
    }
    owners = []
  }

  /// Whether the `wl-copy` on a search path has a mark for secrets; false where there is none.
  static func marks(searchPath: String) -> Bool { find(searchPath).map { marks(program: $0) } ?? false }

  private static func marks(program: String) -> Bool {
    help(program).firstRange(of: Array("--sensitive".utf8)) != nil
  }

  private static func find(_ searchPath: String) -> String? {
    searchPath.split(separator: ":").filter { $0.hasPrefix("/") }.map { "\($0)/wl-copy" }
      .first { access($0, X_OK) == 0 }
  }

  private static func help(_ program: String) -> [UInt8] {
    var ends: [Int32] = [-1, -1]
    guard seif_pipe(&ends) == 0 else { return [] }
    let child = start(program, ["--help"], input: nil, output: ends[1])
    close(ends[1])
    defer { close(ends[0]) }
    guard let child else { return [] }
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    let end = Moment.now + 1000
    while text.count < 1 << 16, Wait.readable(ends[0], until: end) {
      let count = read(ends[0], &buffer, buffer.count)
      if count <= 0 { break }
      text += buffer.prefix(count)
    }
    if !Self.ends(child, within: 500) { kill(child, SIGKILL) }
    return text
  }

  /// Whether a child has ended, or does within so many milliseconds.
  private static func ends(_ child: Int32, within milliseconds: Int64) -> Bool {
    let end = Moment.now + milliseconds
    while true {
      let result = waitpid(child, nil, WNOHANG)
      if result == child || (result < 0 && errno == ECHILD) { return true }
      if Moment.now >= end { return false }
      usleep(20_000)
    }
  }

  private static func start(_ program: String, _ words: [String], input: Int32?, output: Int32?) -> Int32? {
    let spawn = Spawn()
    // Our own answer's pipe isn't for it: a child that holds it open would keep the parent waiting.
    if let input { spawn.hand(input, as: 0) } else { spawn.open("/dev/null", O_RDONLY, as: 0) }
    if let output { spawn.hand(output, as: 1) } else { spawn.open("/dev/null", O_WRONLY, as: 1) }
    return try? spawn.start(program, [program] + words)
  }
}
