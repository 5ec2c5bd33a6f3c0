internal import SeifCommandLine
internal import CSeif
internal import Glibc
internal import SeifAgent
internal import SeifBytes
internal import SeifProcesses

/// Asks by pinentry, a window of its own, over the Assuan protocol.
///
/// Used where there is a display; on a bare terminal our own question does the same without taking the screen.
/// `SEIF_PINENTRY` names a program to use anywhere; set and empty, it means none.
enum Pinentry {
  enum Outcome: ~Copyable {
    case answer(SecretBytes)
    case notThere
  }

  static func ask(_ question: String, _ context: Context) throws(CommandFailure) -> Outcome {
    // One on a terminal is killed by ctrl-C before it has put the terminal right, so ctrl-C is ours alone.
    guard let path = program(context.environment),
      let child = ChildProcess(path, [], blocked: [SIGINT, SIGQUIT, SIGTSTP])
    else { return .notThere }
    let key = Interrupts.add(.init(end: end(of: child.identifier, context), isSuspendable: false))
    defer {
      child.wait()
      Interrupts.remove(key)
    }
    let connection = Assuan(input: child.input, output: child.output)
    guard connection.readStatus() == .ok else { return .notThere }
    for command in setUp(question, context) {
      // An option that this pinentry doesn't know changes nothing; one that went away does.
      if connection.send(command) == .closed { return .notThere }
    }
    var status = Assuan.Status.closed
    let answer = SecretBytes(byteCount: SecretLine.byteLimit) { buffer in
      var count = 0
      status = connection.send("GETPIN", data: buffer, &count)
      return status == .ok ? count : 0
    }
    _ = connection.send("BYE")
    switch status {
    case .ok: return .answer(answer.duplicate())
    // GPG_ERR_CANCELED and GPG_ERR_FULLY_CANCELED, whatever the source in the upper bits.
    case .error(let code) where [99, 198].contains(code & 0xFFFF): throw Context.cancelled
    case .error, .closed: return .notThere
    }
  }

  /// Ends it, gives it a second to leave the terminal, and puts the terminal back as it was.
  private static func end(of child: Int32, _ context: Context) -> @Sendable () -> Void {
    let restore: (@Sendable () -> Void)? = TerminalDevice(context)?.restoration()
    return {
      kill(child, SIGTERM)
      // Reaped by the other thread or here: either way it is gone when there is nothing to wait for.
      for _ in 0..<50 where waitpid(child, nil, WNOHANG) == 0 { usleep(20_000) }
      restore?()
    }
  }

  /// Asks yes or no, for the agent. `nobody` where there is no pinentry, or one that ends by itself before it has asked.
  ///
  /// One that another process ends or stops leads to no terminal: where nobody is reached by a window the question goes
  /// there, and any program of the person can end the window and answer on a terminal that it made. Nor is it a refusal
  /// of the person's. A question that nobody waits for any more is taken back.
  static func confirm(_ question: ConsentQuestion, _ environment: Environment) -> ConsentReply {
    guard let path = program(environment),
      let child = ChildProcess(path, [], blocked: [SIGINT, SIGQUIT, SIGTSTP])
    else { return .nobody }
    // A little longer than it is told to wait itself.
    let connection = Assuan(
      input: child.input, output: child.output, deadline: Deadline(in: ConsentPrompt.milliseconds + 5_000),
      isWanted: question.isWanted)
    if let reply = confirm(question.text, connection) {
      if reply == .ended { kill(child.identifier, SIGKILL) }
      // One that hangs would keep the next question from being asked.
      if connection.send("BYE") != .ok { kill(child.identifier, SIGKILL) }
      child.wait()
      return reply
    }
    guard child.hasExited(within: 1_000) else {
      kill(child.identifier, SIGKILL)
      child.wait()
      return .ended
    }
    return child.wait() < 128 ? .nobody : .ended
  }

  /// Nil where it has gone or hangs before it has asked.
  private static func confirm(_ question: String, _ connection: Assuan) -> ConsentReply? {
    guard connection.readStatus() == .ok else { return nil }
    let setUp = [
      "SETTIMEOUT \(ConsentPrompt.milliseconds / 1000)", "SETTITLE Seif",
      "SETDESC \(Assuan.escaped(Display.cleaned(question)))", "SETOK Allow", "SETCANCEL Refuse",
    ]
    for command in setUp where connection.send(command) == .closed { return nil }
    switch connection.send("CONFIRM") {
    case .ok: return .yes
    // Cancelled, fully cancelled, not confirmed, too late: whoever saw the question didn't agree.
    case .error(let code) where [99, 198, 114, 62].contains(code & 0xFFFF): return .no
    case .error: return .nobody
    case .closed: return .ended
    }
  }

  /// Whether there is one to ask with.
  static func isThere(_ context: Context) -> Bool { program(context.environment) != nil }

