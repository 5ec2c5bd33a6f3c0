package import SeifCommandLine
internal import CSeif
internal import Glibc
package import SeifBytes

/// The person's terminal, opened by itself: questions reach it when stdin and stdout are pipes.
package struct TerminalDevice: ~Copyable {
  private let descriptor: Int32
  private let hiddenInput: HiddenInput
  private let questionWatch: QuestionWatch

  /// Opens the terminal, or gives nil where there is none.
  package init?(_ context: Context) {
    guard let path = context.terminalPath else { return nil }
    var opened = seif_open(path, O_RDWR | O_CLOEXEC | O_NOCTTY, 0)
    if opened < 0 {
      // A terminal that isn't the controlling one, as under some container tools.
      for standard: Int32 in [2, 1, 0] where isatty(standard) == 1 {
        guard let name = ttyname(standard) else { continue }
        opened = seif_open(name, O_RDWR | O_CLOEXEC | O_NOCTTY, 0)
        if opened >= 0 { break }
      }
    }
    guard opened >= 0, isatty(opened) == 1 else {
      if opened >= 0 { close(opened) }
      return nil
    }
    descriptor = opened
    hiddenInput = context.hiddenInput
    questionWatch = context.questionWatch
  }

  deinit { close(descriptor) }

  /// Its name for programs that want one, such as pinentry.
  package func name() -> String? {
    ttyname(descriptor).map { String(cString: $0) }
  }

  /// Its width in cells.
  var columns: Int {
    let columns = Int(seif_terminal_columns(descriptor))
    return (20...1000).contains(columns) ? columns : 80
  }

  /// What puts the terminal's attributes back as they were before anything was hidden, usable after this value is gone.
  func restoration() -> @Sendable () -> Void {
    var attributes = termios()
    let copy = seif_duplicate(descriptor)
    guard copy >= 0, tcgetattr(copy, &attributes) == 0 else { return {} }
    let before = hiddenInput.attributesBefore ?? attributes
    return {
      tcflush(copy, TCIFLUSH)
      HiddenInput.set(before, on: copy)
    }
  }

  package func write(_ text: String) {
    var text = text
    text.withUTF8 { _ = Descriptor.writeAll($0.span.bytes, to: descriptor) }
  }

  /// Shows a secret that the person has to copy by hand.
  package func write(secret: borrowing SecretBytes) {
    secret.withBytes { _ = Descriptor.writeAll($0, to: descriptor) }
  }

  /// A text in lines of its own, wrapped at words.
  func write(lines text: String) {
    write(WordWrap.wrapped(Display.cleaned(text), to: columns) + "\n")
  }

  // A question in lines of the terminal's width, and the spaces at its end.
  private func wrapped(_ prompt: String) -> String {
    let end = prompt.reversed().prefix { $0 == " " }.count
    let spaces = String(repeating: " ", count: end)
    return WordWrap.wrapped(Display.cleaned(prompt.dropLast(end)), to: columns - end) + spaces
  }

  /// A line typed without echo, without its line end; nil at the end of input (Ctrl-D).
  ///
  /// Echo stays off until the run ends (``HiddenInput``); it comes back on every way out. What was typed until a signal is
  /// thrown away, so that no shell gets to show it. After SIGCONT the question is asked anew, without echo. The kernel
  /// gives at most 4,095 bytes a line.
  package func readHidden(_ prompt: String) throws(CommandFailure) -> SecretBytes? {
    try readHidden(prompt, firstLine: true)
  }

  /// Lines typed without echo, up to one of a single dot or the end of input; each keeps its line feed but the last. Nil
  /// where the input ended before anything came.
  ///
  /// - Throws: exit 65 for a line longer than a terminal can give, which would be cut off, or more than 1 MiB in all.
  func readHiddenLines(_ prompt: String) throws(CommandFailure) -> SecretValue? {
    var text = SecretBuffer()
    var count = 0
    // Asked like any question: what is typed once it stands there is kept, whatever else the machine has to do.
    while let line = try readHidden(count == 0 ? prompt : "", firstLine: count == 0, lineAfter: count == 0) {
      if line.withBytes({ $0.byteCount == 1 && $0.withUnsafeBytes { $0.first == UInt8(ascii: ".") } }) { break }
      guard line.byteCount < 4095 else {
        throw CommandFailure(
          .badInput, "a line is longer than a terminal can give", hint: "Put the text into a file: --text-file F")
      }
      if count > 0 { text.append(0x0A) }
      line.withBytes { text.append(SecretValue(copying: $0)) }
      count += 1
      guard text.byteCount < 1 << 20 else { throw CommandFailure(.badInput, "the text is longer than 1 MiB") }
    }
    return count == 0 ? nil : text.finish()
  }

  // Only what was typed before the first line of an answer is thrown away.
  private func readHidden(
    _ prompt: String, firstLine: Bool, lineAfter: Bool = false
  ) throws(CommandFailure) -> SecretBytes? {
    let descriptor = self.descriptor
    let question = wrapped(prompt) + (lineAfter ? "\n" : "")
    guard let before = hiddenInput.begin(descriptor) else {
      throw CommandFailure(.ioFailed, "the terminal doesn't answer")
    }
    let ask: @Sendable () -> Void = {
      HiddenInput.set(HiddenInput.hidden(before), on: descriptor)
      if firstLine { tcflush(descriptor, TCIFLUSH) }
      put(question, on: descriptor)
    }
    let end: @Sendable () -> Void = {
      tcflush(descriptor, TCIFLUSH)
      HiddenInput.set(before, on: descriptor)
      put("\n", on: descriptor)
    }
    let key = Interrupts.add(.init(end: end, suspend: end, resume: ask, endsLine: true))
    defer { Interrupts.remove(key) }
    var isEnd = false
    let line = SecretBytes(byteCount: SecretLine.byteLimit) { buffer in
      let count = questionWatch.asking {
        ask()
        questionWatch.waitForLine(on: descriptor)
        return Descriptor.read(descriptor, into: buffer)
      }
      isEnd = count <= 0
      return SecretLine.withoutLineEnd(buffer, max(0, count))
    }
    if (!prompt.isEmpty && !lineAfter) || isEnd { put("\n", on: descriptor) }
    if isEnd { return nil }
    return line.duplicate()
  }

  /// Waits for Enter, typed after the question stood there.
  /// - Returns: false where it doesn't come within so many seconds, or the vault is locked before.
  func waitForEnter(_ prompt: String, seconds: Int64) -> Bool {
    let descriptor = self.descriptor
    let question = wrapped(prompt)
    let end = Clock.monotonicMilliseconds() + seconds * 1000
    return hiddenInput.showing(on: descriptor, isConsent: true) {
      put(question, on: descriptor)
      while true {
        let left = end - Clock.monotonicMilliseconds()
        if left <= 0 { return false }
        var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // A stop of the process interrupts it.
        if poll(&poller, 1, Int32(clamping: min(left, 1_000))) > 0 { break }
        if !questionWatch.isOpen { return false }
      }
      var buffer = [UInt8](repeating: 0, count: 4096)
      return buffer.withUnsafeMutableBytes { Descriptor.read(descriptor, into: $0) } >= 0
    }
  }

  /// A descriptor of it that stays open and its attributes before anything was hidden, for who has to put them back.
  func lasting() -> (descriptor: Int32, attributes: termios)? {
    var attributes = termios()
    let copy = seif_duplicate(descriptor)
    guard copy >= 0, tcgetattr(copy, &attributes) == 0 else {
      if copy >= 0 { close(copy) }
      return nil
    }
    return (copy, hiddenInput.attributesBefore ?? attributes)
  }

  /// A line typed with echo; nil at the end of input.
  /// - Parameter isConsent: an answer typed before the question stood there doesn't count.
  package func readLine(_ prompt: String, isConsent: Bool = false) -> String? {
    let descriptor = self.descriptor
    let question = wrapped(prompt)
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = questionWatch.asking {
      hiddenInput.showing(on: descriptor, isConsent: isConsent) {
        put(question, on: descriptor)
        questionWatch.waitForLine(on: descriptor)
        return buffer.withUnsafeMutableBytes { Descriptor.read(descriptor, into: $0) }
      }
    }
    guard count > 0 else { return nil }
    var bytes = buffer[..<count]
    if bytes.last == 10 { bytes.removeLast() }
    if bytes.last == 13 { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }
}

private func put(_ text: String, on descriptor: Int32) {
  var text = text
  text.withUTF8 { _ = Descriptor.writeAll($0.span.bytes, to: descriptor) }
}
