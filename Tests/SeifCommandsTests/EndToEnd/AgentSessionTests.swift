import SeifCommandLine
import FoundationEssentials
import Glibc
import SeifBytes
import SeifTestSupport
import Testing

@testable import SeifCommands

/// The agent under a service manager, and what logind tells it: a mock of logind on a bus of its own.
@Suite struct AgentSessionTests {
  let world: AgentHome

  init() throws { world = try AgentHome() }

  // MARK: - systemd

  @Test func theUnitsAreWhatSystemdTakes() throws {
    let units = TestData.packageRoot.path + "/share/systemd/user"
    // As `make install` fills them in.
    let folder = try world.home.folder("units")
    for name in ["seif-agent.socket", "seif-agent.service"] {
      let text = try String(contentsOfFile: units + "/" + name, encoding: .utf8)
        .split(separator: "@bin@", omittingEmptySubsequences: false).joined(separator: "/bin")
        .split(separator: "/bin/seif", omittingEmptySubsequences: false).joined(separator: "/bin/true")
        .split(separator: "@doc@", omittingEmptySubsequences: false).joined(separator: "/usr/share/doc/seif")
      try world.home.write(text, as: "units/" + name)
    }
    let result = try world.home.run(
      "systemd-analyze", "--user", "verify", "--man=no", folder + "/seif-agent.socket",
      folder + "/seif-agent.service", environment: world.variables)
    #expect(result.exitCode == 0, "\(result.errors)")
    #expect(!result.errors.contains("seif-agent"), "\(result.errors)")
  }

  @Test func theSocketOfAServiceManagerIsTakenOver() throws {
    let folder = world.runtime + "/seif"
    mkdir(folder, 0o700)
    let activator = try Terminal(
      [
        "-l", folder + "/agent.sock", "-E", "XDG_RUNTIME_DIR=\(world.runtime)", "-E", "HOME=\(world.home.path)", "-E",
        "SEIF_PINENTRY=", Home.program, "agent", "--foreground",
      ], program: "/usr/bin/systemd-socket-activate", environment: world.home.variables(world.variables))
    for _ in 0..<200 where !world.home.exists("run/seif/agent.sock") { usleep(20_000) }
    let process = try world.unlock()
    // It became the agent itself, and made no socket and no lock of its own.
    #expect(process == activator.child)
    #expect(try world.home.names(in: "run/seif") == ["agent.sock"])
    #expect(try world.seif("code", "GitHub", "--at", Fixture.moment).output == "756364\n")
    activator.signal(SIGTERM)
    #expect(try activator.finish().exitCode == 143)
    #expect(try world.seif("list").exitCode == 77)
  }

  @Test func aDescriptorThatIsNoSocketOfOursIsRefused() throws {
    let script = """
      exec 3</dev/null
      LISTEN_FDS=$2 LISTEN_PID=$$ exec "$1" agent --foreground
      """
    for count in ["1", "2"] {
      let result = try world.home.run("sh", "-c", script, "sh", Home.program, count, environment: world.variables)
      #expect(result.exitCode == 76, "\(result.errors)")
    }
  }

  // MARK: - logind

  /// A mock of logind, and an agent that hears it.
  private final class Login {
    let mock: Terminal
    let agent: Terminal

    init(_ world: AgentHome) throws {
      let folder = try world.home.folder("bus")
      let script = TestData.packageRoot.path + "/Tests/Session/logind.py"
      mock = try Terminal(
        ["-c", "stty -echo && exec /usr/bin/python3 \"$0\" \"$1\"", script, folder], program: "/bin/sh",
        output: .terminal)
      try mock.expect("unix:path=\(folder)/bus")
      agent = try Terminal(
        ["agent", "--foreground"], program: Home.program, hasTerminal: false,
        environment: world.home.variables(
          world.variables.merging(["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(folder)/bus"]) { $1 }))
      for _ in 0..<500 where !world.home.exists("run/seif/agent.sock") { usleep(20_000) }
      let status = try document(try world.seif("agent", "status", "--json").output, "seif-agent")
      #expect(status["hearsOfSessions"]?.bool == true)
    }

