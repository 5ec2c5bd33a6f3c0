import Glibc
import SeifProcesses
import SeifTestSupport
import Synchronization
import Testing

/// What a program that ends with a thread finds, and when it ends.
@Suite struct SpawnTests {
  /// What a program says, started so.
  private func output(of command: [String], tied: Bool) throws -> String {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    for place in 0...1 {
      // Numbers that no other test takes meanwhile.
      let high = fcntl(ends[place], F_DUPFD_CLOEXEC, 200 + Int32(place))
      close(ends[place])
      ends[place] = high
    }
    defer { close(ends[0]) }
    let spawn = Spawn(blocked: [SIGUSR2], defaults: .all)
    spawn.open("/dev/null", O_RDONLY, as: 0)
    spawn.hand(ends[1], as: 1)
    spawn.hand(ends[1], as: 7)
    spawn.hand(7, as: 8)
    // Under its own number, which otherwise closes as the program starts.
    spawn.hand(ends[0], as: ends[0])
    spawn.work(in: "/usr")
    spawn.startSession()
    if tied { spawn.endWithThisThread() }
    let words = ["PATH=/usr/bin:/bin", "WORD=a b", "KEPT=\(ends[0])", "CLOSED=\(ends[1])"]
    let started = Spawn.withWords(words) { variables in
      try? spawn.start("/bin/" + command[0], command, environment: variables)
    }
    let child = try #require(started)
    close(ends[1])
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = read(ends[0], &buffer, buffer.count), count > 0 { text += buffer[..<count] }
    waitpid(child, nil, 0)
    return String(decoding: text, as: UTF8.self)
  }

  @Test func itFindsTheSameAsAnyOther() throws {
    let script = """
      pwd; echo "$WORD"; readlink /proc/$$/fd/0
      [ "$(readlink /proc/$$/fd/1)" = "$(readlink /proc/$$/fd/8)" ] && echo same
      [ -e /proc/$$/fd/7 ] && [ -e "/proc/$$/fd/$KEPT" ] && echo kept
      [ -e "/proc/$$/fd/$CLOSED" ] || echo closed
      set -- $(cat /proc/$$/stat); [ "$6" = $$ ] && echo leads
      """
    let words = ["sh", "-c", script]
    let (tied, other) = (try output(of: words, tied: true), try output(of: words, tied: false))
    #expect(tied == other)
    #expect(tied.hasPrefix("/usr\na b\n/dev/null\nsame\nkept\nclosed\n") && tied.hasSuffix("\nleads\n"), "\(tied)")
  }

  @Test(arguments: [true, false]) func itsSignalsAreAsTheyWereAskedFor(tied: Bool) throws {
    let status = try output(of: ["grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"], tied: tied)
    let lines = status.split(separator: "\n")
    let numbers = lines.compactMap { UInt64($0.drop { $0 != "\t" }.dropFirst(), radix: 16) }
    // Those from 32 on belong to the C library.
    #expect(numbers.map { $0 & 0x7FFF_FFFF } == [1 << UInt64(SIGUSR2 - 1), 0], "\(status)")
  }

  @Test(arguments: [("/nonexistent/program", "/", ENOENT), ("/bin/sh", "/nonexistent", ENOENT), ("/etc", "/", EACCES)])
  func oneThatCannotBeStartedGivesTheReason(program: String, folder: String, code: Int32) {
    for isTied in [false, true] {
      let spawn = Spawn()
      spawn.work(in: folder)
      if isTied { spawn.endWithThisThread() }
      var failure: Int32?
      do throws(Spawn.Failure) { _ = try spawn.start(program, ["program"]) } catch { failure = error.code }
      #expect(failure == code, "\(isTied)")
    }
  }

  private func start(tied: Bool) -> Int32 {
    let spawn = Spawn()
    for number: Int32 in 0...2 { spawn.open("/dev/null", O_RDWR, as: number) }
    if tied { spawn.endWithThisThread() }
    return (try? spawn.start("/bin/sleep", ["sleep", "1000"])) ?? -1
  }

  @Test(arguments: [true, false]) func itIsKilledAsTheThreadEndsThatStartedIt(tied: Bool) throws {
    let state = Mutex<(child: Int32, mayEnd: Bool)>((0, false))
    let shared = Shared(state)
    let thread = SideThread {
      let child = start(tied: tied)
      shared.state.withLock { $0.child = child }
      while !shared.state.withLock({ $0.mayEnd }) { usleep(5_000) }
    }
    thread.start()
    var child: Int32 = 0
    for _ in 0..<1_000 where child == 0 {
      usleep(10_000)
      child = shared.state.withLock { $0.child }
    }
    try #require(child > 0)
    defer {
      kill(child, SIGKILL)
      waitpid(child, nil, 0)
    }
    func hasEnded(tries: Int) -> Bool {
      for _ in 0..<tries {
        var info = siginfo_t()
        if waitid(P_PID, id_t(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0, info.si_signo == SIGCHLD { return true }
        usleep(10_000)
      }
      return false
    }
    #expect(!hasEnded(tries: 20))
    shared.state.withLock { $0.mayEnd = true }
    #expect(hasEnded(tries: tied ? 1_000 : 30) == tied)
  }
}

private final class Shared: Sendable {
  let state: Mutex<(child: Int32, mayEnd: Bool)>
  init(_ state: consuming Mutex<(child: Int32, mayEnd: Bool)>) { self.state = state }
}
