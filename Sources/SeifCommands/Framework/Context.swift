package import SeifCommandLine
internal import SeifAgent
package import SeifBackups
package import SeifDocuments
internal import SeifTransports
internal import Synchronization

/// What a command may touch of the world: its output, the person, the environment, the clock.
///
/// Made once a run, used on one thread. Tests make their own with pipes and a fixed clock.
package final class Context {
  /// Data, on stdout.
  package let output: Output
  /// Talk, on stderr.
  package let talk: Talk
  package let environment: Environment
  /// The kinds of transport that this program has.
  package let transports: TransportRegistry
  /// Servers of document vaults; nil: this program has no network.
  package let servers: (any DocumentServers)?
  package let clock: Clock
  /// The descriptor of standard input, read for a file argument `-` and by `--passphrase-fd 0` only.
  package let inputDescriptor: Int32
  /// The path of the person's terminal; nil for none at all (tests).
  package let terminalPath: String?
  /// Keeps what is typed unseen once something secret was asked for.
  let hiddenInput = HiddenInput()
  /// Ends the process over a question that nobody answers while a vault is open.
  let questionWatch = QuestionWatch()
  /// The path of a file that came with the program; nil: it isn't there.
  let sharedFile: @Sendable (String) -> String?
  /// SHA-256 of the page of self-opening backups, in hexadecimal; tests have pages of their own.
  let pageDigest: String
  private var claimed: Set<Int32> = []

  package init(
    output: Output, talk: Talk, environment: Environment, clock: Clock = .system, inputDescriptor: Int32 = 0,
    terminalPath: String? = "/dev/tty", transports: TransportRegistry = TransportRegistry(LocalTransports.kinds),
    servers: (any DocumentServers)? = nil,
    sharedFile: @escaping @Sendable (String) -> String? = { SeifProgram.shared($0) },
    pageDigest: String? = nil
  ) {
    self.output = output
    self.talk = talk
    self.environment = environment
    self.transports = transports
    self.servers = servers
    self.clock = clock
    self.inputDescriptor = inputDescriptor
    self.terminalPath = terminalPath
    self.sharedFile = sharedFile
    self.pageDigest = pageDigest ?? SelfOpeningTemplate.digest
    CommandWords.names.withLock { $0 = { CommandTable.all.map { $0.name } } }
    talk.beforeLine = { [output] in output.flushBeforeTalk() }
  }

  /// The context of this process.
  package static func current(
    transports: [TransportKind] = [], servers: (any DocumentServers)? = nil
  ) -> Context {
    let environment = Environment.current()
    return Context(
      output: Output(descriptor: 1, style: TerminalStyle(descriptor: 1, environment: environment)),
      talk: Talk(descriptor: 2, style: TerminalStyle(descriptor: 2, environment: environment)),
      environment: environment, transports: TransportRegistry(LocalTransports.kinds + transports), servers: servers)
  }

  /// Notes that a descriptor is read to its end: standard input serves one reader, and so does any other.
  /// - Throws: exit 64 the second time.
  func claim(descriptor: Int32) throws(CommandFailure) {
    guard claimed.insert(descriptor).inserted else {
      let name = descriptor == 0 ? "standard input" : "descriptor \(descriptor)"
      throw CommandFailure(.usage, "\(name) can give only one thing", hint: "Give the other by a file or descriptor.")
    }
  }
}
