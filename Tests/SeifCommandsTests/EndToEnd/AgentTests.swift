import FoundationEssentials
import Glibc
import SeifBytes
import SeifTestSupport
import Testing

@testable import SeifCommands

/// The agent and the commands that use it.
@Suite struct AgentTests {
  let world: AgentHome

  init() throws { world = try AgentHome() }

  // MARK: - The same as without

  @Test func commandsSayTheSameWithTheAgentAsWithThePassphrase() throws {
    try world.unlock()
    for words in [
      ["list"], ["list", "--json"], ["list", "git"], ["show", "GitHub"], ["show", "GitHub", "--json"],
      ["show", "Forge"], ["show", "Forge", "--json"], ["show", "Everyday"], ["show", "Everyday", "--json"],
      ["show", "Keys", "--json"], ["show", "Steam"], ["bin", "list", "--json"], ["show", "nobody"], ["show", "git"],
      ["code", "GitHub", "--at", Fixture.moment], ["code", "git"], ["code", "Forge"], ["code", ""],
      ["code", "GitHub", "--at", Fixture.moment, "--json"], ["code", "GitHub", "--next", "--at", Fixture.moment],
      ["code", "Acme", "--next"],
    ] {
      let agent = try world.home.seif(list: words, environment: world.variables)
      let direct = try world.home.seif(
        list: words, passphrase: Canary.vaultPassphrase, environment: world.variables)
      #expect(agent.exitCode == direct.exitCode, "\(words)")
      #expect(agent.output == direct.output, "\(words)")
      #expect(agent.errors == direct.errors, "\(words)")
    }
  }

  @Test func whatIsWrittenThroughTheAgentIsThereForEveryone() throws {
    try world.unlock()
    let before = try world.direct("show", "Forge", "--reveal", reveals: true).output
    #expect(try world.seif("edit", "Forge", "--account", "ana maria").exitCode == 0)
    let after = try world.direct("show", "Forge", "--reveal", reveals: true).output
    #expect(after.contains("user: ana maria") && after.contains("password: \(Canary.password)"))
    #expect(try world.seif("undo").exitCode == 0)
    #expect(try world.direct("show", "Forge", "--reveal", reveals: true).output == before)
    #expect(try world.seif("add", "code", "--name", "New", secret: Canary.timedSeed).exitCode == 0)
    #expect(try world.direct("code", "New", "--at", Fixture.moment).output == "756364\n")
    #expect(try world.seif("remove", "New", "Keys").exitCode == 0)
    #expect(try world.direct("list").output == (try world.seif("list").output))
    #expect(try world.seif("bin", "restore", "Keys").exitCode == 0)
    #expect(try world.direct("doctor").exitCode == 0)
  }

  @Test func aCounterNeverGoesBackWhoeverAsks() throws {
    try world.unlock()
    var codes: [String] = []
    for turn in 0..<6 {
      codes.append(try (turn % 2 == 0 ? world.seif("code", "Acme") : world.direct("code", "Acme")).output)
    }
    #expect(Set(codes).count == 6)
    #expect(try world.direct("show", "Acme").output.contains("next counter: 6"))
  }

  // MARK: - Locking

  @Test func aLockedVaultAsksAgain() throws {
    try world.unlock()
    #expect(try world.seif("list").exitCode == 0)
    let locked = try world.seif("lock")
    #expect(locked.exitCode == 0 && locked.errors == "✓ Locked.\n")
    #expect(try world.seif("list").exitCode == 77)
    #expect(try world.seif("lock").errors == "Nothing was open.\n")
    #expect(try world.seif("lock", "--all").exitCode == 0)
    #expect(try world.direct("list").exitCode == 0)
  }

  @Test func aWrongPassphraseIs77AndLeavesItLocked() throws {
    let wrong = try world.home.seif("unlock", passphrase: "not the passphrase", environment: world.variables)
    #expect(wrong.exitCode == 77)
    #expect(wrong.errors.contains("the passphrase is wrong or the vault is damaged"))
    try world.process()
    #expect(try world.openCount() == 0)
    #expect(try world.seif("unlock", "--vault", world.home.file("none")).exitCode == 66)
    #expect(try world.home.seif("unlock", passphrase: "x").exitCode == 69)
  }

