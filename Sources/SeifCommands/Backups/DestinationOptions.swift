internal import SeifBackups
internal import SeifTransports

/// Where backups lie: a folder, or one file as `file:PATH`.
struct DestinationOptions: OptionGroup, Sendable {
  static let destination = Option.value("destination", "FOLDER", "the folder of the backups, or file:PATH")
  static var options: [Option] { [destination] }

  /// As the person named it; the ledger holds a folder by its whole path.
  let name: String

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    let given = try arguments.required(Self.destination)
    if given.isEmpty || given == "file:" { throw UsageError("--destination needs the name of a folder, or file:PATH") }
    name = given
  }

  /// The transport, and its name in the ledger.
  func transport(_ context: Context) throws(CommandFailure) -> (any BackupTransport, String) {
    if name.hasPrefix("file:") {
      let path = Self.filePath(String(name.dropFirst(5)))
      guard let transport = FileTransport(path: path, undo: Self.undo) else {
        throw CommandFailure(.usage, "\(name) names no file")
      }
      return (transport, "file:" + path)
    }
    let path = AbsolutePath.of(name)
    let transport = FolderTransport(path: path, undo: Self.undo)
    guard transport.isAvailable() else {
      throw CommandFailure(.notFound, "there is no folder \(name)", hint: "Make it, or give another --destination.")
    }
    return (transport, path)
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
