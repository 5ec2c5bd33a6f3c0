internal import SeifCommandLine
internal import SeifBytes
internal import SeifDocumentFormat
internal import SeifDocuments

/// `seif docs mv PATH… FOLDER`: moves documents.
struct DocsMoveCommand: Command {
  static let name = "docs mv"
  static let summary = "move documents into another folder of the vault"
  static let usage = """
    seif docs mv PATH... FOLDER [OPTIONS]

    Moves documents and folders into FOLDER; / is the top. Names may repeat there. For
    another name see seif docs rename.
    """
  static var options: [Option] { DocumentOptions.options + OutputOptions.options }

  private let paths: [String]
  private let folder: String
  private let documents: DocumentOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    var paths = try [arguments.positional("PATH"), arguments.positional("FOLDER")] + arguments.remainingPositionals()
    folder = paths.removeLast()
    self.paths = paths
    documents = try DocumentOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    try DocumentChangeRun(documents, output, schema: "seif-docs-mv", paths).run(context) {
      (client, ids) throws(CommandFailure) in
      let target = try DocumentPath(client.manifest).folder(folder)
      let lost = try SeifCommands.documents { () throws(DocumentError) in try client.move(ids, to: target).lost }
      return (lost, "\(DocumentWords.count(ids.count)) moved to \(folder).")
    }
  }
}

/// `seif docs rename PATH NAME`: gives a document another name.
struct DocsRenameCommand: Command {
  static let name = "docs rename"
  static let summary = "give a document or a folder another name"
  static let usage = """
    seif docs rename PATH NAME [OPTIONS]

    Gives a document or a folder another name. A name is any text and never a path.
    """
  static var options: [Option] { DocumentOptions.options + OutputOptions.options }

  private let path: String
  private let name: String
  private let documents: DocumentOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    path = try arguments.positional("PATH")
    name = try arguments.positional("NAME")
    documents = try DocumentOptions(&arguments)
    output = try OutputOptions(&arguments)
    if name.isEmpty { throw UsageError("NAME is empty") }
  }

  func run(_ context: Context) throws -> ExitCode {
    try DocumentChangeRun(documents, output, schema: "seif-docs-rename", [path]).run(context) {
      (client, ids) throws(CommandFailure) in
      let lost = try SeifCommands.documents { () throws(DocumentError) in
        try ids.first.map { (id) throws(DocumentError) in try client.rename(id, to: name).lost } ?? []
      }
      return (lost, "\(path) is \(name) now.")
    }
  }
}

/// `seif docs fav PATH…`: marks favourites.
struct DocsFavoriteCommand: Command {
  static let name = "docs fav"
  static let summary = "mark documents as favourites"
  static let usage = """
    seif docs fav PATH... [OPTIONS]

    Marks documents and folders as favourites; --off takes the mark away.
    """
  static let off = Option.flag("off", "take the mark away")
  static var options: [Option] { [off] + DocumentOptions.options + OutputOptions.options }

  private let paths: [String]
  private let isOff: Bool
  private let documents: DocumentOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    paths = try [arguments.positional("PATH")] + arguments.remainingPositionals()
    isOff = arguments.flag(Self.off)
    documents = try DocumentOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    try DocumentChangeRun(documents, output, schema: "seif-docs-fav", paths).run(context) {
      (client, ids) throws(CommandFailure) in
      let lost = try SeifCommands.documents { () throws(DocumentError) in
        try client.setFavourite(ids, !isOff).lost
      }
      return (lost, "\(DocumentWords.count(ids.count)) \(isOff ? "unmarked" : "marked").")
    }
  }
}

/// `seif docs rm PATH…`: takes documents out of the table of contents.
struct DocsRemoveCommand: Command {
  static let name = "docs rm"
  static let summary = "take documents out of the vault, for now"
  static let usage = """
    seif docs rm PATH... [OPTIONS]

    Takes documents and folders, with all in them, out of the table of contents. The
    sealed bytes stay, so seif docs undo brings them back; seif docs doctor
    --remove-orphans ends that after a week.
    """
  static var options: [Option] { DocumentOptions.options + OutputOptions.options }

  private let paths: [String]
  private let documents: DocumentOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    paths = try [arguments.positional("PATH")] + arguments.remainingPositionals()
    documents = try DocumentOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let code = try DocumentChangeRun(documents, output, schema: "seif-docs-rm", paths).run(context) {
      (client, ids) throws(CommandFailure) in
      let change = try SeifCommands.documents { () throws(DocumentError) in try client.remove(ids) }
      return (
        change.lost, "\(DocumentWords.count(change.result.nodes.count, "line")) taken out. The sealed bytes stay."
      )
    }
    context.talk.hint("seif docs undo")
    return code
  }
}

/// `seif docs undo`: brings back what was removed last.
struct DocsUndoCommand: Command {
  static let name = "docs undo"
  static let summary = "bring back what was removed last"
  static let usage = """
    seif docs undo [OPTIONS]

    Brings back what the last seif docs rm on this machine took out, to its old places;
    to the top where a folder is gone; once more, what the one before it did, and so on,
    20 of them. Says so only once each document is there again.
    """
  static var options: [Option] { DocumentOptions.options + OutputOptions.options }

  private let documents: DocumentOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    documents = try DocumentOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    try DocumentChangeRun(documents, output, schema: "seif-docs-undo", []).run(context) {
      (client, _) throws(CommandFailure) in
      let removed = try SeifCommands.documents { () throws(DocumentError) in try client.lastRemoved() }
      guard let removed else {
        throw CommandFailure(.notFound, "nothing more that this machine removed can be taken back")
      }
      let lost = try SeifCommands.documents { () throws(DocumentError) in try client.undo(removed).lost }
      return (lost, "\(DocumentWords.count(removed.nodes.count, "line")) back.")
    }
  }
}

/// A change of the table of contents from the command line.
struct DocumentChangeRun {
  private let documents: DocumentOptions
  private let output: OutputOptions
  private let schema: String
  private let paths: [String]

  init(_ documents: DocumentOptions, _ output: OutputOptions, schema: String, _ paths: [String]) {
    self.documents = documents
    self.output = output
    self.schema = schema
    self.paths = paths
  }

  /// Finds what the paths mean, has it changed, and says what came of it.
  func run(
    _ context: Context,
    _ change: (DocumentVaultClient, [UUID]) throws(CommandFailure) -> (lost: [MergeNote], done: String)
  ) throws(CommandFailure) -> ExitCode {
    let client = try documents.open(context, mayWrite: true)
    var (ids, lost) = ([UUID](), [MergeNote]())
    for path in paths {
      // What another node's identifier got has changed the manifest.
      let place = DocumentPath(client.manifest)
      let index = try place.position(path)
      if let id = place.id(at: index) {
        ids.append(id)
      } else {
        let given = try SeifCommands.documents { () throws(DocumentError) in try client.giveIdentifier(at: index) }
        ids.append(given.result)
        lost += given.lost
      }
    }
    let result = try change(client, ids)
    for note in lost + result.lost { context.talk.warn(DocumentWords.merge(note)) }
    if output.json { try context.output.writeLine(json: DocumentChangeText.document(schema, ids, client)) }
    context.talk.say(.ok, result.done)
    return .done
  }
}