  @Test func itLocksByItselfAndTheRecoveryCodeUnlocksToo() throws {
    try world.unlock("--lock-after", "1s")
    try world.expect(open: 0)
    #expect(try world.seif("list").exitCode == 77)
    let sheet = try world.home.read("sheet-in-clear.txt")
    let code = try #require(sheet.split(separator: "\n").first { $0.hasPrefix("  ") }?.trimmed)
    #expect(
      try world.home.seif(
        "unlock", "--recovery-code", "--lock-after", "immediately", passphrase: code, environment: world.variables
      ).exitCode == 0)
    #expect(try world.seif("code", "GitHub", "--at", Fixture.moment).output == "756364\n")
    try world.expect(open: 0)
    for time in ["0s", "25h", "5", "-1m", "5 m", "x", ""] {
      #expect(try world.seif("unlock", "--lock-after", time).exitCode == 64, "\(time)")
    }
  }

  @Test func severalVaultsAreOpenEachForItself() throws {
    let other = world.home.file("other")
    let made = try world.home.seif(
      "init", "--vault", other, "--recovery-sheet", world.home.file("other-in-clear.txt"), "--unlock-ms", "500",
      newPassphrase: Canary.filePassphrase)
    #expect(made.exitCode == 0)
    try world.unlock()
    #expect(
      try world.home.seif(
        "unlock", "--vault", other, passphrase: Canary.filePassphrase, environment: world.variables
      ).exitCode == 0)
    #expect(try world.openCount() == 2)
    #expect(try world.seif("list", "--vault", other).errors == "The vault is empty.\n")
    #expect(try world.seif("lock", "--vault", other).exitCode == 0)
    #expect(try world.seif("list").exitCode == 0)
    #expect(try world.seif("list", "--vault", other).exitCode == 77)
  }

  // MARK: - Consent

  @Test func withoutAWayToAskSecretsAndExportsAreRefused() throws {
    try world.unlock()
    let out = world.home.file("out-in-clear.json")
    for words in [["show", "Forge", "--reveal"], ["export", "--to", "json", "--plain", "--yes", "-o", out]] {
      let result = try world.home.seif(list: words, environment: world.variables)
      #expect(result.exitCode == 77, "\(words)")
      #expect(result.output == "")
      #expect(result.errors.contains("--passphrase-fd"))
    }
    #expect(!world.home.exists("out-in-clear.json"))
  }

  @Test func theTerminalOfTheAskerIsAskedAndNamesIt() throws {
    try world.unlock()
    let refused = try world.terminal("show", "Forge", "--reveal")
    try refused.expect("[yes/no]")
    #expect(
      refused.screen.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains("process \(refused.child)"))
    refused.type("no\n")
    let no = try refused.finish()
    #expect(no.exitCode == 77 && no.output == "")
    let allowed = try world.terminal("show", "Forge", "--reveal")
    try allowed.expect("[yes/no]")
    allowed.type("yes\n")
    #expect(try allowed.finish().output.contains(Canary.password))
    // Once an unlock; a security code each time.
    #expect(try world.seif("show", "Forge", "--reveal", reveals: true).output.contains(Canary.password))
    #expect(try world.seif("show", "Everyday", "--reveal", reveals: true).exitCode == 77)
  }

  @Test func aQuestionIsBrokenAtWordsAndASlipIsAskedForOnceMore() throws {
    try world.unlock()
    let narrow = try world.home.terminal("show", "Forge", "--reveal", environment: world.variables, columns: 40)
    try narrow.expect("[yes/no]")
    let lines = narrow.screen.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("Type") }
    #expect(lines.count > 2)
    // A path is a word, and stays whole.
    #expect(lines.allSatisfy { $0.count < 40 || !$0.trimmed.contains(" ") }, "\(lines)")
    narrow.type("yse\n")
    try narrow.expect("That is neither yes nor no.")
    try narrow.expect("[yes/no]")
    narrow.type("yes\n")
    #expect(try narrow.finish().screen.contains(Canary.password))
    try world.seif("lock")
    try world.unlock()
    let no = try world.terminal("show", "Forge", "--reveal")
    for _ in 0..<2 {
      try no.expect("[yes/no]")
      no.type("what\n")
    }
    #expect(try no.finish().exitCode == 77)
  }

  @Test func theSecurityCodeOfEachCardIsAskedForByItsName() throws {
    let added = try world.home.seif(
      "add", "card", "--name", "Second", passphrase: Canary.vaultPassphrase, secret: "4111111111111111")
    #expect(added.exitCode == 0)
    try world.unlock()
    let asked = try world.terminal("show", "Everyday", "--reveal")
    // Its words may stand on two lines.
    try asked.expect("wants to see")
    try asked.expect("[yes/no]")
    asked.type("yes\n")
    try asked.expect("the card \"Everyday plastic\"")
    try asked.expect("[yes/no]")
    asked.type("no\n")
    #expect(try asked.finish().exitCode == 77)
  }

  @Test func anExportTakesThePassphraseAtTheTerminal() throws {
    try world.unlock()
    let out = world.home.file("out-in-clear.json")
    let words = ["export", "--to", "json", "--plain", "--yes", "-o", out]
    let wrong = try Terminal(words, program: Home.program, environment: world.home.variables(world.variables))
    for _ in 0..<3 {
      try wrong.expect("Passphrase or recovery code of the vault")
      try wrong.expect(echo: false)
      wrong.type("not it\n")
    }
    #expect(try world.home.check(wrong.finish()).exitCode == 77)
    let right = try Terminal(words, program: Home.program, environment: world.home.variables(world.variables))
    try right.expect("Passphrase or recovery code of the vault")
    try right.expect(echo: false)
    right.type(Canary.vaultPassphrase + "\n")
    #expect(try world.home.check(right.finish()).exitCode == 0)
    #expect(try world.home.read("out-in-clear.json").contains(Canary.password))
  }

  @Test(arguments: [("OK", 0), ("ERR 83886194 Not confirmed <Pinentry>", 77), ("ERR 83886142 Timeout", 77)])
  func aPinentryIsAskedWhereThereIsOne(answer: String, exitCode: Int32) throws {
    let script = """
      #!/bin/sh
      echo "OK Pleased to meet you"
      while read -r command rest; do
        case $command in
          SETDESC) printf '%s\\n' "$rest" >> "$0.desc"; echo OK ;;
          CONFIRM) echo "\(answer)" ;;
          BYE) echo OK; exit 0 ;;
          *) echo OK ;;
        esac
      done
      """
    let pinentry = try world.home.write(script, as: "pinentry")
    ExecutableFile.settle(pinentry)
    try world.unlock(environment: ["SEIF_PINENTRY": pinentry])
    let result = try world.seif("show", "Forge", "--reveal", reveals: true)
    #expect(result.exitCode == exitCode, "\(result.errors)")
    #expect(result.output.contains(Canary.password) == (exitCode == 0))
    let question = try world.home.read("pinentry.desc")
    #expect(question.contains("wants to see passwords of") && question.contains("process "))
  }

  /// Any program of the person can end the window, and answer itself on a terminal that it made.
  @Test(arguments: [
    "SETDESC) kill -9 $$ ;;", "CONFIRM) kill -TERM $$ ;;", "CONFIRM) exit 0 ;;",
  ]) func aPinentryThatIsEndedIsNoReasonToAskOnATerminal(way: String) throws {
    let script = """
      #!/bin/sh
      echo "OK Pleased to meet you"
      while read -r command rest; do
        case $command in
          \(way)
          *) echo OK ;;
        esac
      done
      """
    let pinentry = try world.home.write(script, as: "pinentry")
    ExecutableFile.settle(pinentry)
    try world.unlock(environment: ["SEIF_PINENTRY": pinentry])
    let result = try world.terminal("show", "Forge", "--reveal").finish()
    #expect(result.exitCode == 77 && !result.output.contains("[yes/no]"))
  }

  @Test func onATerminalTheKeyOfADocumentVaultTakesThePassphrase() throws {
    let records = """
      {"schema":"seif-records","version":1,"source":{"format":"test"},"documents":[
      {"id":"6f1c2b7e-5a0d-4a8e-9b1f-2d3c4e5f6a7b","kind":"local",
      "masterKey":"Q0FOQVJZLTEzLWtleS1vZi0zMi1ieXRlcy1pbi1hbGw="}],"problems":[],"lost":[]}
      """
    let file = try world.home.write(records, as: "documents-in-clear.json")
    #expect(try world.home.seif("import", file, vaultPassphrase: Canary.vaultPassphrase).exitCode == 0)
    try world.unlock()
    let asked = try world.terminal("show", "6f1c2b7e", "--reveal")
    try asked.expect("Passphrase or recovery code of the vault")
    asked.type("yes\n")
    try asked.expect("Passphrase or recovery code of the vault")
    asked.type("\n")
    #expect(try asked.finish().exitCode == 77)
  }

  // MARK: - The process

  @Test func theAgentStandsApartFromWhoStartedIt() throws {
    let process = try world.unlock()
    let status = try String(contentsOf: URL(filePath: "/proc/\(process)/stat"), encoding: .utf8)
    let fields = status.split(separator: ")").last?.split(separator: " ") ?? []
    #expect(fields[3] == "\(process)", "a session of its own")
    #expect(fields[4] == "0", "no terminal")
    let folder = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/cwd")
    #expect(folder == "/")
    var others: [String] = []
    for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd") {
      guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/fd/\(name)")
      else { continue }
      if let number = Int(name), number < 3 {
        #expect(target == "/dev/null")
      } else if !target.hasPrefix(world.home.path), !target.hasPrefix("socket:"), !target.hasPrefix("pipe:") {
        others.append(target)
      }
    }
    #expect(others == [])
    let limits = try String(contentsOf: URL(filePath: "/proc/\(process)/limits"), encoding: .utf8)
    #expect(limits.contains("Max core file size        0                    0"))
    let text = try String(contentsOf: URL(filePath: "/proc/\(process)/status"), encoding: .utf8)
    let locked = text.split(separator: "\n").first { $0.hasPrefix("VmLck:") }?.split(separator: " ").dropFirst().first
    #expect((locked.flatMap { Int($0) } ?? 0) > 0)
  }

  /// What passed through the agent, searched for in its memory while it is open and after.
  @Test func afterTheLockNothingIsLeftInTheAgentsMemory() throws {
    let process = try world.unlock()
    for words in [
      ["list"], ["code", "Acme"], ["show", "Forge"], ["edit", "Forge", "--account", "ana canary-name"],
      ["bin", "list"],
      ["remove", "Keys"], ["code", "GitHub", "--at", Fixture.moment],
    ] {
      #expect(try world.home.seif(list: words, environment: world.variables).exitCode == 0, "\(words)")
    }
    let allowed = try world.terminal("show", "Forge", "--reveal")
    try allowed.expect("[yes/no]")
    allowed.type("yes\n")
    #expect(try allowed.finish().output.contains(Canary.password))
    let imported = try world.terminal("import", world.home.file("records-in-clear.json"))
    try imported.expect("[yes/no]")
    imported.type("yes\n")
    #expect(try world.home.check(imported.finish()).exitCode == 0)
    for words in [["doctor"], ["history", "Example Forge:ana canary-name"]] {
      #expect(try world.home.seif(list: words, environment: world.variables).exitCode == 0, "\(words)")
    }
    let before = try found(in: process)
    // Only root may look into a process that is closed to others.
    guard let before else { return }
    #expect(before["name"] ?? 0 > 0)
    #expect(try world.seif("lock").exitCode == 0)
    let after = try #require(try found(in: process))
    #expect(after == ["name": 0, "passphrase": 0, "password": 0, "note": 0, "seed": 0, "seed in letters": 0])
  }

  private func found(in process: Int32) throws -> [String: Int]? {
    let script = """
      import base64, re, sys
      process, phrase, password, note, seed = sys.argv[1:]
      needles = {"name": b"canary-name", "passphrase": phrase.encode(), "password": password.encode(),
                 "note": note.encode(), "seed": base64.b32decode(seed), "seed in letters": seed.encode()}
      found = dict.fromkeys(needles, 0)
      try:
          memory = open(f"/proc/{process}/mem", "rb")
      except PermissionError:
          sys.exit(9)
      for line in open(f"/proc/{process}/maps"):
          ends = re.match(r"([0-9a-f]+)-([0-9a-f]+) rw", line)
          if not ends:
              continue
          begin, end = (int(number, 16) for number in ends.groups())
          memory.seek(begin)
          try:
              part = memory.read(end - begin)
          except OSError:
              continue
          for name, needle in needles.items():
              found[name] += part.count(needle)
      for name, count in found.items():
          print(f"{name}={count}")
      """
    let result = try Terminal(
      ["-c", script, "\(process)", Canary.vaultPassphrase, Canary.password, Canary.note, Canary.countedSeed],
      program: "/usr/bin/python3", hasTerminal: false
    ).finish()
    if result.exitCode == 9 { return nil }
    try #require(result.exitCode == 0, "\(result.errors)")
    var counts: [String: Int] = [:]
    for line in result.output.split(separator: "\n") {
      let pair = line.split(separator: "=")
      counts[String(pair[0])] = Int(pair[1])
    }
    return counts
  }

  @Test func aFolderThatIsntOursAloneIsRefused() throws {
    for make in [
      { (path: String) in _ = mkdir(path, 0o755) }, { (path: String) in _ = symlink("/tmp", path) },
      { (path: String) in
        _ = mkdir(path, 0o700)
        _ = chown(path, 4321, 4321)
      },
    ] {
      let path = world.runtime + "/seif"
      make(path)
      let result = try world.home.seif(
        "unlock", passphrase: Canary.vaultPassphrase, environment: world.variables)
      // Only root can give a folder away.
      if result.exitCode != 0 || geteuid() == 0 {
        #expect(result.exitCode == 77, "\(result.errors)")
        #expect(result.errors.contains("isn't yours alone"))
        let listed = try world.direct("list")
        #expect(listed.exitCode == 0)
      }
      _ = try world.home.run("rm", "-rf", path)
    }
  }

  @Test func anotherBuildEndsTheAgentAndSaysSo() throws {
    let process = try world.unlock()
    let copy = world.home.file("seif-of-another-build")
    try FileManager.default.copyItem(atPath: Home.program, toPath: copy)
    let result = try Terminal(
      ["list"], program: copy, hasTerminal: false, environment: world.home.variables(world.variables)
    ).finish()
    #expect(result.exitCode == 77, "the vault is locked, and there is nobody to ask")
    #expect(result.errors.contains("the agent was another Seif (0.1.0): it locked everything and ended"))
    for _ in 0..<200 where kill(process, 0) == 0 { usleep(20_000) }
    #expect(kill(process, 0) != 0)
    #expect(try world.process() == 0)
    #expect(try world.unlock() != process)
  }

  @Test func aKilledAgentLeavesTheVaultAsBeforeOrAsAfter() throws {
    for delay: UInt32 in [20_000, 60_000, 150_000] {
      let process = try world.unlock()
      let writer = try Terminal(
        [
          "-c",
          """
          n=0
          while printf '%s\\n' "$SECRET" | "$0" add code --name "w$1-$n" --secret-fd 0 --quiet; do
            n=$((n + 1)); echo "added w$1-$n"
          done
          """, Home.program, "\(delay)",
        ], program: "/bin/sh", hasTerminal: false,
        environment: world.home.variables(world.variables).merging(["SECRET": Canary.timedSeed]) { $1 })
      usleep(300_000 + delay)
      kill(process, SIGKILL)
      let said = try world.home.check(writer.finish()).output.split(separator: "\n").count
      let listed = try world.direct("list", "w\(delay)-").output.split(separator: "\n").count
      #expect(listed == said || listed == said + 1)
      #expect(try world.direct("doctor").exitCode == 0)
      // The socket that it left is nobody's.
      #expect(try world.seif("list").exitCode == 77)
    }
  }

  @Test func twoUnlocksAtOnceLeaveOneAgent() throws {
    let both = try (0..<2).map { _ in
      try Terminal(
        ["unlock", "--passphrase-fd", "3"], program: Home.program, hasTerminal: false,
        descriptors: [3: Array((Canary.vaultPassphrase + "\n").utf8)],
        environment: world.home.variables(world.variables))
    }
    for one in both { #expect(try world.home.check(one.finish()).exitCode == 0) }
    #expect(try world.process() > 1)
    #expect(try world.seif("list").exitCode == 0)
  }
}
