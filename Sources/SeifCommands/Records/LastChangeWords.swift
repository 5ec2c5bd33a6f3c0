internal import SeifCommandLine
internal import SeifBytes
internal import SeifVault

/// The last change of a vault in words, before it is taken back.
struct LastChangeWords {
  /// `3 min ago`.
  let time: String
  /// What was done to which entries, with the mark of what undoing brings about.
  let lines: [(mark: String, text: String)]

  init(_ change: LastChange, now: Timestamp) {
    time = change.madeAt.map { LocalTime.age($0, now: now) } ?? "at a time that isn't known"
    var lines: [(mark: String, text: String)] = []
    for group in change.groups {
      let (mark, words) =
        switch group.kind {
        case .added: ("-", "added; goes into the bin")
        case .edited: ("~", "edited; becomes what it was before")
        case .removed: ("+", "removed; comes back from the bin")
        case .restored: ("-", "brought back; goes into the bin again")
        }
      for name in group.names { lines.append((mark, "\(EntryLabel.text(name.name, name.account)): \(words)")) }
      let more = group.total - group.names.count
      if more > 0 {
        lines.append(
          (mark, "\(group.names.isEmpty ? "" : "and ")\(more)\(group.names.isEmpty ? "" : " more"): \(words)"))
      }
    }
    if change.otherCount > 0 { lines.append(("~", "what lists don't show: \(change.otherCount)")) }
    self.lines = lines
  }
}
