internal import SeifCommandLine
internal import SeifBytes
internal import SeifDocumentFormat
internal import SeifDocuments

/// `seif docs put FILE…`: seals files into the document vault.
struct DocsPutCommand: Command {
  static let name = "docs put"
  static let summary = "seal files into the document vault"
  static let usage = """
    seif docs put FILE... [OPTIONS]

    Seals files, and folders with all in them. Each file is whole in the vault before it
    has a name there. A run that was ended goes on where it was with --resume, which
    leaves out files of the same name and size. - is standard input, with --name.
    """
  static let folder = Option.value("to", "PATH", "put them into this folder of the vault")
  static let parents = Option.flag("parents", "make that folder if it isn't there")
  static let rename = Option.value("name", "NAME", "the name of the one document that is put")
  static let resume = Option.flag("resume", "leave out what is there already, by name and size")
  static var options: [Option] {
    [folder, parents, rename, resume] + DocumentOptions.options + OutputOptions.options
  }

  private let files: [String]
  private let folder: String
  private let makesParents: Bool
  private let name: String?
  private let resumes: Bool
  private let documents: DocumentOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    files = try [arguments.positional("FILE")] + arguments.remainingPositionals()
    folder = arguments.value(Self.folder) ?? "/"
    makesParents = arguments.flag(Self.parents)
    name = arguments.value(Self.rename)
    resumes = arguments.flag(Self.resume)
    documents = try DocumentOptions(&arguments)
    output = try OutputOptions(&arguments)
    if name != nil, files.count > 1 { throw UsageError("--name is for one file") }
    if files.contains("-"), name == nil { throw UsageError("standard input has no name: give --name NAME") }
    if files.count(where: { $0 == "-" }) > 1 { throw UsageError("standard input can be given once") }
  }

  func run(_ context: Context) throws -> ExitCode {
    let items = try files.map { (file) throws(CommandFailure) -> PutItem in
      guard file == "-" else { return .path(file, name: name) }
      try context.claim(descriptor: 0)
      return .stream(context.inputDescriptor, name: name ?? "")
    }
    let client = try documents.open(context, mayWrite: true)
    let parent = try target(client)
    let progress = Progress(context.talk, "Sealing")
    defer { progress.finish() }
    let watch = WorkWatch(report: { progress.update(done: $0.bytes.done, of: $0.bytes.of, isBytes: true) })
    let report = try SeifCommands.documents { () throws(DocumentError) in
      try client.put(items, into: parent, skipsPresent: resumes, watch: watch)
    }
    progress.finish()
    try tell(report, client, context)
    if let only = report.refused.first, report.added.isEmpty, report.present.isEmpty, report.refused.count == 1 {
      throw DocumentWords.failure(only.error)
    }
    return report.refused.isEmpty ? .done : .partial
  }

  private func target(_ client: DocumentVaultClient) throws(CommandFailure) -> UUID? {
    let place = DocumentPath(client.manifest)
    guard makesParents else { return try place.folder(folder) }
    return try DocsMakeFolderCommand.make(folder, makesParents: true, in: client).id
  }

  private func tell(
    _ report: PutReport, _ client: DocumentVaultClient, _ context: Context
  ) throws(CommandFailure) {
    let place = DocumentPath(client.manifest)
    for refused in report.refused where report.refused.count > 1 || !report.added.isEmpty || !report.present.isEmpty {
      context.talk.warn("not put: \(refused.error)")
    }
    for warning in report.warnings {
      context.talk.warn("\(warning.path): stored, but it isn't what its name says: \(DocumentWords.type(warning.type))")
    }
    for note in report.lost { context.talk.warn(DocumentWords.merge(note)) }
    if output.json {
      var writer = JSONWriter(indent: 2)
      writer.beginObject()
      writer.schema("seif-docs-put", 1)
      writer.key("added")
      writer.beginArray()
      for added in report.added {
        writer.beginObject()
        writer.member("id", added.id.description)
        if let index = place.tree.index(of: added.id) { writer.member("path", place.text(index)) }
        writer.member("from", added.path)
        writer.endObject()
      }
      writer.endArray()
      writer.member("present", report.present)
      writer.key("refused")
      writer.beginArray()
      for refused in report.refused {
        writer.beginObject()
        writer.member("from", refused.path)
        writer.member("why", refused.error.code.rawValue)
        writer.endObject()
      }
      writer.endArray()
      writer.member("revision", client.stored?.revision ?? 0)
      writer.endObject()
      try context.output.writeLine(json: writer.finish())
    }
    if !report.present.isEmpty {
      context.talk.say("\(DocumentWords.count(report.present.count)) there already, left out.")
    }
    guard let first = report.added.first else { return }
    let one = place.tree.index(of: first.id).map { place.text($0) } ?? first.path
    let what = report.added.count == 1 ? one : DocumentWords.count(report.added.count)
    context.talk.say(.ok, "\(what) sealed and stored.")
    context.talk.hint("seif docs ls --tree")
  }
}