  private static func program(_ environment: Environment) -> String? {
    if let named = environment["SEIF_PINENTRY"] {
      if named.isEmpty { return nil }
      return named.hasPrefix("/") ? named : ChildProcess.find(named, path: environment["PATH"])
    }
    let hasDisplay = ["WAYLAND_DISPLAY", "DISPLAY"].contains { environment[$0].map { !$0.isEmpty } ?? false }
    return hasDisplay ? ChildProcess.find("pinentry", path: environment["PATH"]) : nil
  }

  private static func setUp(_ question: String, _ context: Context) -> [String] {
    var commands: [String] = []
    if let terminal = TerminalDevice(context), let name = terminal.name() {
      commands.append("OPTION ttyname=\(name)")
      if let type = context.environment["TERM"] { commands.append("OPTION ttytype=\(type)") }
    }
    if let locale = context.environment["LC_ALL"] ?? context.environment["LC_CTYPE"] ?? context.environment["LANG"] {
      commands.append("OPTION lc-ctype=\(locale)")
    }
    commands.append("SETTITLE Seif")
    commands.append("SETDESC \(Assuan.escaped(Display.cleaned(question)))")
    commands.append("SETPROMPT Passphrase:")
    return commands
  }
}

/// The client's side of the Assuan protocol: lines to a program, lines back.
struct Assuan {
  enum Status: Equatable {
    case ok
    case error(Int)
    case closed
  }
  /// The protocol's own limit on a line, without its line feed.
  static let lineLimit = 1000

  let input: Int32
  let output: Int32
  /// Until when an answer is waited for; nil: as long as a person takes.
  var deadline: Deadline?
  /// Whether the answer is still waited for; looked at while none comes.
  var isWanted: (@Sendable () -> Bool)?

  /// Percent-encodes what would end a line or begin an escape.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "%": result += "%25"
      case "\n": result += "%0A"
      case "\r": result += "%0D"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Sends a command without data in its answer.
  func send(_ command: String) -> Status {
    var none = 0
    return send(command, data: UnsafeMutableRawBufferPointer(start: nil, count: 0), &none)
  }

  /// Sends a command and decodes the data of its answer into a buffer.
  func send(_ command: String, data: UnsafeMutableRawBufferPointer, _ count: inout Int) -> Status {
    var line = Self.shortened(command) + "\n"
    let code = line.withUTF8 { Descriptor.writeAll($0.span.bytes, to: input) }
    return code == 0 ? readStatus(data: data, &count) : .closed
  }

  func readStatus() -> Status {
    var none = 0
    return readStatus(data: UnsafeMutableRawBufferPointer(start: nil, count: 0), &none)
  }

  /// Reads until OK or ERR. Byte by byte, so that no buffer but the caller's locked one ever holds the data.
  private func readStatus(data: UnsafeMutableRawBufferPointer, _ count: inout Int) -> Status {
    while true {
      guard let first = readByte() else { return .closed }
      if first == UInt8(ascii: "D") {
        guard readData(data, &count) else { return .closed }
        continue
      }
      guard let rest = readText() else { return .closed }
      if first == UInt8(ascii: "O"), rest.hasPrefix("K") { return .ok }
      if first == UInt8(ascii: "E"), rest.hasPrefix("RR ") {
        return .error(Int(rest.dropFirst(3).prefix { $0.isASCII && $0.isNumber }) ?? 0)
      }
      // S (status), # (comment) and INQUIRE need no answer of ours.
      if first == UInt8(ascii: "I") { return .closed }
    }
  }

  /// The rest of a `D` line, percent-decoded.
  private func readData(_ data: UnsafeMutableRawBufferPointer, _ count: inout Int) -> Bool {
    guard readByte() == UInt8(ascii: " ") else { return false }
    while let byte = readByte() {
      if byte == 0x0A { return true }
      var value = byte
      if byte == UInt8(ascii: "%") {
        guard let high = readByte().flatMap(Self.digit), let low = readByte().flatMap(Self.digit) else { return false }
        value = high << 4 | low
      }
      guard count < data.count else { return false }
      data[count] = value
      count += 1
    }
    return false
  }

  private func readText() -> String? {
    var bytes: [UInt8] = []
    while let byte = readByte() {
      if byte == 0x0A { return String(decoding: bytes, as: UTF8.self) }
      if bytes.count < Self.lineLimit { bytes.append(byte) }
    }
    return nil
  }

  private func readByte() -> UInt8? {
    while let deadline, !waitFor(POLLIN, on: output, until: Deadline(in: min(200, deadline.millisecondsLeft))) {
      if deadline.isOver || isWanted?() == false { return nil }
    }
    var byte: UInt8 = 0
    let result = withUnsafeMutableBytes(of: &byte) { Descriptor.read(output, into: $0) }
    return result == 1 ? byte : nil
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }

  private static func shortened(_ command: String) -> String {
    var result = ""
    for character in command {
      if result.utf8.count + String(character).utf8.count > lineLimit { break }
      result.append(character)
    }
    return result
  }
}
