internal import SeifBytes
internal import SeifRecords
internal import SeifVault

// What an import came to and what a check found, on the wire.
extension WireWriter {
  mutating func report(_ report: ImportReport) {
    texts(report.damage)
    count(report.items.count)
    for item in report.items {
      text(item.kind.rawValue)
      text(item.name)
      text(item.account)
      switch item.outcome {
      case .new: outcome(1)
      case .same: outcome(2)
      case .updated(let fields): outcome(3, fields)
      case .conflict(let fields): outcome(4, fields)
      case .inBin: outcome(5)
      case .deleted: outcome(6)
      case .restored(let fields): outcome(7, fields)
      }
      optional(item.existing) { $0.id($1) }
    }
  }

  private mutating func outcome(_ number: UInt8, _ fields: [String] = []) {
    byte(number)
    texts(fields)
  }

  mutating func faults(_ faults: [VaultFault]) {
    count(faults.count)
    for fault in faults {
      switch fault {
      case .contents: byte(1)
      case .rowCount(let expected, let found):
        byte(2)
        number(Int64(expected))
        number(Int64(found))
      case .accumulator: byte(3)
      case .olderCopy(let counter, let seen):
        byte(4)
        number(counter)
        number(seen)
      case .value(let table, let row, let column):
        byte(5)
        text(table)
        optional(row) { $0.id($1) }
        text(column)
      case .missingSecret(let row): of(row, 6)
      case .damagedSecret(let row): of(row, 7)
      case .missingSummary(let row): of(row, 8)
      case .strayData(let table, let row):
        of(row, 9)
        text(table)
      case .ledger(let sequence):
        byte(10)
        number(sequence)
      case .database(let findings):
        byte(11)
        number(Int64(findings))
      }
    }
  }

  private mutating func of(_ row: UUID, _ number: UInt8) {
    byte(number)
    id(row)
  }
}

extension WireReader {
  mutating func importReport() throws(AgentRefusal) -> ImportReport {
    let damage = try texts()
    let items = try list(leastByteCount: 18) { (reader) throws(AgentRefusal) in
      let kind = try reader.kind()
      let (name, account, number) = (try reader.text(), try reader.text(), try reader.byte())
      let fields = try reader.texts()
      let outcome: MergePlan.Outcome
      switch number {
      case 1: outcome = .new
      case 2: outcome = .same
      case 3: outcome = .updated(fields: fields)
      case 4: outcome = .conflict(fields: fields)
      case 5: outcome = .inBin
      case 6: outcome = .deleted
      case 7: outcome = .restored(fields: fields)
      default: throw AgentRefusal(.badMessage, "outcome")
      }
      let existing = try reader.optional { (reader) throws(AgentRefusal) in try reader.id() }
      return ImportReport.Item(kind: kind, name: name, account: account, outcome: outcome, existing: existing)
    }
    return ImportReport(items: items, damage: damage)
  }

  mutating func faults() throws(AgentRefusal) -> [VaultFault] {
    try list(leastByteCount: 1) { (reader) throws(AgentRefusal) in
      switch try reader.byte() {
      case 1: return .contents
      case 2: return .rowCount(expected: try reader.int(), found: try reader.int())
      case 3: return .accumulator
      case 4: return .olderCopy(counter: try reader.number(), seen: try reader.number())
      case 5:
        let table = try reader.text()
        let row = try reader.optional { (reader) throws(AgentRefusal) in try reader.id() }
        return .value(table: table, row: row, column: try reader.text())
      case 6: return .missingSecret(row: try reader.id())
      case 7: return .damagedSecret(row: try reader.id())
      case 8: return .missingSummary(row: try reader.id())
      case 9:
        let row = try reader.id()
        return .strayData(table: try reader.text(), row: row)
      case 10: return .ledger(sequence: try reader.number())
      case 11: return .database(findings: try reader.int())
      default: throw AgentRefusal(.badMessage, "fault")
      }
    }
  }

  private mutating func int() throws(AgentRefusal) -> Int { Int(clamping: try number()) }
}
