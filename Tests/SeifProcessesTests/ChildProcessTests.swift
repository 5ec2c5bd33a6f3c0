import FoundationEssentials
import Glibc
import SeifBytes
import SeifProcesses
import SeifTestSupport
import Testing

/// How a program is started.
@Suite struct ChildProcessTests {
  /// The signals that a program is started with, of a line of its own status.
  private func signals(_ line: String, blocked: [Int32] = []) throws -> UInt64 {
    let child = try #require(ChildProcess("/bin/grep", ["^\(line):", "/proc/self/status"], blocked: blocked))
    var bytes = [UInt8](repeating: 0, count: 128)
    let count = read(child.output, &bytes, bytes.count)
    #expect(child.wait() == 0)
    let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    return try #require(UInt64(text.drop { $0 != "\t" }.dropFirst().prefix(16), radix: 16))
  }

  private func bit(_ number: Int32) -> UInt64 { 1 << UInt64(number - 1) }

  @Test func itGetsOurSignalsUnblockedButThoseThatWeAnswerForBoth() throws {
    var usr1 = sigset_t()
    var before = sigset_t()
    sigemptyset(&usr1)
    sigaddset(&usr1, SIGUSR1)
    pthread_sigmask(SIG_BLOCK, &usr1, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    #expect(try signals("SigBlk") == 0)
    #expect(try signals("SigBlk", blocked: [SIGINT, SIGTSTP]) == bit(SIGINT) | bit(SIGTSTP))
  }

  @Test func aPipeWithoutAReaderEndsItWhateverWeDoAboutThat() throws {
    #expect(try signals("SigIgn") & bit(SIGPIPE) == 0)
  }

  @Test func itInheritsOnlyItsThreeDescriptors() throws {
    let other = open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer { close(other) }
    let child = try #require(ChildProcess("/bin/sh", ["-c", "ls /proc/$$/fd"]))
    child.closeInput()
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(child.output, &bytes, bytes.count)
    let names = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: "\n")
    #expect(names.contains("0") && names.contains("1"))
    #expect(!names.contains(Substring(String(child.input))) && !names.contains(Substring(String(child.output))))
  }

  @Test func itsEndIsWaitedForAndItsStatusKept() throws {
    let child = try #require(ChildProcess("/bin/sh", ["-c", "read line; exit 7"]))
    #expect(!child.hasExited(within: 0))
    child.closeInput()
    #expect(child.hasExited(within: 10_000))
    #expect(child.wait() == 7)
  }

  @Test func aProgramIsFoundInTheFirstAbsoluteFolderOfThePath() throws {
    #expect(ChildProcess.find("sh", path: ".:bin:/nonexistent:/bin:/usr/bin") == "/bin/sh")
    #expect(ChildProcess.find("sh", path: "bin") == nil)
    #expect(ChildProcess.find("sh", path: nil) == nil)
  }
}
