import SeifCommandLine
import FoundationEssentials
import Glibc
import SeifBytes
import SeifTestSupport
import Testing

@testable import SeifCommands

/// The agent's process: what stands around it, what is left in it, and how it ends.
@Suite struct AgentProcessTests {
  let world: AgentHome

  init() throws { world = try AgentHome() }

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
      try #require(process > 1)
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
