internal import SeifCommandLine
internal import SeifAgent
internal import SeifBackups
internal import SeifBytes
internal import SeifTransports

/// How destinations are reached by a process that may have no network: what it can't do itself, the program beside it does.
struct Reach: Sendable {
  let registry: TransportRegistry
  /// Once it is false, what is under way ends.
  var isWanted: @Sendable () -> Bool = { true }

  /// The transport, and its name in the ledger.
  func transport(_ settings: TransportSettings) throws(TransportError) -> (any BackupTransport, String) {
    guard registry[settings.kind] == nil, TransportKindName(rawValue: settings.kind) != nil else {
      let transport = try registry.transport(settings)
      // As if it were spelled: the same folder is the same in the ledger, whatever it is called.
      if let folder = transport as? FolderTransport {
        let path = AbsolutePath.of(folder.path)
        return (WantedTransport(FolderTransport(path: path), isWanted), path)
      }
      if var external = transport as? ExternalTransport {
        external.isWanted = isWanted
        return (WantedTransport(external, isWanted), external.place)
      }
      return (WantedTransport(transport, isWanted), transport.place)
    }
    guard let program = SeifProgram.beside(NetworkProgram.name) else {
      throw TransportError(
        .unavailable, place: settings.name, reason: "it needs the program \(NetworkProgram.name) beside this one")
    }
    let transport = try HelperTransport(
      program: program, word: TransportHelperCommand.name, settings: settings, isWanted: isWanted)
    return (transport, transport.place)
  }
}

/// A transport that does nothing more once it isn't wanted.
private struct WantedTransport: BackupTransport {
  private let transport: any BackupTransport
  private let isWanted: @Sendable () -> Bool

  init(_ transport: any BackupTransport, _ isWanted: @escaping @Sendable () -> Bool) {
    self.transport = transport
    self.isWanted = isWanted
  }

  var id: String { transport.id }
  var displayName: String { transport.displayName }
  var place: String { transport.place }
  var requiresAuthentication: Bool { transport.requiresAuthentication }
  var supportsAutomaticRestore: Bool { transport.supportsAutomaticRestore }
  var fixedName: String? { transport.fixedName }
  var createsConditionally: Bool { transport.createsConditionally }
  func isAvailable() -> Bool { isWanted() && transport.isAvailable() }

  func checkWriting() throws(TransportError) { try wanted().checkWriting() }
  func listBackups() throws(TransportError) -> [BackupDescriptor] { try wanted().listBackups() }
  func upload(_ content: SecretValue, name: String) throws(TransportError) -> BackupDescriptor {
    try wanted().upload(content, name: name)
  }
  func download(id: String, limit: Int) throws(TransportError) -> SecretValue {
    try wanted().download(id: id, limit: limit)
  }
  func delete(id: String) throws(TransportError) { try wanted().delete(id: id) }

  private func wanted() throws(TransportError) -> any BackupTransport {
    guard isWanted() else {
      throw TransportError(.unavailable, place: transport.displayName, reason: "the vault was locked meanwhile")
    }
    return transport
  }
}

/// The process that has the network, for one that hasn't. No command for people: it isn't listed.
struct TransportHelperCommand: Command {
  static let name = "serve-transport"
  static let summary = "reach a destination for the process that started this one"
  static let usage = """
    seif serve-transport

    Reads what to do, and with what, from standard input.
    """
  static let options: [Option] = []
  /// A file, and settings before it.
  private static let byteLimit = FormatLimits.fileByteCount + 1 << 20

  init(_ arguments: inout ParsedArguments) throws(UsageError) {}

  func run(_ context: Context) throws -> ExitCode {
    let request = try InputFile.read("-", context, byteLimit: Self.byteLimit)
    guard let answer = TransportHelper.answer(request, context.transports) else {
      throw CommandFailure(.usage, "the request on standard input isn't understood")
    }
    try answer.withBytes { (bytes) throws(CommandFailure) in try context.output.write(raw: bytes) }
    return .done
  }
}
