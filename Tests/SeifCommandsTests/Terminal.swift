import SeifCommandLine
import CSeif
import Glibc
import Testing

@testable import SeifCommands

/// A program under a pseudo-terminal of its own, or under none: what a transcript drives.
final class Terminal {
  enum Stream { case terminal, pipe }
  struct Failure: Error { let what: String }
  static let secondsToWait = 120

  private let master: Int32
  private let slave: Int32
  private let device: String
  let child: pid_t
  /// Everything the terminal showed so far.
  private(set) var screen = ""
  private var screenBytes: [UInt8] = []
  private var seen = 0
  private let outputPipe: Int32
  private let errorPipe: Int32
  private var status: Int32?

  /// The probe, which lies beside the test program.
  static var probe: String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let path = String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return path.split(separator: "/").dropLast().reduce(into: "") { $0 += "/" + $1 } + "/seif-probe"
  }

  /// Starts a program.
  /// - Parameters:
  ///   - hasTerminal: whether it has a controlling terminal at all.
  ///   - input: bytes for stdin by a pipe; nil for the terminal (or nothing, without one).
  ///   - descriptors: bytes for further descriptors.
  init(
    _ arguments: [String], program: String = Terminal.probe, hasTerminal: Bool = true, input: [UInt8]? = nil,
    output: Stream = .pipe, errors: Stream = .terminal, descriptors: [Int32: [UInt8]] = [:],
    environment: [String: String] = [:], columns: UInt16 = 80
  ) throws {
    var master: Int32 = -1
    var slave: Int32 = -1
    var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    guard openpty(&master, &slave, nil, nil, &size) == 0 else { throw Failure(what: "no pseudo-terminal: \(errno)") }
    // Tests run side by side, and `ttyname` has one buffer for all of them.
    var buffer = [CChar](repeating: 0, count: 64)
    let unnamed = ttyname_r(slave, &buffer, buffer.count)
    guard unnamed == 0 else { throw Failure(what: "a pseudo-terminal without a name: \(unnamed)") }
    let name = buffer.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    self.master = master
    self.slave = slave
    device = name
    // The slave stays open here, so that flags can be read after the program has gone.
    for descriptor in [master, slave] { _ = seif_fcntl_setfd(descriptor, FD_CLOEXEC) }

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // In a new session the first terminal that is opened becomes the controlling one.
    posix_spawn_file_actions_addopen(&actions, 0, hasTerminal ? name : "/dev/null", O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_adddup2(&actions, 0, 2)
    var toClose: [Int32] = []
    if let input { toClose.append(try Self.feed(input, as: 0, &actions)) }
    for (number, bytes) in descriptors { toClose.append(try Self.feed(bytes, as: number, &actions)) }
    outputPipe = output == .pipe || !hasTerminal ? try Self.collect(1, &actions, &toClose) : -1
    errorPipe = errors == .pipe || !hasTerminal ? try Self.collect(2, &actions, &toClose) : -1

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The tests run on threads with signals blocked; a program that inherits that can't be ended, nor learn that its own
    // programs have ended.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    let newSession: Int32 = 0x80  // POSIX_SPAWN_SETSID, for which Glibc wants _GNU_SOURCE
    posix_spawnattr_setflags(&attributes, Int16(newSession | POSIX_SPAWN_SETSIGMASK))
    var variables = ["PATH": "/usr/bin:/bin", "TERM": "xterm", "LANG": "C.UTF-8", "HOME": "/nonexistent"]
    variables.merge(environment) { $1 }
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    var pairs = variables.map { strdup("\($0)=\($1)") } + [nil]
    defer { (words + pairs).forEach { free($0) } }
    var child: pid_t = 0
    var result = posix_spawn(&child, program, &actions, &attributes, &words, &pairs)
    // A program that a test has just written is busy for as long as a process that another test begins has it open too.
    for _ in 0..<100 where result == ETXTBSY {
      usleep(20_000)
      result = posix_spawn(&child, program, &actions, &attributes, &words, &pairs)
    }
    self.child = child
    toClose.forEach { close($0) }
    guard result == 0 else { throw Failure(what: "\(program) doesn't start: \(result)") }
  }

  deinit {
    // Where it didn't start there is no child: the number 0 would mean every process of the tests.
    if status == nil, child > 1 {
      kill(child, SIGKILL)
      waitpid(child, nil, 0)
    }
    close(master)
    close(slave)
    if outputPipe >= 0 { close(outputPipe) }
    if errorPipe >= 0 { close(errorPipe) }
  }

  /// Whether what is typed is shown.
  var echoes: Bool {
    var attributes = termios()
    tcgetattr(master, &attributes)
    return attributes.c_lflag & tcflag_t(ECHO) != 0
  }

  func type(_ text: String) {
    var text = text
    text.withUTF8 { _ = write(master, $0.baseAddress, $0.count) }
  }

  /// Gives the terminal another width, of which its programs are told by SIGWINCH.
  func resize(columns: Int) throws {
    let stty = try Terminal(["-F", device, "cols", String(columns)], program: "/usr/bin/stty", hasTerminal: false)
    guard try stty.finish().exitCode == 0 else { throw Failure(what: "no new size") }
  }

  func signal(_ number: Int32) { if child > 1 { kill(child, number) } }

  /// Waits until the terminal shows a text after what was waited for before. Where its lines break, which depends on
  /// the length of paths, doesn't matter.
  func expect(_ text: String) throws {
    let words = Array(text.utf8)
    for _ in 0..<(Self.secondsToWait * 10) {
      let unseen = screenBytes.indices.dropFirst(seen)
      if let end = unseen.lazy.compactMap({ self.end(of: words, at: $0) }).first {
        seen = end
        return
      }
      readScreen(milliseconds: 100)
    }
    throw Failure(what: "never shown: \(text); shown: \(screen)")
  }

  /// Where a text that is shown from here on ends; a space in it stands for an end of a line too.
  private func end(of text: [UInt8], at start: Int) -> Int? {
    var position = start
    for byte in text {
      guard position < screenBytes.count else { return nil }
      if byte == UInt8(ascii: " "), screenBytes[position] == UInt8(ascii: "\r") {
        position += 1
        guard position < screenBytes.count, screenBytes[position] == UInt8(ascii: "\n") else { return nil }
      } else if screenBytes[position] != byte {
        return nil
      }
      position += 1
    }
    return position
  }

  /// Waits until echo is on or off: flags and the text of a prompt aren't one step.
  func expect(echo: Bool) throws {
    for _ in 0..<(Self.secondsToWait * 50) where echoes != echo { usleep(20_000) }
    if echoes != echo { throw Failure(what: "echo stays \(echoes ? "on" : "off")") }
  }

  /// Waits until the program is stopped by a signal.
  func expectStopped() throws {
    for _ in 0..<(Self.secondsToWait * 50) {
      var status: Int32 = 0
      if waitpid(child, &status, WNOHANG | WUNTRACED) == child {
        if status & 0xFF == 0x7F { return }
        self.status = status
        throw Failure(what: "ended instead of stopping")
      }
      usleep(20_000)
    }
    throw Failure(what: "not stopped")
  }

  struct Result {
    /// As the kernel gives it: 0...255 for an exit, nil where a signal killed it.
    let exitCode: Int32?
    let output: String
    let errors: String
    let screen: String
  }

  /// Waits for the end and gives everything that came.
  func finish() throws -> Result {
    let output = try Self.drain(outputPipe)
    let errors = try Self.drain(errorPipe)
    for _ in 0..<(Self.secondsToWait * 50) where status == nil {
      readScreen(milliseconds: 0)
      var status: Int32 = 0
      if waitpid(child, &status, WNOHANG) == child { self.status = status } else { usleep(20_000) }
    }
    guard let status else { throw Failure(what: "doesn't end; shown: \(screen)") }
    readScreen(milliseconds: 50)
    return Result(
      exitCode: status & 0x7F == 0 ? (status >> 8) & 0xFF : nil, output: output, errors: errors, screen: screen)
  }

  private func readScreen(milliseconds: Int32) {
    var poller = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    guard poll(&poller, 1, milliseconds) > 0 else { return }
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = buffer.withUnsafeMutableBytes { read(master, $0.baseAddress, $0.count) }
    guard count > 0 else { return }
    screenBytes += buffer.prefix(count)
    screen = String(decoding: screenBytes, as: UTF8.self)
  }

  /// A pipe that already holds the bytes and is closed at the writing end; small enough for its buffer.
  private static func feed(
    _ bytes: [UInt8], as number: Int32, _ actions: inout posix_spawn_file_actions_t
  ) throws -> Int32 {
    var ends: [Int32] = [-1, -1]
    guard seif_pipe(&ends) == 0, bytes.count <= 60_000 else { throw Failure(what: "no pipe") }
    _ = bytes.withUnsafeBytes { write(ends[1], $0.baseAddress, $0.count) }
    close(ends[1])
    posix_spawn_file_actions_adddup2(&actions, ends[0], number)
    return ends[0]
  }

  private static func collect(
    _ number: Int32, _ actions: inout posix_spawn_file_actions_t, _ toClose: inout [Int32]
  ) throws -> Int32 {
    var ends: [Int32] = [-1, -1]
    guard seif_pipe(&ends) == 0 else { throw Failure(what: "no pipe") }
    posix_spawn_file_actions_adddup2(&actions, ends[1], number)
    toClose.append(ends[1])
    return ends[0]
  }

  private static func drain(_ descriptor: Int32) throws -> String {
    guard descriptor >= 0 else { return "" }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&poller, 1, Int32(secondsToWait * 1000)) > 0 else { throw Failure(what: "waits for ever") }
      let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count <= 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer.prefix(count)
    }
  }
}

func hexadecimal(_ text: String) -> String {
  text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
