internal import SeifCommandLine
internal import CSeif
internal import Glibc
internal import SeifBytes
internal import SeifDocumentFormat
internal import SeifDocuments

/// `seif docs get PATH…`: opens documents into a folder.
struct DocsGetCommand: Command {
  static let name = "docs get"
  static let summary = "open documents into a folder of this machine"
  static let usage = """
    seif docs get PATH... [OPTIONS]

    Opens documents, and folders with all in them, into the folder OUT (else the one
    you are in). For a single document OUT may be the name of a file. A name that is
    taken gets a number; --force replaces the file instead. No byte gets to its name
    before its tag was checked.
    """
  static var options: [Option] { WriteOptions.options + DocumentOptions.options + OutputOptions.options }

  private let paths: [String]
  private let write: WriteOptions
  private let documents: DocumentOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    paths = try [arguments.positional("PATH")] + arguments.remainingPositionals()
    write = try WriteOptions(&arguments)
    documents = try DocumentOptions(&arguments)
    output = try OutputOptions(&arguments)
    if write.output == "-" { throw UsageError("for standard output there is: seif docs cat PATH") }
  }

  func run(_ context: Context) throws -> ExitCode {
    let client = try documents.open(context, mayWrite: false)
    let place = DocumentPath(client.manifest)
    let wanted = try paths.flatMap { (path) throws(CommandFailure) in
      // The whole vault is everything at its root.
      try place.find(path).map { [$0] } ?? place.tree.roots
    }
    let (folder, name) = try target(wanted, place)
    let progress = Progress(context.talk, "Opening")
    defer { progress.finish() }
    let watch = WorkWatch(report: { progress.update(done: $0.bytes.done, of: $0.bytes.of, isBytes: true) })
    let report = try SeifCommands.documents { () throws(DocumentError) in
      try client.get(at: wanted, place.tree, into: folder, as: name, replaces: write.force, watch: watch)
    }
    progress.finish()
    for name in report.otherLength {
      context.talk.warn("\(name): it is authentic, and of another size than the table of contents says")
    }
    if let only = report.failed.first, report.failed.count == 1, report.written.isEmpty {
      throw DocumentWords.failure(only.error)
    }
    for failed in report.failed { context.talk.warn("\(failed.name): \(failed.error)") }
    if output.json { try context.output.writeLine(json: document(report, place)) }
    if let first = report.written.first {
      let what = report.written.count == 1 ? first.path : DocumentWords.count(report.written.count)
      context.talk.say(.ok, report.written.count == 1 ? "\(what) written." : "\(what) written to \(folder).")
    } else if report.failed.isEmpty {
      context.talk.say("No document is in there.")
    }
    return client.rollback != nil
      ? .checkFailed : report.failed.isEmpty && report.otherLength.isEmpty ? .done : .partial
  }

  private func target(
    _ wanted: [Int], _ place: DocumentPath
  ) throws(CommandFailure) -> (folder: String, name: String?) {
    guard let path = write.output else { return (".", nil) }
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return (path, nil) }
    let isFile = wanted.first.map { place.manifest.nodes[$0].kind == .file } ?? false
    guard wanted.count == 1, isFile, !path.hasSuffix("/") else {
      throw CommandFailure(.cannotCreate, "there is no folder \(path)", hint: "Make it first: mkdir")
    }
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    let folder = slash == path.startIndex ? "/" : String(path[..<slash])
    return (folder, String(path[path.index(after: slash)...]))
  }

  private func text(_ id: UUID, _ place: DocumentPath) -> String? { place.tree.index(of: id).map { place.text($0) } }

  private func document(_ report: GetReport, _ place: DocumentPath) -> SecretValue {
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema("seif-docs-get", 1)
    writer.key("written")
    writer.beginArray()
    for written in report.written {
      writer.beginObject()
      if let id = written.id { writer.member("id", id.description) }
      writer.member("path", written.id.flatMap { text($0, place) } ?? written.name)
      writer.member("to", written.path)
      writer.endObject()
    }
    writer.endArray()
    writer.key("failed")
    writer.beginArray()
    for failed in report.failed {
      writer.beginObject()
      if let id = failed.id { writer.member("id", id.description) }
      writer.member("path", failed.id.flatMap { text($0, place) } ?? failed.name)
      writer.member("why", failed.error.code.rawValue)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return writer.finish()
  }
}

/// `seif docs cat PATH`: a document to standard output.
struct DocsCatCommand: Command {
  static let name = "docs cat"
  static let summary = "write a document to standard output"
  static let usage = """
    seif docs cat PATH [OPTIONS]

    Writes one document to standard output. The sealed bytes are read twice: nothing is
    written before the tag of the whole was checked.
    """
  static var options: [Option] { DocumentOptions.options }

  private let path: String
  private let documents: DocumentOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    path = try arguments.positional("PATH")
    documents = try DocumentOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let client = try documents.open(context, mayWrite: false)
    let place = DocumentPath(client.manifest)
    guard let index = try place.find(path), place.manifest.nodes[index].kind == .file else {
      throw CommandFailure(.usage, "\(path) is a folder", hint: "For all in it: seif docs get \(path) -o FOLDER")
    }
    var failure: CommandFailure?
    try SeifCommands.documents { () throws(DocumentError) in
      try client.read(at: index) { (piece) throws(DocumentError) in
        do throws(CommandFailure) {
          if context.output.style.isTerminal { try requireText(piece) }
          try context.output.write(raw: piece)
        } catch {
          failure = error
          throw DocumentError(.cancelled, place: "standard output")
        }
      }
    }
    if let failure { throw failure }
    try context.output.flush()
    return client.rollback != nil ? .checkFailed : .done
  }

  /// A terminal takes control characters for commands, whoever wrote them.
  private func requireText(_ piece: RawSpan) throws(CommandFailure) {
    let isText = piece.withUnsafeBytes { bytes in
      let isPlain = bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x0A || $0 == 0x09 || $0 == 0x0D }
      // Controls of two bytes are controls too.
      return isPlain && !zip(bytes, bytes.dropFirst()).contains { $0 == 0xC2 && (0x80...0x9F).contains($1) }
    }
    guard isText else {
      throw CommandFailure(
        .usage, "\(path) isn't plain text, and a terminal would take parts of it for commands",
        hint: "Write it to a file: seif docs get, or > FILE.")
    }
  }
}
