internal import SeifCommandLine
internal import SeifAgent
internal import SeifBackups
internal import SeifBytes
internal import SeifCrypto
internal import SeifFormats
internal import SeifVault

/// `seif backup inspect`: what the outside of a file at a destination tells.
struct BackupInspectCommand: Command {
  static let name = "backup inspect"
  static let summary = "say what the outside of a file at a destination tells"
  static let usage = """
    seif backup inspect [NAME] --destination PLACE [OPTIONS]

    Fetches the file called NAME, else the newest, and says what seif inspect says of a file:
    no passphrase of a backup is asked for. A destination of the vault needs the vault open,
    and its ledger knows the newest that was proven. A folder that is spelled as a path
    (./backups) needs no vault, and there the newest is a claim of names.
    """
  static var options: [Option] {
    DestinationOptions.options + [OpeningOptions.format, OpeningOptions.allowCost] + UnlockOptions.options
      + OutputOptions.options
  }

  private let name: String?
  private let destination: DestinationOptions
  private let reading: ReadingOptions
  private let unlock: UnlockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    name = arguments.optionalPositional()
    destination = try DestinationOptions(&arguments)
    reading = try OpeningOptions.reading(arguments)
    unlock = try UnlockOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    guard let fetched = try fetched(context) else {
      throw CommandFailure(
        .notFound, "there is no \(name ?? "backup") at \(destination.name)",
        hint: "seif backup list --destination \(destination.name)")
    }
    if fetched.proof == nil {
      context.talk.say("\(fetched.name): nothing says that this is the newest, or whose it is.")
    }
    try InspectionReport(FormatInput(fetched.content), reading, file: fetched.name).show(
      json: output.json, source: (fetched.name, fetched.proof?.at), context)
    return .done
  }

  private typealias Fetched = (name: String, content: SecretValue, proof: LedgerEvent?)

  private func fetched(_ context: Context) throws(CommandFailure) -> Fetched? {
    guard destination.isNamed else {
      let (transport, place) = try destination.local()
      return try fetched(transport, LedgerHistory([]), place)
    }
    let folder = try unlock.vault.folder(context.environment)
    // Open until all is fetched, and to be written: a place can replace the permission with which it was asked.
    let vault = try unlock.use(.readWrite, mayOnlyRead: true, context)
    defer { vault.lock() }
    let (transport, place) = try destination.transport(vault, folder, context)
    let events = try withVault(folder) { () throws(VaultUseError) in
      try vault.ledger().map { LedgerEvent($0.entry) }
    }
    return try fetched(transport, LedgerHistory(events), place)
  }

  private func fetched(
    _ transport: any BackupTransport, _ history: LedgerHistory, _ place: String
  ) throws(CommandFailure) -> Fetched? {
    do throws(TransportError) {
      return try fetch(transport, history, place)
    } catch {
      throw CommandFailure(CommandFailure.code(error), "\(destination.name): \(error)")
    }
  }

  private func fetch(
    _ transport: any BackupTransport, _ history: LedgerHistory, _ place: String
  ) throws(TransportError) -> Fetched? {
    let files = try transport.listBackups()
    let proven = history.proven(at: place).reversed().compactMap(\.proof)
    func isThere(_ name: String) -> Bool { files.contains { $0.name.utf8.elementsEqual(name.utf8) } }
    guard let wanted = name ?? proven.first(where: { isThere($0.name) })?.name else {
      return try newestClaimed(files, transport)
    }
    let named = files.filter { $0.name.utf8.elementsEqual(wanted.utf8) }
    guard let file = named.first else { return nil }
    guard named.count == 1 else { throw TransportError(.ambiguous, place: wanted) }
    let content = try transport.download(id: file.id, limit: FormatLimits.fileByteCount)
    let digest = content.withBytes { Digest.sha256($0) }
    let proof = proven.first { $0.name.utf8.elementsEqual(wanted.utf8) && $0.sha256 == digest }
    return (wanted, content, proof)
  }

  // Nothing is proven there: the newest name whose file is a backup of some format. What is none is no answer.
  private func newestClaimed(
    _ files: [BackupDescriptor], _ transport: any BackupTransport
  ) throws(TransportError) -> Fetched? {
    for file in RestoreSource.claimed(files) {
      guard files.count(where: { utf8Equal($0.name, file.name) }) == 1 else { continue }
      let content = try transport.download(id: file.id, limit: FormatLimits.fileByteCount)
      do throws(FormatError) {
        _ = try FormatRegistry.read(FormatInput(content), options: reading)
      } catch .unknownFormat {
        continue
      } catch {
        // A backup, and one that can't be read: which is what is said of it.
      }
      return (file.name, content, nil)
    }
    return nil
  }
}
