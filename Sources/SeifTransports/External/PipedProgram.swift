internal import CSeif
internal import Glibc
internal import SeifBytes
internal import SeifProcesses

/// A program with pipes to its three streams. None of them is ever waited for alone, so neither side can hold the other
/// up by not reading; and it ends, with all that it started, no later than the value that holds it.
///
/// One thread at a time uses it.
final class PipedProgram: @unchecked Sendable {
  /// Why a program wasn't started: the number of a system error.
  struct Failure: Error { let code: Int32 }

  private let identifier: pid_t
  // -1: closed.
  private var input: Int32
  private var output: Int32
  private var errors: Int32
  private var received: [UInt8] = []
  // How many of the received bytes have been taken.
  private var taken = 0
  private var complaints: [UInt8] = []
  private var status: Int32?
  /// Whether it reads no more.
  private(set) var isInputBroken = false

  /// Starts a program in a session of its own, in the root folder, with no signal blocked or ignored and nothing open but
  /// its three streams.
  ///
  /// - Parameter words: its arguments, its own name first.
  init(_ path: String, _ words: [String], environment: [String]) throws(Failure) {
    var pipes: [[Int32]] = []
    for _ in 0..<3 {
      var ends: [Int32] = [-1, -1]
      guard seif_pipe(&ends) == 0 else {
        let code = errno
        for descriptor in pipes.joined() { close(descriptor) }
        throw Failure(code: code)
      }
      pipes.append(ends)
    }
    (input, output, errors) = (pipes[0][1], pipes[1][0], pipes[2][0])
    let theirs = [pipes[0][0], pipes[1][1], pipes[2][1]]
    let spawn = Spawn(defaults: .all)
    for (number, descriptor) in theirs.enumerated() { spawn.hand(descriptor, as: Int32(number)) }
    spawn.startSession()
    _ = spawn.closeOthers(from: 3)
    let child: Result<pid_t, Spawn.Failure> = Spawn.withWords(environment) { pairs in
      Result { () throws(Spawn.Failure) in try spawn.start(path, words, environment: pairs) }
    }
    for descriptor in theirs { close(descriptor) }
    switch child {
    case .success(let number): identifier = number
    case .failure(let failure):
      for descriptor in [input, output, errors] { close(descriptor) }
      throw Failure(code: failure.code)
    }
    for descriptor in [input, output, errors] {
      _ = seif_fcntl_setfl(descriptor, seif_fcntl_getfl(descriptor) | O_NONBLOCK)
    }
  }

  deinit { end() }

  /// How many bytes of its output are there to be taken.
  var available: Int { received.count - taken }
  /// Whether nothing more comes from it.
  var isOutputEnded: Bool { output < 0 }
  /// Whether it has said the last of its messages too.
  var isSilent: Bool { output < 0 && errors < 0 }

  /// Takes so many bytes of its output, which are there.
  func take(_ count: Int) -> [UInt8] {
    let bytes = Array(received.dropFirst(taken).prefix(count))
    taken += bytes.count
    if taken == received.count {
      received.removeAll(keepingCapacity: true)
      taken = 0
    } else if taken > 1 << 18 {
      received.removeFirst(taken)
      taken = 0
    }
    return bytes
  }

