internal import SeifCommandLine
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
    --dry-run only says which entries that would be, and when they were changed.

    Entries that the change had added go into the bin. The same import then leaves them
    there, unless it is told otherwise: seif import FILE --from-bin.
    """
  static let dryRun = Option.flag("dry-run", "say what would be taken back and write nothing")
  static var options: [Option] { [dryRun] + UnlockOptions.options + OutputOptions.options }

  private let isDryRun: Bool
  private let unlock: UnlockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    isDryRun = arguments.flag(Self.dryRun)
    unlock = try UnlockOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let folder = try unlock.vault.folder(context.environment)
    let vault = try unlock.use(isDryRun ? .readOnly : .readWrite, context)
    defer { vault.lock() }
    if isDryRun {
      try foresee(try withVault(folder) { () throws(VaultUseError) in try vault.lastChange() }, context)
      return .done
    }
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

  private func foresee(_ change: LastChange, _ context: Context) throws(CommandFailure) {
    if output.json { try context.output.writeLine(json: Self.document(change)) }
    guard !context.talk.isQuiet else { return }
    let words = LastChangeWords(change, now: Timestamp(seconds: context.clock.now()))
    context.talk.say("The last change was made \(words.time). `seif undo` takes it back:")
    for line in words.lines { context.talk.item(line.mark, line.text) }
  }

  // MARK: - Documents

  private static func document(_ report: UndoReport) -> SecretValue {
    document(isDryRun: false) { writer in
      for group in report.groups where group.total > 0 {
        let outcome =
          switch group.outcome {
          case .returned: "returned"
          case .changed: "changed"
          case .binned: "in-bin"
          }
        Self.write([("outcome", outcome)], group.names, group.total, &writer)
      }
    }
  }

  private static func document(_ change: LastChange) -> SecretValue {
    document(isDryRun: true, change) { writer in
      for group in change.groups {
        let (outcome, kind) =
          switch group.kind {
          case .added: ("in-bin", "added")
          case .edited: ("changed", "edited")
          case .removed: ("returned", "removed")
          case .restored: ("in-bin", "restored")
          }
        Self.write([("outcome", outcome), ("change", kind)], group.names, group.total, &writer)
      }
    }
  }

  private static func document(
    isDryRun: Bool, _ change: LastChange? = nil, _ outcomes: (inout JSONWriter) -> Void
  ) -> SecretValue {
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema("seif-undo", 1)
    writer.member("dryRun", isDryRun)
    if let change {
      if let time = change.madeAt { writer.member("madeAt", time.rfc3339) }
      writer.member("others", change.otherCount)
    }
    writer.key("outcomes")
    writer.beginArray()
    outcomes(&writer)
    writer.endArray()
    writer.endObject()
    return writer.finish()
  }

  private static func write(
    _ members: [(String, String)], _ names: [(name: String, account: String)], _ total: Int, _ writer: inout JSONWriter
  ) {
    writer.beginObject()
    for (key, value) in members { writer.member(key, value) }
    writer.member("total", total)
    writer.key("entries")
    writer.beginArray()
    for name in names {
      writer.beginObject()
      writer.member("name", name.name)
      writer.member("account", name.account)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
  }
}
