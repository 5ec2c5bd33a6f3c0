internal import SeifCommandLine
internal import SeifBytes
internal import SeifDocumentFormat
internal import SeifDocuments

/// `seif docs doctor`: is every document there.
struct DocsDoctorCommand: Command {
  static let name = "docs doctor"
  static let summary = "check that every document is there and opens"
  static let usage = """
    seif docs doctor [OPTIONS]

    Looks for documents whose sealed bytes are missing or don't open, for objects that
    nothing names, and for ways in that are gone or back. --quick looks at lengths only.
    --remove-orphans takes objects away that nothing has named for a week and in two
    revisions, after you agreed; they can come back for 30 days.
    """
  static let quick = Option.flag("quick", "look at lengths only, open nothing")
  static let removeOrphans = Option.flag("remove-orphans", "take away objects that nothing names any more")
  static let yes = Option.flag("yes", "agree to that")
  static var options: [Option] { [quick, removeOrphans, yes] + DocumentOptions.options + OutputOptions.options }

  private let isQuick: Bool
  private let removesOrphans: Bool
  private let agrees: Bool
  private let documents: DocumentOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    isQuick = arguments.flag(Self.quick)
    removesOrphans = arguments.flag(Self.removeOrphans)
    agrees = arguments.flag(Self.yes)
    documents = try DocumentOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let client = try documents.open(context, mayWrite: false)
    let progress = Progress(context.talk, "Opening")
    defer { progress.finish() }
    let watch = WorkWatch(report: { progress.update(done: $0.documents.done, of: $0.documents.of) })
    let report = try SeifCommands.documents { () throws(DocumentError) in
      try client.doctor(opens: !isQuick, watch: watch)
    }
    progress.finish()
    let place = DocumentPath(client.manifest)
    let problems = place.tree.problems
    if output.json { try context.output.writeLine(json: document(report, place)) }
    for id in report.missing { context.talk.warn("\(text(id, place)): its sealed bytes are missing") }
    for id in report.damaged { context.talk.warn("\(text(id, place)): its sealed bytes don't open") }
    for problem in problems.prefix(20) {
      context.talk.warn("\(place.text(problem.index)): \(DocumentWords.problem(problem.kind))")
    }
    tell(report.keyWraps, context)
    let files = client.manifest.nodes.count { $0.content != nil }
    let hasFault = !report.missing.isEmpty || !report.damaged.isEmpty || report.rollback != nil || !problems.isEmpty
    if !hasFault {
      context.talk.say(.ok, "\(DocumentWords.count(files)) \(isQuick ? "there, by length" : "there, and each opens").")
    }
    if !report.orphans.isEmpty {
      let bytes = report.orphans.reduce(0) { $0 &+ $1.byteCount }
      context.talk.say(
        "\(DocumentWords.count(report.orphans.count, "object")) (\(DocumentWords.size(bytes))) that nothing names; "
          + "\(report.removable.count) may be taken away now.")
    }
    if removesOrphans { try remove(report, client, context) }
    let waysDiffer =
      !report.keyWraps.back.isEmpty || !report.keyWraps.altered.isEmpty || !report.keyWraps.missing.isEmpty
    return hasFault || waysDiffer ? .checkFailed : .done
  }

  private func remove(
    _ report: DocumentDoctorReport, _ client: DocumentVaultClient, _ context: Context
  ) throws(CommandFailure) {
    guard !report.removable.isEmpty else {
      context.talk.say("Nothing may be taken away yet.")
      return
    }
    let bytes = report.removable.reduce(0) { $0 &+ $1.byteCount }
    let what = "\(DocumentWords.count(report.removable.count, "object")) of \(DocumentWords.size(bytes))"
    guard agrees ? true : try context.confirm("Take \(what) away?", insteadGive: "--yes") else {
      throw Context.cancelled
    }
    let removed = try SeifCommands.documents { () throws(DocumentError) in try client.removeOrphans(report) }
    context.talk.say(.ok, "\(DocumentWords.count(removed.count, "object")) taken away, for good in 30 days.")
  }

  private func tell(_ ways: KeyWrapDifferences, _ context: Context) {
    for id in ways.missing { context.talk.warn("the way in \(id) is missing from the folder; this machine has a copy") }
    for id in ways.back { context.talk.warn("the way in \(id) was removed and is back: whoever has its code gets in") }
    for id in ways.altered { context.talk.warn("the way in \(id) isn't as it was") }
    for id in ways.unknown {
      context.talk.say("The way in \(id) was made elsewhere, and hasn't opened the vault here.")
    }
  }

  private func text(_ id: UUID, _ place: DocumentPath) -> String {
    place.tree.index(of: id).map { place.text($0) } ?? "a document"
  }

  private func document(_ report: DocumentDoctorReport, _ place: DocumentPath) -> SecretValue {
    func list(_ ids: [UUID], _ key: String, _ writer: inout JSONWriter) {
      writer.key(key)
      writer.beginArray()
      for id in ids {
        writer.beginObject()
        writer.member("id", id.description)
        writer.member("path", text(id, place))
        writer.endObject()
      }
      writer.endArray()
    }
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema("seif-docs-doctor", 1)
    writer.member("revision", report.revision)
    writer.member("rollback", report.rollback?.kind.rawValue ?? "")
    list(report.missing, "missing", &writer)
    list(report.damaged, "damaged", &writer)
    writer.member("orphans", report.orphans.map(\.id.description))
    writer.member("removable", report.removable.map(\.id.description))
    writer.key("keyWraps")
    writer.beginObject()
    writer.member("missing", report.keyWraps.missing.map(\.description))
    writer.member("back", report.keyWraps.back.map(\.description))
    writer.member("altered", report.keyWraps.altered.map(\.description))
    writer.member("unknown", report.keyWraps.unknown.map(\.description))
    writer.endObject()
    writer.endObject()
    return writer.finish()
  }
}