  /// Waits until something can be sent or read, at most a tenth of a second, and does it.
  ///
  /// - Parameters:
  ///   - limit: most bytes of its output that are kept; beyond, it has to wait.
  ///   - deadline: in milliseconds since the machine started.
  /// - Returns: how many bytes were sent, and whether anything happened.
  func pump(
    _ sending: UnsafeRawBufferPointer, holding limit: Int, until deadline: Int64
  ) -> (sent: Int, isIdle: Bool) {
    let room = limit - available
    var polls = [
      pollfd(fd: sending.isEmpty || isInputBroken ? -1 : input, events: Int16(POLLOUT), revents: 0),
      pollfd(fd: room > 0 ? output : -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
    ]
    let rest = min(max(0, deadline - seif_milliseconds_since_boot()), 100)
    guard poll(&polls, 3, Int32(rest)) > 0 else { return (0, true) }
    if polls[2].revents != 0 { readComplaints() }
    if polls[1].revents != 0 { readOutput(room) }
    return (polls[0].revents != 0 ? send(sending) : 0, false)
  }

  /// Says that nothing more comes on its input.
  func closeInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  /// Whether it has ended; what it started may live on.
  var hasEnded: Bool {
    if status != nil { return true }
    var info = siginfo_t()
    return waitid(P_PID, id_t(identifier), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_signo == SIGCHLD
  }

  /// Waits for its end, if need be after ending it and what it started: it is asked, and two seconds later it isn't. Gives
  /// its status as a shell would (128 + signal).
  @discardableResult
  func end() -> Int32 {
    if let status { return status }
    closeInput()
    if !hasEnded {
      kill(-identifier, SIGTERM)
      for _ in 0..<1_000 where !hasEnded { usleep(2_000) }
      // Its number is its own until it is waited for, its group's too.
      kill(-identifier, SIGKILL)
    }
    readComplaints()
    if output >= 0 { close(output) }
    if errors >= 0 { close(errors) }
    (output, errors) = (-1, -1)
    var raw: Int32 = 0
    while waitpid(identifier, &raw, 0) < 0, errno == EINTR {}
    let ended = raw & 0x7F == 0 ? (raw >> 8) & 0xFF : 128 + (raw & 0x7F)
    status = ended
    return ended
  }

  /// The last line of its messages, fit for a terminal and at most 200 characters long.
  var lastMessage: String {
    let lines = complaints.split { $0 == 0x0A || $0 == 0x0D }
    let texts = lines.map { Display.cleaned(String(decoding: $0, as: UTF8.self)) }
    return String((texts.last { $0.contains { $0 != " " && $0 != "\u{FFFD}" } } ?? "").prefix(200))
  }

  /// The end of all its messages, at most 4 KiB, as they came.
  var messages: String { String(decoding: complaints, as: UTF8.self) }

  private func readOutput(_ room: Int) {
    withUnsafeTemporaryAllocation(byteCount: min(room, 1 << 16), alignment: 1) { buffer in
      let count = read(output, buffer.baseAddress, buffer.count)
      if count > 0 {
        received.append(contentsOf: buffer.prefix(count))
      } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
        close(output)
        output = -1
      }
    }
  }

  // One that complains without end isn't listened to without end.
  private func readComplaints() {
    withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { buffer in
      for _ in 0..<32 where errors >= 0 {
        let count = read(errors, buffer.baseAddress, buffer.count)
        guard count > 0 else {
          if count < 0, errno == EAGAIN || errno == EINTR { return }
          close(errors)
          errors = -1
          return
        }
        complaints.append(contentsOf: buffer.prefix(count))
        if complaints.count > 4_096 { complaints.removeFirst(complaints.count - 4_096) }
      }
    }
  }

  // Without the signal that a pipe without a reader raises, whatever the process has set for it.
  private func send(_ bytes: UnsafeRawBufferPointer) -> Int {
    let held = seif_hold_pipe_signal()
    defer { seif_release_pipe_signal(held) }
    let count = write(input, bytes.baseAddress, bytes.count)
    if count >= 0 { return count }
    if errno != EAGAIN, errno != EINTR { isInputBroken = true }
    return 0
  }
}

/// What other programs get of our environment: no more, since it is nobody's business and may hold secrets.
enum ProgramEnvironment {
  /// The names, in docs/new-transport.md too.
  static let names = [
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "XDG_CONFIG_HOME",
    "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "SSH_AUTH_SOCK", "http_proxy",
    "https_proxy", "all_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
  ]

  /// `NAME=VALUE` of those that are set.
  static var pairs: [String] { names.compactMap { name in value(name).map { "\(name)=\($0)" } } }

  static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
