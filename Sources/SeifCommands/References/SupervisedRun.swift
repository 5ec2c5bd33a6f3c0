internal import SeifCommandLine
internal import CSeif
internal import Glibc
internal import SeifBytes

/// Runs a program with its output masked, and is for the shell what the program would be: terminal, signals, exit status.
///
/// Where both ends are a terminal the program gets a pseudo-terminal of its own, in a session of its own. Else it stays in
/// our session and process group, with our standard input; an output that is a terminal becomes a pseudo-terminal, so that
/// the program finds one, and any other a pipe.
final class SupervisedRun {
  private let child: pid_t
  private let signals: SignalPipe
  private var streams: [MaskedStream] = []
  private var terminals: [PseudoTerminal] = []
  /// The person's terminal, where the program has one of its own.
  private var own: (raw: RawTerminal, pseudo: PseudoTerminal)?
  private var input: [UInt8] = []
  private var readsInput = false
  private var status: Int32?

  init(_ program: ChildProgram, masking secrets: [SecretValue]) throws(CommandFailure) {
    guard let signals = SignalPipe() else { throw CommandFailure(.ioFailed, "no pipe can be made") }
    self.signals = signals
    var plan = Streams()
    var ownTerminal: PseudoTerminal?
    if isatty(0) == 1, isatty(1) == 1, let pseudo = PseudoTerminal(like: 0, isRaw: false) {
      ownTerminal = pseudo
      plan.add(pseudo, to: 1)
      if isatty(2) != 1 { try plan.addPipe(to: 2, as: [2]) }
    } else if Self.isSameFile(1, 2) {
      // Two pipes would lose the order of what both say.
      try plan.add(to: 1, as: [1, 2])
    } else {
      try plan.add(to: 1, as: [1])
      try plan.add(to: 2, as: [2])
    }
    child = try program.start(terminal: ownTerminal?.name, streams: plan.forProgram)
    plan.closeProgramEnds()
    program.handed.closeAll()
    terminals = plan.terminals
    streams = plan.made.map { made in
      MaskedStream(from: made.source, to: made.target, mask: OutputMask(secrets), close: made.close)
    }
    if let ownTerminal {
      own = (RawTerminal(0), ownTerminal)
      readsInput = true
      own?.raw.begin()
    }
  }

  /// Waits until the program has ended and its output has come, and gives its exit status, 128 + n for signal n.
  func finish() -> Int32 {
    while status == nil || streams.contains(where: \.isOpen) {
      let isOver = turn()
      if isOver { break }
    }
    for stream in streams { stream.end() }
    own?.raw.restore()
    Interrupts.setReceiver(nil)
    return status ?? 128 + SIGKILL
  }

  /// One round of the loop; true where the person has had enough of waiting for what the program left behind.
  private func turn() -> Bool {
    var polled = [pollfd(fd: signals.reading, events: Int16(POLLIN), revents: 0)]
    for stream in streams { polled.append(pollfd(fd: stream.source, events: Int16(POLLIN), revents: 0)) }
    polled.append(pollfd(fd: readsInput && input.isEmpty ? 0 : -1, events: Int16(POLLIN), revents: 0))
    polled.append(pollfd(fd: input.isEmpty ? -1 : own?.pseudo.master ?? -1, events: Int16(POLLOUT), revents: 0))
    let before = Clock.monotonicMilliseconds()
    let wait = streams.compactMap { $0.wait(now: before) }.min() ?? -1
    _ = poll(&polled, nfds_t(polled.count), Int32(clamping: wait))
    let now = Clock.monotonicMilliseconds()
    for (index, stream) in streams.enumerated() {
      if polled[index + 1].revents != 0 { stream.pump(now: now) } else { stream.releaseIfDue(now: now) }
    }
    if polled[polled.count - 2].revents != 0 { readInput() }
    if polled[polled.count - 1].revents != 0 { writeInput() }
    return polled[0].revents != 0 && answerSignals()
  }

  // MARK: - Input of a terminal of its own

  private func readInput() {
    var buffer = [UInt8](repeating: 0, count: 1024)
    let count = buffer.withUnsafeMutableBytes { read(0, $0.baseAddress, $0.count) }
    guard count > 0 else {
      if count == 0 || errno != EINTR && errno != EAGAIN { readsInput = false }
      return
    }
    var typed = buffer[..<count]
    buffer.withUnsafeMutableBytes { if let start = $0.baseAddress { explicit_bzero(start, $0.count) } }
    if let pseudo = own?.pseudo, let suspend = pseudo.suspendCharacter, let place = typed.firstIndex(of: suspend),
      tcgetpgrp(pseudo.master) == child
    {
      // In a session of its own nothing else can stop it: the kernel ignores ctrl-Z there, since no shell could go on.
      typed.remove(at: place)
      self.suspend(by: SIGSTOP)
    }
    input.append(contentsOf: typed)
    writeInput()
  }

  private func writeInput() {
    guard let master = own?.pseudo.master, !input.isEmpty else { return }
    let count = input.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
    if count > 0 {
      input.withUnsafeMutableBytes { if let start = $0.baseAddress { explicit_bzero(start, count) } }
      input.removeFirst(count)
    } else if errno != EAGAIN && errno != EINTR {
      input = []
      readsInput = false
    }
  }

  // MARK: - Signals