/// `seif docs accept-rollback`: an older state is taken for the truth.
struct DocsAcceptRollbackCommand: Command {
  static let name = "docs accept-rollback"
  static let summary = "go on with an older state than this machine has seen"
  static let usage = """
    seif docs accept-rollback [OPTIONS]

    Shows what this machine has seen and what the folder shows, and goes on with what the
    folder shows after you typed its revision. Documents that only the newer state named
    may be lost by that. Right after you put a copy back yourself; else find out who did.
    """
  static let yes = Option.flag("yes", "agree without being asked")
  static var options: [Option] { [yes] + DocumentOptions.options }

  private let agrees: Bool
  private let documents: DocumentOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    agrees = arguments.flag(Self.yes)
    documents = try DocumentOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let client = try documents.open(context, mayWrite: false)
    guard let rollback = client.rollback else {
      context.talk.say("The folder shows no older state than this machine has seen.")
      return .done
    }
    let seen = try SeifCommands.documents { () throws(DocumentError) in try client.seenManifest() }
    let shown = rollback.shown?.revision ?? 0
    let counts =
      "\(client.manifest.nodes.count) lines now, \(seen.map { "\($0.nodes.count)" } ?? "an unknown number") seen"
    if let seen {
      let there = Set(client.manifest.nodes.compactMap(\.id))
      let place = DocumentPath(seen)
      for (index, node) in seen.nodes.enumerated().filter({ !($0.element.id.map(there.contains) ?? true) }).prefix(20) {
        _ = node
        context.talk.warn("only in the newer state: \(place.text(index))")
      }
    }
    let question = "Revision \(shown) is shown, \(rollback.seen.revision) was seen here (\(counts))."
    guard agrees ? true : try context.confirm(typing: "\(shown)", question, insteadGive: "--yes") else {
      throw Context.cancelled
    }
    try SeifCommands.documents { () throws(DocumentError) in try client.acceptRollback() }
    context.talk.say(.ok, "This machine goes on with revision \(shown).")
    return .done
  }
}
