internal import SeifCommandLine
internal import CSeif
internal import Glibc
internal import SeifBytes
internal import SeifOTP

/// `seif code --watch`: the present code and the time that it has left, until the person has had enough.
struct CodeWatch {
  let name: String
  let code: (Timestamp) throws(CommandFailure) -> OneTimeCode

  /// Shows it until a key or a signal ends it.
  /// - Parameter plain: a line for each new code; also where the screen can't be redrawn or nobody looks at one.
  func run(plain: Bool, _ context: Context) throws(CommandFailure) {
    guard !plain, context.output.style.canRedraw, let screen = AlternateScreen(context) else {
      return try printLines(context)
    }
    defer { screen.end() }
    let style = context.output.style
    while true {
      let code = try code(Timestamp(seconds: context.clock.now()))
      screen.show(lines(code, style))
      guard let keys = screen.keys(within: Self.millisecondsToNextSecond()) else { continue }
      // q, ctrl-D, Escape (but no arrow, which only begins with one), and the end of a terminal that went away.
      if keys.isEmpty || keys.last == 27 || keys.contains(where: { "qQ\u{4}".utf8.contains($0) }) { return }
    }
  }

  private func lines(_ code: OneTimeCode, _ style: TerminalStyle) -> [String] {
    let left = code.secondsLeft ?? 0
    let width = max(20, (style.columns ?? 80) - 2)
    let title = CellWidth.shortened(Display.cleaned(name), to: width, ellipsis: style.isUTF8 ? "…" : "...")
    return [
      "", " " + style.bold(title), "",
      " " + style.bold(CodeText.grouped(code.text)) + "   " + Self.timeLeft(left, style),
      "", " q quit",
    ]
  }

  /// `▆▆▆▆▃▁  17 s`, of the 30 seconds that most codes have; `[####--]` without UTF-8.
  static func timeLeft(_ seconds: Int, _ style: TerminalStyle) -> String {
    let filled = min(6, (seconds + 4) / 5)
    let soon = seconds <= 5 ? "  soon" : ""
    let bar =
      style.isUTF8
      ? String(repeating: "▆", count: filled) + String(repeating: "▁", count: 6 - filled)
      : "[" + String(repeating: "#", count: filled) + String(repeating: "-", count: 6 - filled) + "]"
    return "\(bar)  \(seconds) s\(soon)"
  }

  /// Append-only: each code once, when it becomes valid. Ended by a signal, or when nobody reads any more.
  private func printLines(_ context: Context) throws(CommandFailure) {
    if context.output.style.isTerminal { context.talk.say("These codes stay on the screen. Ctrl-C ends.") }
    var shown: Timestamp?
    while true {
      let code = try code(Timestamp(seconds: context.clock.now()))
      if shown == nil || code.validUntil != shown {
        shown = code.validUntil
        let style = context.output.style
        let left = code.secondsLeft.map { "   \($0) s left" } ?? ""
        try context.output.writeLine(style.isTerminal ? CodeText.grouped(code.text) + left : code.text)
        try context.output.flush()
      }
      usleep(UInt32(Self.millisecondsToNextSecond()) * 1000)
    }
  }

  private static func millisecondsToNextSecond() -> Int32 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int32(max(1, 1000 - time.tv_nsec / 1_000_000))
  }
}
