import SeifCommandLine
import FoundationEssentials
import Glibc
import SeifBytes
import Testing

@testable import SeifCommands

/// A home with a vault and a place for the agent's socket; the agents that were started there go with it.
final class AgentHome {
  let home: Home
  let runtime: String
  private var processes: Set<Int32> = []

  init(_ home: Home) throws {
    self.home = home
    runtime = try home.folder("run")
    chmod(runtime, 0o700)
  }

  convenience init() throws { try self.init(try Fixture.withVault()) }

  deinit {
    // A number can be another program's by now, even the tests' own: only what knows of this home is ended.
    for process in processes where Self.knows(process, runtime) { kill(process, SIGKILL) }
  }

  private static func knows(_ process: Int32, _ text: String) -> Bool {
    func has(_ file: String, _ text: String) -> Bool? {
      (try? Data(contentsOf: URL(filePath: "/proc/\(process)/\(file)")))
        .map { Array($0).firstRange(of: Array(text.utf8)) != nil }
    }
    // An agent shows its environment to root alone.
    return has("environ", text) ?? has("cmdline", "agent") ?? false
  }

  /// Sends a signal to the agent, which has to run: the number 0 would mean every process of the tests.
  @discardableResult
  func signal(_ number: Int32) throws -> Int32 {
    let process = try process()
    try #require(process > 1)
    kill(process, number)
    return process
  }

  var variables: [String: String] { ["XDG_RUNTIME_DIR": runtime] }

  /// Runs a command without a passphrase, so that only the agent can have the vault open.
  @discardableResult
  func seif(
    _ words: String..., secret: String? = nil, environment: [String: String] = [:], reveals: Bool = false
  ) throws -> Terminal.Result {
    try home.seif(
      list: words, secret: secret, environment: variables.merging(environment) { $1 }, reveals: reveals)
  }

  /// The same command with the passphrase, which is never the agent's business.
  func direct(_ words: String..., secret: String? = nil, reveals: Bool = false) throws -> Terminal.Result {
    try home.seif(
      list: words, passphrase: Canary.vaultPassphrase, secret: secret, environment: variables, reveals: reveals)
  }

  func terminal(_ words: String...) throws -> Terminal {
    try Terminal(words, program: Home.program, environment: home.variables(variables))
  }

  /// Unlocks, with an agent that is started for it, and gives the agent's process.
  @discardableResult
  func unlock(_ words: String..., environment: [String: String] = [:]) throws -> Int32 {
    let result = try home.seif(
      list: ["unlock"] + words, passphrase: Canary.vaultPassphrase,
      environment: variables.merging(environment) { $1 })
    try #require(result.exitCode == 0, "\(result.errors)")
    return try process()
  }

  /// The agent's process; 0 where none runs.
  @discardableResult
  func process() throws -> Int32 {
    let status = try document(try seif("agent", "status", "--json").output, "seif-agent")
    guard status["running"]?.bool == true else { return 0 }
    let process = Int32(truncatingIfNeeded: status["process"]?.int64 ?? 0)
    if process > 1 { processes.insert(process) }
    return process
  }

  /// How many vaults are open.
  func openCount() throws -> Int {
    try document(try seif("agent", "status", "--json").output, "seif-agent")["vaults"]?.elements.count { _ in true }
      ?? 0
  }

  /// Waits until so many vaults are open.
  func expect(open count: Int) throws {
    for _ in 0..<200 {
      if try openCount() == count { return }
      usleep(50_000)
    }
    Issue.record("not \(count) vaults are open")
  }

  /// Notes a process of our own start.
  func note(_ process: Int32) { processes.insert(process) }
}
