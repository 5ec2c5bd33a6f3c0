internal import SeifAgent
internal import SeifBytes
internal import SeifVault

/// `seif undo`: takes the last change back.
struct UndoCommand: Command {
  static let name = "undo"
  static let summary = "take the last change of the vault back"
  static let usage = """
    seif undo [OPTIONS]

    Takes the last change of the vault back as a whole: an import, an edit, a removal; and
    says which entries that were. Up to ten changes can be taken back, one by one. Counters
    never go back. A login's password that is undone stays in its history (seif history).

    Entries that the change had added go into the bin. The same import then leaves them
    there, unless it is told otherwise: seif import FILE --from-bin.
    """
  static var options: [Option] { UnlockOptions.options + OutputOptions.options }

  private let unlock: UnlockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    unlock = try UnlockOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let folder = try unlock.vault.folder(context.environment)
    let vault = try unlock.use(.readWrite, context)
    defer { vault.lock() }
    let report = try withVault(folder) { () throws(VaultUseError) in try vault.undo() }
    if output.json { try context.output.writeLine(json: Self.document(report)) }
    context.talk.say(.ok, "The last change is undone.")
    for group in report.groups {
      let (mark, words) =
        switch group.outcome {
        case .returned: ("+", "back from the bin")
        case .changed: ("~", "as it was before")
        case .binned: ("-", "in the bin")
        }
      guard !context.talk.isQuiet else { continue }
      for name in group.names { context.talk.item(mark, "\(EntryLabel.text(name.name, name.account)): \(words)") }
      let more = group.total - group.names.count
      if more > 0 { context.talk.item(mark, "and \(more) more: \(words)") }
    }
    if report.groups.contains(where: { $0.outcome == .binned && $0.total > 0 }) { context.talk.hint("seif bin list") }
    return .done
  }

  private static func document(_ report: UndoReport) -> SecretValue {
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema("seif-undo", 1)
    writer.key("outcomes")
    writer.beginArray()
    for group in report.groups where group.total > 0 {
      writer.beginObject()
      switch group.outcome {
      case .returned: writer.member("outcome", "returned")
      case .changed: writer.member("outcome", "changed")
      case .binned: writer.member("outcome", "in-bin")
      }
      writer.member("total", group.total)
      writer.key("entries")
      writer.beginArray()
      for name in group.names {
        writer.beginObject()
        writer.member("name", name.name)
        writer.member("account", name.account)
        writer.endObject()
      }
      writer.endArray()
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return writer.finish()
  }
}
