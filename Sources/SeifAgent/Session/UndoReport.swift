internal import SeifBytes
internal import SeifRecords
internal import SeifVault

/// What an undo brought about, by name.
package struct UndoReport: Sendable {
  /// What became of an entry.
  package enum Outcome: UInt8, Sendable { case returned = 1, changed = 2, binned = 3 }
  /// Entries of one outcome: the first ten, and how many there are.
  package struct Group: Sendable {
    package let outcome: Outcome
    package let names: [(name: String, account: String)]
    package let total: Int
  }

  /// Entries that are named of each outcome.
  package static let shownCount = 10

  /// Empty where another program wrote meanwhile: the difference isn't the undo's alone then.
  package let groups: [Group]

  package init(groups: [Group]) { self.groups = groups }

  /// Takes the last change of a vault back.
  ///
  /// What is named as changed is what the step had replaced, alike or not: who put a guess in the place of a secret
  /// doesn't learn by this whether it was right.
  /// The parameters are those of the vault's undo.
  static func undo(
    _ vault: Vault, ifStepIs expected: Int64?, comparesSecrets: Bool = true
  ) throws(VaultError) -> UndoReport {
    let before = (counter: try vault.counter(), entries: try vault.entries())
    let replaced = Set(try vault.undo(ifStepIs: expected, comparesSecrets: comparesSecrets))
    let after = (counter: try vault.counter(), entries: try vault.entries())
    guard after.counter == before.counter &+ 1 else { return UndoReport(groups: []) }
    let old = Dictionary(before.entries.map { ($0.id, $0) }) { first, _ in first }
    let new = Dictionary(after.entries.map { ($0.id, $0) }) { first, _ in first }
    func group(_ outcome: Outcome, _ entries: [StoredEntry]) -> Group {
      Group(
        outcome: outcome, names: entries.prefix(shownCount).map { ($0.entry.name, $0.entry.account) },
        total: entries.count)
    }
    return UndoReport(groups: [
      group(.returned, after.entries.filter { old[$0.id] == nil }),
      group(.changed, after.entries.filter { old[$0.id] != nil && replaced.contains($0.id) }),
      group(.binned, before.entries.filter { new[$0.id] == nil }),
    ])
  }
}

extension WireWriter {
  mutating func report(_ report: UndoReport) {
    count(report.groups.count)
    for group in report.groups {
      byte(group.outcome.rawValue)
      count(group.total)
      names(group.names)
    }
  }

  private mutating func names(_ names: [(name: String, account: String)]) {
    count(names.count)
    for name in names {
      text(name.name)
      text(name.account)
    }
  }

  mutating func lastChange(_ change: LastChange) {
    number(change.step)
    optional(change.madeAt) { $0.number($1.seconds) }
    count(change.groups.count)
    for group in change.groups {
      byte(group.kind.rawValue)
      count(group.total)
      names(group.names)
    }
    count(change.otherCount)
  }
}

extension WireReader {
  mutating func report() throws(AgentRefusal) -> UndoReport {
    UndoReport(
      groups: try list(leastByteCount: 9) { (reader) throws(AgentRefusal) in
        guard let outcome = UndoReport.Outcome(rawValue: try reader.byte()) else {
          throw AgentRefusal(.badMessage, "outcome")
        }
        let total = try reader.count()
        return UndoReport.Group(outcome: outcome, names: try reader.names(), total: total)
      })
  }

  private mutating func names() throws(AgentRefusal) -> [(name: String, account: String)] {
    try list(leastByteCount: 8) { (reader) throws(AgentRefusal) in
      (name: try reader.text(), account: try reader.text())
    }
  }

  mutating func lastChange() throws(AgentRefusal) -> LastChange {
    let step = try number()
    let madeAt = try optional { (reader) throws(AgentRefusal) in Timestamp(seconds: try reader.number()) }
    let groups = try list(leastByteCount: 9) { (reader) throws(AgentRefusal) in
      guard let kind = LastChange.Kind(rawValue: try reader.byte()) else { throw AgentRefusal(.badMessage, "kind") }
      let total = try reader.count()
      return LastChange.Group(kind: kind, names: try reader.names(), total: total)
    }
    return LastChange(step: step, madeAt: madeAt, groups: groups, otherCount: try count())
  }
}
