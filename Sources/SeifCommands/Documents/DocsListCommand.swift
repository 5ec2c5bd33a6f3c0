internal import SeifCommandLine
internal import SeifBytes
internal import SeifDocumentFormat
internal import SeifDocuments

/// `seif docs ls`: what is in the document vault.
struct DocsListCommand: Command {
  static let name = "docs ls"
  static let summary = "list what is in the document vault"
  static let usage = """
    seif docs ls [PATH] [OPTIONS]

    Lists a folder of the document vault, or one document. --tree lists all that is
    below it, --long shows dates and ids too. A PATH is names with / between them, or
    id: and the first digits of an id.
    """
  static let tree = Option.flag("tree", "everything below, indented")
  static let long = Option.flag("long", "with dates and ids")
  static var options: [Option] { [tree, long] + DocumentOptions.options + OutputOptions.options }

  private let path: String
  private let isTree: Bool
  private let isLong: Bool
  private let documents: DocumentOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    path = arguments.optionalPositional() ?? "/"
    isTree = arguments.flag(Self.tree)
    isLong = arguments.flag(Self.long)
    documents = try DocumentOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  private struct Line {
    let index: Int
    let depth: Int
  }

  func run(_ context: Context) throws -> ExitCode {
    let client = try documents.open(context, mayWrite: false)
    let place = DocumentPath(client.manifest)
    let lines = lines(from: try place.find(path), place)
    let problems = Dictionary(grouping: place.tree.problems) { $0.index }
    if output.json {
      try context.output.writeLine(json: document(lines, place, problems, client))
    } else {
      try table(lines, place, problems).write(to: context.output)
      try context.output.flush()
      if lines.isEmpty {
        context.talk.say(client.manifest.nodes.isEmpty ? "The document vault is empty." : "Nothing is in there.")
        if client.manifest.nodes.isEmpty { context.talk.hint("seif docs put FILE") }
      }
    }
    let broken = lines.filter { problems[$0.index] != nil }
    for line in broken.prefix(20) {
      let words = (problems[line.index] ?? []).map { DocumentWords.problem($0.kind) }.joined(separator: ", ")
      context.talk.warn("\(place.text(line.index)): \(words)")
    }
    return client.rollback != nil ? .checkFailed : broken.isEmpty ? .done : .partial
  }

  private func lines(from start: Int?, _ place: DocumentPath) -> [Line] {
    if let start, place.manifest.nodes[start].kind != .folder { return [Line(index: start, depth: 0)] }
    func sorted(_ indices: [Int]) -> [Int] {
      indices.sorted { left, right in
        let (a, b) = (place.manifest.nodes[left], place.manifest.nodes[right])
        if (a.kind == .folder) != (b.kind == .folder) { return a.kind == .folder }
        return utf8Precedes(Query.folded(a.name), Query.folded(b.name))
      }
    }
    var (found, open) = ([Line](), sorted(place.tree.children(of: start)).reversed().map { Line(index: $0, depth: 0) })
    while let line = open.popLast() {
      found.append(line)
      guard isTree else { continue }
      for child in sorted(place.tree.children(of: line.index)).reversed() {
        open.append(Line(index: child, depth: line.depth + 1))
      }
    }
    return found
  }

  private func table(_ lines: [Line], _ place: DocumentPath, _ problems: [Int: [ManifestProblem]]) -> Table {
    var columns = [
      Table.Column("name", shortens: true), Table.Column("size", right: true), Table.Column("favourite", rank: 1),
    ]
    if isLong { columns += [Table.Column("added", rank: 2), Table.Column("id")] }
    var table = Table(columns)
    for line in lines {
      let node = place.manifest.nodes[line.index]
      // A very deep folder is shown by its depth, not by as many spaces.
      let indent = line.depth <= 32 ? String(repeating: "  ", count: line.depth) : "\(line.depth) folders down: "
      let name = indent + DocumentName.display(node.name) + (node.kind == .folder ? "/" : "")
      let size = node.content.map { DocumentWords.size($0.byteCount) } ?? (problems[line.index] == nil ? "" : "?")
      var row = [name, size, node.isFavorite ? "*" : ""]
      if isLong { row += [node.createdAt.map { LocalTime.text($0) } ?? "", place.shortID(line.index)] }
      table.add(row)
    }
    return table
  }

  private func document(
    _ lines: [Line], _ place: DocumentPath, _ problems: [Int: [ManifestProblem]], _ client: DocumentVaultClient
  ) -> SecretValue {
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema("seif-docs", 1)
    writer.member("revision", client.stored?.revision ?? 0)
    writer.member("rollback", client.rollback != nil)
    writer.key("documents")
    writer.beginArray()
    for line in lines {
      let node = place.manifest.nodes[line.index]
      writer.beginObject()
      if let id = node.id { writer.member("id", id.description) }
      writer.member("kind", node.kind == .folder ? "folder" : node.kind == .file ? "file" : "unknown")
      writer.member("name", node.name)
      writer.member("path", place.text(line.index))
      writer.member("isFavorite", node.isFavorite)
      if let content = node.content {
        writer.member("bytes", content.byteCount)
        writer.member("ext", content.ext)
      }
      if let createdAt = node.createdAt { writer.member("createdAt", createdAt.rfc3339Milliseconds) }
      if let found = problems[line.index] { writer.member("problems", found.map(\.kind.rawValue)) }
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return writer.finish()
  }
}
