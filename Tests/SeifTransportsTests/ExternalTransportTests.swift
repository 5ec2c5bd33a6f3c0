import FoundationEssentials
import Glibc
import SeifBackups
import SeifBytes
import Testing

@testable import SeifTransports

@Suite struct ExternalTransportTests {
  private let programs = ProgramFolder()

  /// A transport whose program is these lines of shell.
  private func transport(_ body: String, argument: String = "", timeout: Int = 30) throws -> ExternalTransport {
    try ExternalTransport(
      program: try programs.add("program", "#!/bin/sh\n\(body)\n"), argument: argument, timeout: timeout,
      createsConditionally: true)
  }

  private func output(_ body: String) throws -> String {
    // EXPOSE: what a test's own program says.
    try transport(body).download(id: "x", limit: 1 << 20).exposedText() ?? ""
  }

  // MARK: - How it is called

  @Test func wordsGoToTheProgramAsTheyAre() throws {
    let log = "printf '%s|' \"$@\" >>\"$0.words\"; echo >>\"$0.words\""
    let transport = try transport(log, argument: "$(touch x) *")
    _ = try transport.listBackups()
    _ = try? transport.upload(SecretValue(utf8: ""), name: "-n; `x` 'ä'")
    _ = try transport.download(id: "$HOME \"x\"", limit: 1)
    try transport.delete(id: "a/b")
    try transport.checkWriting()
    let calls = ["list", "upload|-n; `x` 'ä'|0", "download|$HOME \"x\"", "delete|a/b", "check"]
    #expect(programs.read("program.words") == calls.map { "$(touch x) *|\($0)|\n" }.joined())
  }

  @Test func withoutAnArgumentTheVerbComesFirst() throws {
    #expect(try output("printf '%s' \"$1\"") == "download")
  }

  @Test func theEnvironmentIsAListThatThePageHas() throws {
    setenv("SEIF_TEST_SECRET", "hidden", 1)
    defer { unsetenv("SEIF_TEST_SECRET") }
    let names = try output("env").split(separator: "\n").compactMap { $0.split(separator: "=").first.map(String.init) }
    #expect(names.contains("PATH"))
    // What a shell sets for itself.
    #expect(Set(names).subtracting(ProgramEnvironment.names).subtracting(["PWD", "OLDPWD", "SHLVL", "_"]).isEmpty)
  }

  @Test func itHasNothingOfOursOpenOrBlockedAndASessionOfItsOwn() throws {
    // The fourth is the folder that is being listed.
    #expect(try output("exec ls /proc/self/fd") == "0\n1\n2\n3\n")
    let signals = try output("grep -E 'SigBlk|SigIgn' /proc/self/status").split(separator: "\n").compactMap {
      UInt64($0.split(separator: "\t").last ?? "", radix: 16)
    }
    // Numbers 32 and 33 are the C library's own, which it has ignored in what it starts.
    #expect(signals.map { $0 & ~0x1_8000_0000 } == [0, 0])
    let session = try output("cut -d' ' -f6 /proc/$$/stat; echo $$; pwd").split(separator: "\n")
    #expect(session.count == 3 && session[0] == session[1] && session[2] == "/")
  }

  // MARK: - How it fails

  @Test(
    arguments: [
      (64, .badSettings), (65, .badAnswer), (66, .notFound), (69, .unavailable), (73, .exists), (74, .failed),
      (75, .busy), (76, .badAnswer), (77, .unauthorized), (78, .badSettings), (1, .failed), (126, .failed),
    ] as [(Int, TransportError.Code)])
  func anExitStatusIsAFailureOfItsKind(status: Int, code: TransportError.Code) throws {
    let transport = try transport("cat >/dev/null; echo first >&2; echo last words >&2; exit \(status)")
    for refused in [
      refusal { () throws(TransportError) in _ = try transport.listBackups() },
      refusal { () throws(TransportError) in _ = try transport.upload(SecretValue(utf8: "x"), name: "b") },
      refusal { () throws(TransportError) in _ = try transport.download(id: "b", limit: 10) },
      refusal { () throws(TransportError) in try transport.delete(id: "b") },
      refusal { () throws(TransportError) in try transport.checkWriting() },
    ] {
      #expect(refused?.code == code)
      #expect(refused?.reason.hasSuffix("last words") == true)
    }
    #expect(!transport.isAvailable())
  }