  private func answerSignals() -> Bool {
    var received = signals.take()
    while !received.isEmpty {
      let signal = received.removeFirst()
      switch signal.number {
      case SIGCHLD:
        if reap() { received.removeAll { $0.number == SIGTSTP } }
      case SIGWINCH:
        let person: Int32 = isatty(1) == 1 ? 1 : 2
        for terminal in terminals { seif_copy_window_size(person, terminal.master) }
      case SIGCONT: send(SIGCONT)
      case SIGTSTP:
        if own == nil, !signal.isFromKernel { kill(child, SIGTSTP) }
        suspend(by: own == nil ? nil : SIGSTOP)
        received.removeAll { $0.number == SIGTSTP }
      default:
        if status != nil { return true }
        // In our own process group the terminal has told the program too.
        if own != nil || !signal.isFromKernel { send(signal.number) }
      }
    }
    return false
  }

  private func send(_ number: Int32) {
    guard status == nil else { return }
    kill(own == nil ? child : -child, number)
  }

  /// Learns how the program is; true where it had stopped, and this process with it.
  private func reap() -> Bool {
    guard status == nil else { return false }
    var state: Int32 = 0
    guard waitpid(child, &state, WNOHANG | WUNTRACED) == child else { return false }
    if state & 0xFF == 0x7F {
      suspend(by: nil)
      return true
    }
    status = state & 0x7F == 0 ? (state >> 8) & 0xFF : 128 + (state & 0x7F)
    return false
  }

  /// Stops this process, so that the shell has the terminal again, until it is told to go on.
  private func suspend(by number: Int32?) {
    if let number { send(number) }
    own?.raw.restore()
    // A program with the whole terminal can't go on behind the shell's back.
    repeat { kill(getpid(), SIGSTOP) } while own.map { !$0.raw.isInForeground } ?? false
    signals.forget(SIGTSTP)
    own?.raw.begin()
    if let own { seif_copy_window_size(0, own.pseudo.master) }
    send(SIGCONT)
  }

  private static func isSameFile(_ left: Int32, _ right: Int32) -> Bool {
    var (a, b) = (stat(), stat())
    guard fstat(left, &a) == 0, fstat(right, &b) == 0 else { return false }
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino
  }
}

/// The pipes and pseudo-terminals between a program and our output.
private struct Streams {
  struct Made {
    let source: Int32
    let target: Int32
    let close: () -> Void
  }
  private(set) var made: [Made] = []
  private(set) var terminals: [PseudoTerminal] = []
  /// Descriptors here for the program's own.
  private(set) var forProgram: [Int32: Int32] = [:]
  private var writingEnds: [Int32] = []

  /// What takes the place of one of our outputs.
  mutating func add(to target: Int32, as numbers: [Int32]) throws(CommandFailure) {
    guard isatty(target) == 1, let pseudo = PseudoTerminal(like: target, isRaw: true) else {
      return try addPipe(to: target, as: numbers)
    }
    add(pseudo, to: target)
    for number in numbers { forProgram[number] = pseudo.programEnd }
  }

  mutating func add(_ pseudo: PseudoTerminal, to target: Int32) {
    terminals.append(pseudo)
    // The value keeps the descriptor; it goes with the run.
    made.append(Made(source: pseudo.master, target: target, close: {}))
  }

  mutating func addPipe(to target: Int32, as numbers: [Int32]) throws(CommandFailure) {
    var ends: [Int32] = [-1, -1]
    guard seif_pipe(&ends) == 0 else { throw CommandFailure(.ioFailed, "no pipe can be made") }
    let reading = ends[0]
    made.append(Made(source: reading, target: target, close: { close(reading) }))
    writingEnds.append(ends[1])
    for number in numbers { forProgram[number] = ends[1] }
  }

  mutating func closeProgramEnds() {
    for end in writingEnds { close(end) }
    writingEnds = []
    for terminal in terminals { terminal.closeProgramEnd() }
  }
}

/// Signals as bytes in a pipe, so that one loop waits for them and for everything else.
final class SignalPipe: Sendable {
  struct Received {
    let number: Int32
    let isFromKernel: Bool
  }
  let reading: Int32
  private let writing: Int32

  init?() {
    var ends: [Int32] = [-1, -1]
    guard seif_pipe(&ends) == 0 else { return nil }
    for end in ends { _ = seif_fcntl_setfl(end, O_NONBLOCK) }
    (reading, writing) = (ends[0], ends[1])
    let writing = writing
    Interrupts.setReceiver { number, isFromKernel in
      var byte = UInt8(truncatingIfNeeded: number) | (isFromKernel ? 0x80 : 0)
      _ = write(writing, &byte, 1)
    }
  }

  func take() -> [Received] {
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = buffer.withUnsafeMutableBytes { read(reading, $0.baseAddress, $0.count) }
    return buffer.prefix(max(0, count)).map { Received(number: Int32($0 & 0x7F), isFromKernel: $0 & 0x80 != 0) }
  }

  /// Drops a signal that has been answered already; the others stay.
  func forget(_ number: Int32) {
    for other in take() where other.number != number {
      var byte = UInt8(truncatingIfNeeded: other.number) | (other.isFromKernel ? 0x80 : 0)
      _ = write(writing, &byte, 1)
    }
  }

  deinit {
    Interrupts.setReceiver(nil)
    close(reading)
    close(writing)
  }
}
