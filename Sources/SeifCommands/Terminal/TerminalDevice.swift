internal import CSeif
internal import Glibc
package import SeifBytes

/// The person's terminal, opened by itself: questions reach it when stdin and stdout are pipes.
package struct TerminalDevice: ~Copyable {
  private let descriptor: Int32

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
  }

  deinit { close(descriptor) }

  /// Its name for programs that want one, such as pinentry.
  package func name() -> String? {
    ttyname(descriptor).map { String(cString: $0) }
  }

  /// What puts the terminal's attributes back as they are now, usable after this value is gone.
  func restoration() -> @Sendable () -> Void {
    var attributes = termios()
    let copy = seif_duplicate(descriptor)
    guard copy >= 0, tcgetattr(copy, &attributes) == 0 else { return {} }
    return { [attributes] in
      var attributes = attributes
      tcflush(copy, TCIFLUSH)
      setAttributes(copy, &attributes)
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

  /// A line typed without echo, without its line end; nil at the end of input (Ctrl-D).
  ///
  /// Echo comes back on every way out: the answer, SIGINT, SIGTERM, SIGHUP, SIGTSTP. What was typed until then is thrown
  /// away, so that no shell gets to show it. After SIGCONT the question is asked anew, without echo. The kernel gives at
  /// most 4,095 bytes a line.
  package func readHidden(_ prompt: String) throws(CommandFailure) -> SecretBytes? {
    let descriptor = self.descriptor
    let question = Display.cleaned(prompt)
    var shown = termios()
    guard tcgetattr(descriptor, &shown) == 0 else {
      throw CommandFailure(.ioFailed, "the terminal doesn't answer")
    }
    let before = shown
    let ask: @Sendable () -> Void = {
      var hidden = before
      hidden.c_lflag &= ~tcflag_t(ECHO | ECHOE | ECHOK | ECHONL)
      hidden.c_lflag |= tcflag_t(ICANON | ISIG)
      setAttributes(descriptor, &hidden)
      tcflush(descriptor, TCIFLUSH)
      put(question, on: descriptor)
    }
    let end: @Sendable () -> Void = {
      tcflush(descriptor, TCIFLUSH)
      var attributes = before
      setAttributes(descriptor, &attributes)
      put("\n", on: descriptor)
    }
    let key = Interrupts.add(.init(end: end, suspend: end, resume: ask, endsLine: true))
    defer { Interrupts.remove(key) }
    ask()
    var isEnd = false
    let line = SecretBytes(byteCount: SecretLine.byteLimit) { buffer in
      let count = Descriptor.read(descriptor, into: buffer)
      isEnd = count <= 0
      return SecretLine.withoutLineEnd(buffer, max(0, count))
    }
    Interrupts.remove(key) {
      var attributes = before
      setAttributes(descriptor, &attributes)
      put("\n", on: descriptor)
      return true
    } if: {
      $0
    }
    if isEnd { return nil }
    return line.duplicate()
  }

  /// A line typed with echo; nil at the end of input.
  package func readLine(_ prompt: String) -> String? {
    write(Display.cleaned(prompt))
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = buffer.withUnsafeMutableBytes { Descriptor.read(descriptor, into: $0) }
    guard count > 0 else { return nil }
    var bytes = buffer[..<count]
    if bytes.last == 10 { bytes.removeLast() }
    if bytes.last == 13 { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }
}

private func setAttributes(_ descriptor: Int32, _ attributes: inout termios) {
  while tcsetattr(descriptor, TCSANOW, &attributes) != 0, errno == EINTR {}
}

private func put(_ text: String, on descriptor: Int32) {
  var text = text
  text.withUTF8 { _ = Descriptor.writeAll($0.span.bytes, to: descriptor) }
}