    func say(_ words: String) throws {
      mock.type(words + "\n")
      try mock.expect("done")
    }

    /// How many hold up a sleep.
    func inhibitors() throws -> String {
      mock.type("inhibitors\n")
      try mock.expect("held up by ")
      try mock.expect(".")
      let last = mock.screen.split(separator: "held up by ", omittingEmptySubsequences: false).last
      return String(last?.prefix { $0 != "." } ?? "")
    }

    deinit {
      mock.type("stop\n")
      _ = try? mock.finish()
    }
  }

  @Test func itLocksBeforeTheMachineSleepsAndOnlyThenLetsIt() throws {
    let login = try Login(world)
    #expect(try login.inhibitors() == "1")
    try world.unlock()
    try login.say("sleep")
    try world.expect(open: 0)
    for _ in 0..<100 where try login.inhibitors() != "0" { usleep(50_000) }
    #expect(try login.inhibitors() == "0")
    try login.say("wake")
    for _ in 0..<100 where try login.inhibitors() != "1" { usleep(50_000) }
    #expect(try login.inhibitors() == "1")
  }

  /// A write that is under way has the vault's turn, and locking waits for it: the machine waits for both.
  @Test func itIsHeldUpUntilAllIsLockedAndNoLonger() throws {
    let login = try Login(world)
    try world.unlock()
    func threads() throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/\(login.agent.child)/task").count
    }
    // Once who unlocked it is gone.
    var idle = 0
    let isIdle = try becomes {
      let before = idle
      idle = try threads()
      return idle == before
    }
    #expect(isIdle)
    // Another program writes to the file, and the agent's own write waits for its end, for some seconds.
    let script = """
      import sqlite3, sys
      vault = sqlite3.connect(sys.argv[1], isolation_level=None)
      vault.execute("BEGIN IMMEDIATE")
      print("holds it", flush=True)
      sys.stdin.readline()
      vault.execute("ROLLBACK")
      """
    let writer = try Terminal(
      ["-c", script, world.home.file(".local/share/seif/vault.db")], program: "/usr/bin/python3", output: .terminal)
    try writer.expect("holds it")
    let adding = try Terminal(
      ["add", "code", "--name", "New", "--secret-fd", "3"], program: Home.program, hasTerminal: false,
      descriptors: [3: Array((Canary.timedSeed + "\n").utf8)], environment: world.home.variables(world.variables))
    let isWriting = try becomes { try threads() > idle }
    #expect(isWriting)
    usleep(700_000)
    try login.say("sleep")
    for _ in 0..<6 {
      #expect(try login.inhibitors() == "1")
      usleep(50_000)
    }
    writer.type("\n")
    let added = try world.home.check(adding.finish())
    #expect(added.exitCode == 0, "\(added.errors)")
    #expect(try becomes { try login.inhibitors() == "0" })
    #expect(try world.openCount() == 0)
    #expect(try world.direct("code", "New", "--at", Fixture.moment).output == "756364\n")
    _ = try writer.finish()
  }

  @Test(arguments: ["lock", "hint", "end c7", "user"])
  func itLocksWithTheScreenAndTheSession(word: String) throws {
    let login = try Login(world)
    try world.unlock()
    #expect(try world.openCount() == 1)
    for harmless in ["lock-other", "end c8", "wake"] { try login.say(harmless) }
    usleep(300_000)
    #expect(try world.openCount() == 1)
    try login.say(word)
    try world.expect(open: 0)
  }

  @Test func itLocksWhenTheBusGoesAway() throws {
    do {
      let login = try Login(world)
      try world.unlock()
      login.mock.type("stop\n")
      try world.expect(open: 0)
      let status = try document(try world.seif("agent", "status", "--json").output, "seif-agent")
      #expect(status["hearsOfSessions"]?.bool == false)
    }
  }
}