  @Test func theReasonIsOneCleanShortLine() throws {
    let long = try transport("i=0; while [ $i -lt 2000 ]; do printf 'line %s\\n' $i >&2; i=$((i+1)); done; exit 74")
    #expect(refusal { () throws(TransportError) in try long.delete(id: "b") }?.reason == "line 1999")
    let harmful = try transport("printf 'good\\n\\033[2Jevil\\n\\n  \\n' >&2; exit 74")
    #expect(refusal { () throws(TransportError) in try harmful.delete(id: "b") }?.reason == "\u{FFFD}[2Jevil")
    let endless = try transport("head -c 100000 /dev/zero | tr '\\0' x >&2; exit 74")
    #expect(refusal { () throws(TransportError) in try endless.delete(id: "b") }?.reason.count == 200)
  }

  @Test(arguments: ["exec sleep 60", "sleep 60 & sleep 60", "trap '' TERM; sleep 60 & wait; sleep 60"])
  func aProgramThatHangsIsEndedWithWhatItStarted(body: String) throws {
    let transport = try transport("echo $$ >\"$0.pid\"\n\(body)", timeout: 1)
    #expect(throws: TransportError(.timedOut, place: "")) { try transport.listBackups() }
    let process = try #require(pid_t(programs.read("program.pid").dropLast()))
    // The group takes a moment to be reaped.
    for _ in 0..<1_000 where isAlive(-process) { usleep(2_000) }
    #expect(!isAlive(-process))
  }

