internal import SeifCommandLine
internal import SeifAgent
internal import SeifBytes
internal import SeifFormats
internal import SeifRecords

/// Says what became of the entries of a file that was taken into the vault.
struct MergeReport {
  /// The name of the JSON document.
  var schema = "seif-import"
  /// The command that did it, as typed.
  let command: String
  let options: ImportOptions
  /// What to do next, once it is done.
  var next: String?
  /// What the JSON document says of the file, beside what became of the entries.
  var facts: (inout JSONWriter) -> Void = { _ in }

  /// As lines or as JSON.
  func show(
    _ plan: ImportReport, _ backup: OpenedBackup, _ output: OutputOptions, _ context: Context
  ) throws(CommandFailure) {
    let counts = PlanCounts(plan, problems: backup.problems)
    if output.json {
      try context.output.writeLine(json: document(plan, counts, backup))
      return
    }
    for item in plan.items {
      let name = EntryLabel.text(item.name, item.account)
      switch item.outcome {
      case .conflict(let fields):
        context.talk.item("~", "\(name): \(fields.joined(separator: ", ")) differs; both are kept")
      case .updated(let fields):
        var line = "\(name): \(fields.joined(separator: ", ")) added to what is there"
        if fields.contains("counter") {
          line = "\(name): the higher counter is kept; codes from the older one may be refused"
        }
        context.talk.item("~", line)
      case .inBin: context.talk.item("-", "\(name): lies in the bin and stays there")
      case .deleted: context.talk.item("-", "\(name): was deleted and stays so")
      case .restored: context.talk.item("+", "\(name): back from the bin")
      case .new, .same: break
      }
    }
    context.talk.say(
      "+ \(counts.new + counts.restored) new   = \(counts.same) already here"
        + "   ~ \(counts.updated + counts.conflicts) differ"
        + (counts.inBin > 0 ? "   - \(counts.inBin) in the bin (--from-bin brings them back)" : "")
        + (counts.deleted > 0 ? "   - \(counts.deleted) deleted (--deleted-too brings them back)" : "")
        + (counts.unusable > 0 ? "   ! \(counts.unusable) not usable, kept as they are" : ""))
    // Where all that is left to do lies in the bin, as after an undo, doing it again as it was changes nothing.
    let isIdle = counts.new + counts.restored + counts.updated + counts.conflicts == 0
    if options.isDryRun {
      context.talk.say("Nothing written.")
      let chosen =
        (options.fromBin || (isIdle && counts.inBin > 0) ? " --from-bin" : "")
        + (options.deletedToo ? " --deleted-too" : "")
      context.talk.hint(command + chosen)
    } else if isIdle, counts.inBin > 0, !options.fromBin {
      context.talk.hint("\(command) --from-bin")
    } else if let next {
      context.talk.hint(next)
    }
  }

  private func document(_ plan: ImportReport, _ counts: PlanCounts, _ backup: OpenedBackup) -> SecretValue {
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema(schema, 1)
    facts(&writer)
    writer.member("dryRun", options.isDryRun)
    writer.member("new", counts.new)
    writer.member("same", counts.same)
    writer.member("updated", counts.updated)
    writer.member("conflict", counts.conflicts)
    writer.member("inBin", counts.inBin)
    writer.member("deleted", counts.deleted)
    writer.member("restored", counts.restored)
    writer.member("unusable", counts.unusable)
    writer.key("items")
    writer.beginArray()
    for item in plan.items {
      writer.beginObject()
      writer.member("kind", KindName(item.kind).rawValue)
      writer.member("name", item.name)
      writer.member("account", item.account)
      switch item.outcome {
      case .new: writer.member("outcome", "new")
      case .same: writer.member("outcome", "same")
      case .updated(let fields):
        writer.member("outcome", "updated")
        writer.member("fields", fields)
      case .conflict(let fields):
        writer.member("outcome", "conflict")
        writer.member("fields", fields)
      case .inBin: writer.member("outcome", "in-bin")
      case .deleted: writer.member("outcome", "deleted")
      case .restored(let fields):
        writer.member("outcome", "restored")
        writer.member("fields", fields)
      }
      if let existing = item.existing { writer.member("existing", existing.description) }
      writer.endObject()
    }
    writer.endArray()
    writer.problems(backup.problems)
    writer.endObject()
    return writer.finish()
  }
}

/// The outcomes of a plan, counted.
struct PlanCounts {
  let new: Int
  let same: Int
  let updated: Int
  let conflicts: Int
  let inBin: Int
  let deleted: Int
  let restored: Int
  let unusable: Int

  init(_ plan: ImportReport, problems: [EntryProblem]) {
    new = plan.count { if case .new = $0 { true } else { false } }
    same = plan.count { if case .same = $0 { true } else { false } }
    updated = plan.count { if case .updated = $0 { true } else { false } }
    conflicts = plan.count { if case .conflict = $0 { true } else { false } }
    inBin = plan.count { if case .inBin = $0 { true } else { false } }
    deleted = plan.count { if case .deleted = $0 { true } else { false } }
    restored = plan.count { if case .restored = $0 { true } else { false } }
    unusable = problems.count { $0.field == nil && $0.index != nil }
  }
}
