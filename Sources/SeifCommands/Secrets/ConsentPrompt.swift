internal import SeifCommandLine
internal import CSeif
internal import Glibc
internal import SeifAgent
internal import SeifBytes

/// Asks a person for the agent: by a pinentry where there is a display, else on the terminal in whose foreground the
/// asking process is.
struct ConsentPrompt: ConsentAsker {
  let environment: Environment
  /// How long a question stands.
  static let milliseconds: Int64 = 60_000

  func ask(_ question: ConsentQuestion) -> ConsentReply {
    switch Pinentry.confirm(question, environment) {
    case .nobody: break
    case let reply: return reply
    }
    guard let terminal = ConsentTerminal(question.peer) else { return .nobody }
    return terminal.ask(question)
  }
}

/// The terminal of a process, found and opened by the agent: only one that the kernel names as the process's own, with
/// the process in its foreground.
struct ConsentTerminal: ~Copyable {
  private let descriptor: Int32
  private let peer: Peer

  init?(_ peer: Peer) {
    guard peer.isInForeground, let path = Self.path(of: peer.terminalDevice) else { return nil }
    let opened = seif_open(path, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK, 0)
    guard opened >= 0 else { return nil }
    var status = stat()
    guard fstat(opened, &status) == 0, UInt64(status.st_rdev) == peer.terminalDevice, isatty(opened) == 1 else {
      close(opened)
      return nil
    }
    descriptor = opened
    self.peer = peer
  }

  deinit { close(descriptor) }

  /// The device file of a terminal by its number.
  private static func path(of device: UInt64) -> String? {
    let (major, minor) = (seif_device_major(device), seif_device_minor(device))
    switch major {
    case 136...143: return "/dev/pts/\((major - 136) * 256 + minor)"
    case 4 where minor < 64: return "/dev/tty\(minor)"
    case 4: return "/dev/ttyS\(minor - 64)"
    default: return nil
    }
  }

  // Any program of the user can make a terminal and answer itself there, so what lets everything out, of this vault or of
  // a document vault, takes the passphrase; for the rest the vault is open to such a program anyway, one field at a time.
  func ask(_ question: ConsentQuestion) -> ConsentReply {
    let needsPassphrase = [.export, .keys].contains(question.kind)
    let text = Display.cleaned(question.text)
    guard needsPassphrase else { return askForYes("\n" + wrapped(text + " [yes/no]") + " ", question) }
    write("\n" + wrapped(text) + "\n")
    for attempt in 1...3 {
      let prompt = wrapped("Passphrase or recovery code of the vault (Enter refuses):") + " "
      guard let line = readLine(prompt, question, hidden: true) else { return .ended }
      guard line.byteCount > 0 else { return .noOnTerminal }
      if question.opensVault(PassphraseAttempt(line)) { return .yes }
      if attempt < 3 { write("That doesn't open it.\n") }
    }
    return .noOnTerminal
  }

  /// A slip costs one more question; what is meant as a no is one.
  private func askForYes(_ prompt: String, _ question: ConsentQuestion) -> ConsentReply {
    for attempt in 1...2 {
      guard let line = readLine(attempt == 1 ? prompt : "Allow? [yes/no] ", question, hidden: false) else {
        return .ended
      }
      let answer = line.withBytes { bytes in
        bytes.withUnsafeBytes { String(decoding: $0.prefix(16), as: UTF8.self).lowercased() }
      }
      if ["y", "yes"].contains(answer) { return .yes }
      if ["", "n", "no"].contains(answer) { return .noOnTerminal }
      if attempt == 1 { write("That is neither yes nor no.\n") }
    }
    return .noOnTerminal
  }

  /// At words, to the width of the terminal.
  private func wrapped(_ text: String) -> String {
    let columns = Int(seif_terminal_columns(descriptor))
    return WordWrap.wrapped(text, to: (20...1000).contains(columns) ? columns - 1 : 79)
  }

  private func write(_ text: String) {
    // A terminal that was stopped takes nothing.
    guard waitFor(POLLOUT, on: descriptor, until: Deadline(in: 5_000)) else { return }
    var text = text
    text.withUTF8 { _ = Descriptor.writeAll($0.span.bytes, to: descriptor) }
  }

  /// A line; nil where nobody types it in time, or the process that asks is gone or no longer in the foreground.
  ///
  /// The terminal may be a program's of a whole screen: it works as usual for the answer, and then as it did before.
  private func readLine(_ prompt: String, _ question: ConsentQuestion, hidden: Bool) -> SecretBytes? {
    var before = termios()
    guard tcgetattr(descriptor, &before) == 0 else { return nil }
    var attributes = before
    let echo = tcflag_t(ECHO | ECHOE | ECHOK)
    attributes.c_lflag &= ~(echo | tcflag_t(ECHONL))
    attributes.c_lflag |= tcflag_t(ICANON | ISIG) | (hidden ? 0 : echo)
    attributes.c_iflag |= tcflag_t(ICRNL)
    attributes.c_oflag |= tcflag_t(OPOST | ONLCR)
    tcsetattr(descriptor, TCSANOW, &attributes)
    // What was typed before the question is no answer to it.
    tcflush(descriptor, TCIFLUSH)
    write(prompt)
    // The end of the line that isn't shown, or that nobody typed.
    var needsLineEnd = true
    defer {
      if needsLineEnd { write("\n") }
      if hidden { tcflush(descriptor, TCIFLUSH) }
      tcsetattr(descriptor, TCSANOW, &before)
    }
    let deadline = Deadline(in: ConsentPrompt.milliseconds)
    while !deadline.isOver {
      guard peer.isInForeground, question.isWanted() else { return nil }
      guard waitFor(POLLIN, on: descriptor, until: Deadline(in: 200)) else { continue }
      var count = 0
      let line = SecretBytes(byteCount: SecretLine.byteLimit) { buffer in
        count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        return SecretLine.withoutLineEnd(buffer, max(0, count))
      }
      if count > 0 {
        needsLineEnd = hidden
        return line.duplicate()
      }
      if count == 0 || (errno != EAGAIN && errno != EINTR) { return nil }
    }
    return nil
  }
}