  @Test func aProgramThatDiesHalfWayLeavesItIncomplete() throws {
    let content = SecretValue(byteCount: 1_000_000) { _ in }
    for body in ["head -c 100000 >/dev/null; kill -9 $$", "kill -9 $$", "head -c 100000 >/dev/null", "exit 0"] {
      #expect(throws: TransportError(.incomplete, place: ""), "\(body)") {
        try transport(body).upload(content, name: "b")
      }
    }
    #expect(throws: TransportError(.incomplete, place: "")) {
      try transport("echo half; kill -9 $$").download(id: "b", limit: 100)
    }
  }

  @Test func whatIsWrittenWithoutEndIsntReadWithoutEnd() throws {
    let endless = try transport("exec yes")
    #expect(throws: TransportError(.tooLarge, place: "")) { try endless.download(id: "b", limit: 100_000) }
    #expect(throws: TransportError(.badAnswer, place: "")) { try endless.delete(id: "b") }
    #expect(throws: TransportError(.badAnswer, place: "")) { try endless.listBackups() }
    let complaining = try transport("exec yes >&2", timeout: 1)
    #expect(throws: TransportError(.timedOut, place: "")) { try complaining.checkWriting() }
    let exact = try transport("printf 12345")
    #expect(try exact.download(id: "b", limit: 5) == SecretValue(utf8: "12345"))
    #expect(throws: TransportError(.tooLarge, place: "")) { try exact.download(id: "b", limit: 4) }
  }

  @Test func whatAProgramLeavesRunningHoldsNobodyUp() throws {
    let transport = try transport("sleep 5 & echo done", timeout: 3)
    #expect(try transport.download(id: "b", limit: 100) == SecretValue(utf8: "done\n"))
  }

  @Test func aProgramThatIsntThereIsUnavailable() throws {
    let missing = try ExternalTransport(program: programs.path + "/none")
    #expect(throws: TransportError(.unavailable, place: "")) { try missing.listBackups() }
    #expect(!missing.isAvailable())
    let noProgram = try ExternalTransport(program: programs.folder("folder"))
    #expect(throws: TransportError(.unavailable, place: "")) { try noProgram.listBackups() }
  }

  // MARK: - What it answers

  @Test func aListingIsReadLineByLine() throws {
    let lines = "12\tid 1\tname\n-\tä\ta b\n0\tx/y\tz\n"
    #expect(
      try ExternalTransport.listing(Array(lines.utf8), place: "") == [
        BackupDescriptor(id: "id 1", name: "name", byteCount: 12),
        BackupDescriptor(id: "ä", name: "a b", byteCount: nil),
        BackupDescriptor(id: "x/y", name: "z", byteCount: 0),
      ])
    #expect(try ExternalTransport.listing([], place: "").isEmpty)
    let alike = "1\t\u{E4}\t\u{E4}\n1\ta\u{308}\ta\u{308}\n"
    #expect(try ExternalTransport.listing(Array(alike.utf8), place: "").count == 2)
    // Nobody can ask for a name that isn't text.
    #expect(try ExternalTransport.listing([0x31, 9, 0xFF, 9, 0xFF, 10] + Array(lines.utf8), place: "").count == 3)
  }

  @Test(arguments: [
    "x", "1\ta\tb", "1\ta\n", "1\ta\tb\tc\n", "\n", "\ta\tb\n", "+1\ta\tb\n", "-1\ta\tb\n", "1 \ta\tb\n",
    "1234567890123456\ta\tb\n", "1\t\tb\n", "1\ta\t\n", "1\ta\t..\n", "1\ta\tb/c\n", "1\ta\tb\r\n",
    "1\ta\tb\n1\ta\tc\n",
    "<html>\n",
  ])
  func aListingThatIsntOneIsRefused(text: String) {
    #expect(throws: TransportError(.badAnswer, place: "")) {
      try ExternalTransport.listing(Array(text.utf8), place: "")
    }
  }

  @Test func moreFilesThanAFolderHasAreRefused() {
    let lines = (0...ExternalTransport.fileLimit).map { "1\t\($0)\tname\n" }.joined()
    #expect(throws: TransportError(.badAnswer, place: "")) {
      try ExternalTransport.listing(Array(lines.utf8), place: "")
    }
  }

  @Test func whatIsStoredMayHaveAnIdentifierOfItsOwn() throws {
    let content = SecretValue(utf8: "x")
    #expect(try transport("cat >/dev/null").upload(content, name: "b").id == "b")
    #expect(try transport("cat >/dev/null; echo 17").upload(content, name: "b").id == "17")
    for body in ["echo 1; echo 2", "echo", "printf '\\377'", "printf 'a\\tb'"] {
      #expect(throws: TransportError(.badAnswer, place: "")) {
        try transport("cat >/dev/null; \(body)").upload(content, name: "b")
      }
    }
  }

  @Test(arguments: ["", ".", "..", "a/b", "a\tb", "a\nb", ".seif-0.part", String(repeating: "n", count: 256)])
  func aNameThatIsNoneIsRefusedBeforeAnythingRuns(name: String) throws {
    let transport = try transport("touch \"$0.ran\"")
    #expect(throws: TransportError(.notFound, place: "")) { try transport.upload(.empty, name: name) }
    #expect(access(programs.path + "/program.ran", F_OK) != 0)
  }

  @Test(arguments: [
    ["program": "relative"], ["program": ""], ["program": "/a\nb"], ["argument": "a\tb"], ["timeout": "0"],
    ["timeout": "x"], ["timeout": "86401"],
  ])
  func settingsThatCantBeUsedAreRefused(fields: [String: String]) {
    let settings = TransportSettings(
      name: "place", kind: "external", values: ["program": "/bin/true"].merging(fields) { $1 })
    #expect(throws: TransportError(.badSettings, place: "")) {
      try TransportRegistry(LocalTransports.kinds).transport(settings)
    }
  }
}
