import Glibc
import SeifBytes
import SeifProcesses
import Testing

/// A program that is run to its end for what it writes.
@Suite struct HelperProgramTests {
  private func shell(_ script: String, input: String = "") throws -> (status: Int32, output: String) {
    let run = HelperProgram.run("/bin/sh", ["-c", script], input: SecretBytes(copying: SecretValue(utf8: input)))
    let done = try #require(run)
    let text = done.output.bytes.withBytes { SecretValue(copying: $0).exposedText() }
    return (done.status, try #require(text))
  }

  @Test func itGetsItsInputAndGivesItsOutputAndStatus() throws {
    let done = try shell("cat; exit 3", input: "to and fro")
    #expect(done.status == 3)
    #expect(done.output == "to and fro")
  }

  @Test func oneThatIsNotThereGivesNothing() {
    let run = HelperProgram.run("/nonexistent/program", [], input: SecretBytes(copying: SecretValue.empty))
    #expect(run == nil)
  }

  @Test func oneThatASignalEndsHasTheStatusOfAShell() throws {
    #expect(try shell("kill -TERM $$").status == 128 + SIGTERM)
  }

  @Test func oneThatReadsNothingCostsNobodyASignal() throws {
    // The pipe has lost its reader by the time that some of these write into it.
    for _ in 0..<50 { #expect(try shell("exec <&-; exit 0", input: "unread").status == 0) }
  }

  @Test func onlyTheFirstOfItsOutputIsTaken() throws {
    let done = try shell("head -c \(HelperProgram.outputLimit + 1) /dev/zero | tr '\\0' x; cat /dev/zero")
    #expect(done.output == String(repeating: "x", count: HelperProgram.outputLimit))
    // It writes on into a pipe that is closed, which ends it.
    #expect(done.status == 128 + SIGPIPE)
  }

  @Test func oneThatClosesItsOutputAndLivesOnIsKilled() throws {
    let done = try shell("echo done; exec >&-; exec sleep 1000")
    #expect(done.output == "done\n")
    #expect(done.status == 128 + SIGKILL)
  }

  @Test func itsMessagesAreDropped() throws {
    #expect(try shell("readlink /proc/self/fd/2").output == "/dev/null\n")
  }
}
