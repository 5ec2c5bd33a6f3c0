internal import SeifCommandLine
internal import SeifAgent
internal import SeifBackups
internal import SeifTransports

/// Where backups lie: a destination of the vault by its name, a folder, or one file as `file:PATH`.
struct DestinationOptions: OptionGroup, Sendable {
  static let destination = Option.value(
    "destination", "PLACE", "a destination of the vault (seif transport list), a folder, or file:PATH")
  static var options: [Option] { [destination] }

  /// As the person named it; the ledger holds a folder by its whole path.
  let name: String

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    try self.init(named: arguments.required(Self.destination))
  }

  init(named given: String) throws(UsageError) {
    if given.isEmpty || given == "file:" {
      throw UsageError("a destination is a name, a folder, or file:PATH; this one is empty")
    }
    name = given
  }

  /// One that the vault knows by this name.
  init(known name: String) { self.name = name }

  /// Whether it may be the name of a destination that the vault knows: it isn't spelled as a path.
  var isNamed: Bool { Self.isNamed(name) }

  static func isNamed(_ name: String) -> Bool {
    !name.hasPrefix("file:") && !name.utf8.contains(0x2F) && name != "." && name != ".."
  }

  /// The transport, and its name in the ledger: of the destination that the vault knows by this name, else of the folder.
  func transport(
    _ vault: any UnlockedVault, _ folder: String, _ context: Context
  ) throws(CommandFailure) -> (any BackupTransport, String) {
    guard isNamed, let (id, settled, _) = try TransportItem.settings(named: name, in: vault, folder) else {
      let found: (any BackupTransport, String)
      do throws(CommandFailure) {
        found = try local()
      } catch {
        guard isNamed, error == unknown else { throw error }
        throw Self.unknown(name, guess: try TransportItem.guess(name, in: vault, folder))
      }
      if isNamed { context.talk.say("The vault knows no destination \(name): this is the folder ./\(name).") }
      return found
    }
    var settings = settled
    settings.keepSecret = TransportItem.keeper(of: id, in: vault)
    do throws(TransportError) {
      let transport = try context.transports.transport(settings)
      if let folder = transport as? FolderTransport { return Self.folder(folder.path) }
      return (transport, Self.place(of: transport))
    } catch {
      throw NetworkProgram.isMissing(for: settings.kind, context)
        ?? CommandFailure(CommandFailure.code(error), "\(error)", hint: "Add it anew: seif transport add")
    }
  }

  /// Refuses what can't be a destination whatever the vault knows, before anybody is asked for a passphrase.
  func checkSpelling() throws(CommandFailure) {
    if !isNamed { _ = try local() }
  }

  /// The folder or file of this path, and its name in the ledger.
  func local() throws(CommandFailure) -> (any BackupTransport, String) {
    if name.hasPrefix("file:") {
      let path = Self.filePath(String(name.dropFirst(5)))
      guard let transport = FileTransport(path: path, undo: Self.undo) else {
        throw CommandFailure(.usage, "\(name) names no file")
      }
      return (transport, "file:" + path)
    }
    let folder = Self.folder(name)
    guard folder.0.isAvailable() else { throw unknown }
    return folder
  }

  /// A place's name in the ledger. Of a folder as if it were spelled: the same folder is the same, whatever it is called.
  static func place(of transport: any BackupTransport) -> String {
    (transport as? FolderTransport).map { AbsolutePath.of($0.path) } ?? transport.place
  }

  private static func folder(_ name: String) -> (any BackupTransport, String) {
    let path = AbsolutePath.of(name)
    return (FolderTransport(path: path, undo: undo), path)
  }

  /// There is no such place.
  var unknown: CommandFailure { Self.unknown(name) }

  static func unknown(_ name: String, guess: String = "") -> CommandFailure {
    guard isNamed(name) else {
      return CommandFailure(.notFound, "there is no folder \(name)", hint: "Make it, or give another --destination.")
    }
    return CommandFailure(
      .notFound, "the vault knows no destination \(name), and there is no folder of that name\(guess)",
      hint: "Add one: seif transport add. Or make the folder.")
  }

  /// The whole path of a file, the same before the file is there and after: the ledger knows it by this.
  private static func filePath(_ path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: 0x2F) else { return joined(AbsolutePath.of("."), path) }
    let folder = slash == path.startIndex ? "/" : String(path[..<slash])
    return joined(AbsolutePath.of(folder), String(path[path.utf8.index(after: slash)...]))
  }

  private static func joined(_ folder: String, _ name: String) -> String {
    folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
  }

  /// A file with a temporary name goes when the run is interrupted.
  private static let undo: UndoOnInterrupt = { undo in
    let key = Interrupts.add(.init(end: undo))
    return { Interrupts.remove(key) }
  }
}