/// `seif docs mkdir PATH`: makes a folder in the document vault.
struct DocsMakeFolderCommand: Command {
  static let name = "docs mkdir"
  static let summary = "make a folder in the document vault"
  static let usage = """
    seif docs mkdir PATH [OPTIONS]

    Makes a folder. --parents makes those above it too, and leaves one that is there.
    """
  static let parents = Option.flag("parents", "make the folders above it too")
  static var options: [Option] { [parents] + DocumentOptions.options + OutputOptions.options }

  private let path: String
  private let makesParents: Bool
  private let documents: DocumentOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    path = try arguments.positional("PATH")
    makesParents = arguments.flag(Self.parents)
    documents = try DocumentOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let client = try documents.open(context, mayWrite: true)
    let made = try Self.make(path, makesParents: makesParents, in: client)
    if output.json, let id = made.id {
      try context.output.writeLine(json: DocumentChangeText.document("seif-docs-mkdir", [id], client))
    }
    for note in made.lost { context.talk.warn(DocumentWords.merge(note)) }
    context.talk.say(.ok, made.isNew ? "\(path) made." : "\(path) is there already.")
    return .done
  }

  /// The folder of a path, made where it isn't there.
  static func make(
    _ path: String, makesParents: Bool, in client: DocumentVaultClient
  ) throws(CommandFailure) -> (id: UUID?, isNew: Bool, lost: [MergeNote]) {
    let names = path.split(separator: "/").map(String.init)
    guard !names.isEmpty else { return (nil, false, []) }
    var (above, isNew, lost): (String, Bool, [MergeNote]) = ("", false, [])
    var id: UUID?
    for (index, name) in names.enumerated() {
      let isLast = index == names.count - 1
      let parent = id
      do throws(CommandFailure) {
        id = try DocumentPath(client.manifest).folder(above + "/" + name)
        if isLast, !makesParents {
          throw CommandFailure(.cannotCreate, "\(path) is there already", hint: "See: seif docs ls")
        }
      } catch {
        guard error.exitCode == .notFound, isLast || makesParents else { throw error }
        let change = try SeifCommands.documents { () throws(DocumentError) in
          try client.makeFolder(name, in: parent)
        }
        (id, isNew) = (change.result, true)
        lost += change.lost
      }
      above += "/" + name
    }
    return (id, isNew, lost)
  }
}

/// What a change gives with `--json`.
enum DocumentChangeText {
  static func document(_ schema: String, _ ids: [UUID], _ client: DocumentVaultClient) -> SecretValue {
    let place = DocumentPath(client.manifest)
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema(schema, 1)
    writer.member("revision", client.stored?.revision ?? 0)
    writer.key("documents")
    writer.beginArray()
    for id in ids {
      writer.beginObject()
      writer.member("id", id.description)
      if let index = place.tree.index(of: id) { writer.member("path", place.text(index)) }
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return writer.finish()
  }
}
