import SeifCommandLine
import Glibc
import SeifTestSupport
import Testing

@testable import SeifCommands

/// Passphrases from descriptors, files and pinentry, in a process of their own.
@Suite struct PassphraseSourceTests {
  private func ask(_ input: String, _ arguments: [String] = []) throws -> Terminal.Result {
    try Terminal(["ask", "--passphrase-fd", "0"] + arguments, hasTerminal: false, input: Array(input.utf8)).finish()
  }

  @Test(arguments: [
    ("pass", "pass"), ("pass\n", "pass"), ("pass\r\n", "pass"), (" pass \n", " pass "), ("pass\r", "pass\r"),
    ("păß\n", "păß"),
  ])
  func exactlyOneLineEndIsTakenOff(input: String, passphrase: String) throws {
    let result = try ask(input)
    #expect(result.output == hexadecimal(passphrase) + "\n")
    #expect(result.exitCode == 0)
  }

  @Test(arguments: ["one\ntwo\n", "one\n\n", "one\ntwo", "\n\n"])
  func aSecondLineIsWrongUse(input: String) throws {
    let result = try ask(input)
    #expect(result.exitCode == 64)
    #expect(!result.errors.contains("one\n") && !result.errors.contains("two"))
  }

  @Test(arguments: ["", "\n", "\r\n"])
  func anEmptyPassphraseIsRefused(input: String) throws {
    #expect(try ask(input).exitCode == 77)
  }

  @Test func aDescriptorThatIsNotOpenIsWrongUse() throws {
    #expect(try Terminal(["ask", "--passphrase-fd", "900"], hasTerminal: false).finish().exitCode == 64)
  }

  @Test func oneDescriptorServesOnePassphrase() throws {
    #expect(try ask("pass\n", ["--vault-passphrase-fd", "0"]).exitCode == 64)
  }

  @Test func aSecondPassphraseHasItsOwnDescriptor() throws {
    let result = try Terminal(
      ["ask", "--passphrase-fd=3", "--vault-passphrase-fd=4"], hasTerminal: false,
      descriptors: [3: Array("first\n".utf8), 4: Array("second\n".utf8)]
    ).finish()
    #expect(result.output == hexadecimal("first") + "\n" + hexadecimal("second") + "\n")
  }

  @Test func aLongOneIsReadAndATooLongOneRefused() throws {
    let long = String(repeating: "x", count: 60_000)
    #expect(try ask(long).output == hexadecimal(long) + "\n")
    let folder = try TemporaryFolder()
    let path = try folder.write(String(repeating: "x", count: 64 * 1024 + 1), as: "long")
    #expect(try Terminal(["ask", "--passphrase-file", path], hasTerminal: false).finish().exitCode == 64)
  }

  @Test func aFileGivesItsLine() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("from a file\n", as: "passphrase")
    let result = try Terminal(["ask", "--passphrase-file", path], hasTerminal: false).finish()
    #expect(result.output == hexadecimal("from a file") + "\n")
    #expect(result.errors == "")
  }

  @Test func aFileThatOthersMayReadIsWarnedOf() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("from a file\n", as: "passphrase", mode: 0o644)
    let result = try Terminal(["ask", "--passphrase-file", path], hasTerminal: false).finish()
    #expect(result.exitCode == 0)
    #expect(result.errors.hasPrefix("! others on this machine may read"))
  }

  @Test(arguments: [("/nonexistent/f", 66), ("/tmp", 66), ("-", 64), ("", 64)])
  func aFileThatCannotGiveOneIsNamed(path: String, exitCode: Int32) throws {
    let result = try Terminal(["ask", "--passphrase-file=" + path], hasTerminal: false).finish()
    #expect(result.exitCode == exitCode)
    #expect(result.output == "")
  }

  // MARK: - Pinentry

  private func pinentry(_ answer: String) throws -> (folder: TemporaryFolder, path: String) {
    let folder = try TemporaryFolder()
    let script = """
      #!/bin/sh
      echo "OK Pleased to meet you"
      while read -r command rest; do
        case "$command" in
          GETPIN) \(answer) ;;
          SETDESC) printf '%s' "$rest" > "$0.desc"; echo OK ;;
          BYE) echo "OK closing connection"; exit 0 ;;
          OPTION) echo "ERR 83886254 Unknown option <Pinentry>" ;;
          *) echo OK ;;
        esac
      done
      """
    let pinentry = try folder.write(script, as: "pinentry")
    ExecutableFile.settle(pinentry)
    return (folder, pinentry)
  }

  @Test func pinentryAnswersPercentDecodedWithoutATerminal() throws {
    let (folder, path) = try pinentry("echo '# a comment'; echo 'D 50%25 of'; echo 'D %20it%0A'; echo OK")
    let result = try Terminal(["ask"], hasTerminal: false, environment: ["SEIF_PINENTRY": path]).finish()
    #expect(result.output == hexadecimal("50% of it\n") + "\n")
    #expect(try folder.read("pinentry.desc") == "Passphrase for phone.authbackup")
  }

  @Test func cancellingPinentryIs130() throws {
    let (folder, path) = try pinentry("echo 'ERR 83886179 Operation cancelled <Pinentry>'")
    let result = try Terminal(["ask"], environment: ["SEIF_PINENTRY": path]).finish()
    #expect(result.exitCode == 130)
    withExtendedLifetime(folder) {}
  }

  @Test(arguments: ["echo 'ERR 83918950 Inappropriate ioctl <Pinentry>'", "exit 1", "echo 'D bad%zz'; echo OK"])
  func aPinentryThatCannotAskLeavesItToTheTerminal(answer: String) throws {
    let (folder, path) = try pinentry(answer)
    let terminal = try Terminal(["ask"], environment: ["SEIF_PINENTRY": path])
    try terminal.expect("Passphrase for phone.authbackup: ")
    terminal.type("typed\n")
    #expect(try terminal.finish().output == hexadecimal("typed") + "\n")
    withExtendedLifetime(folder) {}
  }

  @Test func interruptedPinentryIsEndedToo() throws {
    let (folder, path) = try pinentry("echo $$ > \"$0.pid\"; exec sleep 1000")
    let terminal = try Terminal(["ask"], environment: ["SEIF_PINENTRY": path])
    var identifier: pid_t?
    for _ in 0..<500 where identifier == nil {
      identifier = (try? folder.read("pinentry.pid")).flatMap { pid_t($0.prefix { $0 != "\n" }) }
      usleep(20_000)
    }
    let child = try #require(identifier)
    terminal.signal(SIGINT)
    #expect(try terminal.finish().exitCode == 130)
    for _ in 0..<500 where kill(child, 0) == 0 && !isZombie(child) { usleep(20_000) }
    #expect(kill(child, 0) != 0 || isZombie(child))
  }

  private func isZombie(_ identifier: pid_t) -> Bool {
    guard let file = fopen("/proc/\(identifier)/stat", "r") else { return true }
    defer { fclose(file) }
    var buffer = [CChar](repeating: 0, count: 256)
    guard fgets(&buffer, 256, file) != nil else { return true }
    return String(decoding: buffer.map { UInt8(bitPattern: $0) }, as: UTF8.self).contains(") Z ")
  }
}
