internal import SeifCommandLine
internal import SeifBytes
internal import SeifRecords

extension JSONWriter {
  /// An object that names an entry: `id`, `kind`, `name`, `account`.
  mutating func entry(_ id: UUID, _ kind: RecordKind, name: String, account: String) {
    beginObject()
    member("id", id.description)
    member("kind", KindName(kind).rawValue)
    member("name", name)
    member("account", account)
    endObject()
  }

  /// The member `problems`: what can't be used, each by place and reason.
  mutating func problems(_ problems: [EntryProblem]) {
    key("problems")
    beginArray()
    for problem in problems {
      beginObject()
      member("kind", problem.list)
      if let index = problem.index { member("index", index) }
      if let field = problem.field { member("field", field) }
      member("reason", problem.reason)
      endObject()
    }
    endArray()
  }
}

/// The document of a command that did one thing to several entries: `{"schema": …, "version": 1, "entries": […]}`.
enum EntriesDocument {
  typealias Entry = (id: UUID, kind: RecordKind, name: String, account: String)

  static func text(_ schema: String, _ entries: [Entry]) -> SecretValue {
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema(schema, 1)
    writer.key("entries")
    writer.beginArray()
    for entry in entries { writer.entry(entry.id, entry.kind, name: entry.name, account: entry.account) }
    writer.endArray()
    writer.endObject()
    return writer.finish()
  }
}
