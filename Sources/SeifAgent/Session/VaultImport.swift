package import SeifBytes
package import SeifRecords
internal import SeifVault

/// What an import is told.
package struct ImportOptions: Sendable, Equatable {
  /// Whether what lies in the bin comes back.
  package var fromBin: Bool
  /// Whether what was deleted for good comes back.
  package var deletedToo: Bool
  /// Whether nothing is written.
  package var isDryRun: Bool
  /// Whether settings come as they are, for a vault that is only compared.
  package var keepsDestinations: Bool

  /// The backup that it is, where it is one: noted in the ledger in the same transaction, also where it brings nothing.
  package var restored: RestoredBackup?

  package init(
    fromBin: Bool = false, deletedToo: Bool = false, isDryRun: Bool = false, keepsDestinations: Bool = false,
    restored: RestoredBackup? = nil
  ) {
    self.restored = restored
    self.keepsDestinations = keepsDestinations
    self.fromBin = fromBin
    self.deletedToo = deletedToo
    self.isDryRun = isDryRun
  }
}

/// A backup that is taken into a vault, as the ledger remembers it.
package struct RestoredBackup: Sendable, Equatable {
  /// The destination's name in the ledger.
  package var destination: String
  /// The file's name there.
  package var name: String
  /// Of the whole file, 32 bytes.
  package var sha256: [UInt8]
  package var byteCount: Int

  package init(destination: String, name: String, sha256: [UInt8], byteCount: Int) {
    self.destination = destination
    self.name = name
    self.sha256 = sha256
    self.byteCount = byteCount
  }

  /// What goes into the ledger. No client gives a line of its own: it could be a proof.
  fileprivate func line(at now: Timestamp, state: Int64) -> LedgerEntry {
    .restored(name, from: destination, sha256: sha256, bytes: Int64(byteCount), at: now, state: state)
  }
}

/// What became of the entries of a file, or would: names, no secret.
package struct ImportReport: Sendable {
  /// One entry of the file, in its order.
  package struct Item: Sendable {
    package let kind: RecordKind
    package let name: String
    package let account: String
    package let outcome: MergePlan.Outcome
    /// The entry of the vault that it meets.
    package let existing: UUID?
  }

  package let items: [Item]
  /// Rows of the vault that don't open, which the plan had to leave out, in words.
  package let damage: [String]

  package init(items: [Item], damage: [String]) {
    self.items = items
    self.damage = damage
  }

  /// How many entries have an outcome.
  package func count(where matches: (MergePlan.Outcome) -> Bool) -> Int { items.count { matches($0.outcome) } }
}

/// Takes a file's entries into a vault, by a plan that is whole before anything is written.
enum VaultImport {
  /// - Throws: `changedMeanwhile` where another writer comes between again and again.
  static func run(_ records: Records, _ options: ImportOptions, into vault: Vault) throws(VaultError) -> ImportReport {
    var last = VaultError(.changedMeanwhile)
    for _ in 0..<3 {
      let planned = try plan(records, options, vault)
      do throws(VaultError) {
        if !options.isDryRun {
          _ = try vault.apply(
            planned.changes, ifCounterIs: planned.counter,
            noting: options.restored?.line(at: vault.now, state: planned.counter))
        }
        return planned.report
      } catch {
        // What another writer did meanwhile belongs into the plan.
        guard error.code == .changedMeanwhile else { throw error }
        last = error
      }
    }
    throw last
  }

  private static func plan(
    _ records: Records, _ options: ImportOptions, _ vault: Vault
  ) throws(VaultError) -> (report: ImportReport, changes: [VaultChange], counter: Int64) {
    let records = options.keepsDestinations ? records : ImportedSettings.disarmed(records)
    let counter = try vault.counter()
    let bin = try vault.bin().map { ($0.id, $0.entry) }
    var damaged = vault.damage
    let entries = try vault.entries().map { ($0.id, $0.entry) }
    // Records look at all that entries do, so what they leave out is all of it.
    let held = try vault.records()
    damaged += vault.damage
    let plan = MergePlan(
      existing: entries, existingUnusable: held.unusable, bin: bin, tombstones: try vault.tombstones(),
      fromBin: options.fromBin, deletedToo: options.deletedToo, historyCount: Vault.historyCount, incoming: records)
    let own = options.keepsDestinations ? [] : ImportedSettings.ids(in: entries + bin)
    let items = plan.items.map { item in
      ImportReport.Item(
        kind: item.entry.kind, name: item.entry.name, account: item.entry.account,
        outcome: ImportedSettings.sparing(own, item), existing: item.existing)
    }
    let changes = plan.changes(opaque: records.opaque, beside: held.opaque)
    return (
      ImportReport(items: items, damage: damaged.map { "\($0)" }), ImportedSettings.sparing(own, changes), counter
    )
  }
}

extension MergePlan {
  /// The plan as changes of a vault, in one transaction.
  ///
  /// - Parameters:
  ///   - opaque: members of the file that aren't understood.
  ///   - held: those of the vault, which stay as they are; another value of the same key joins them under `key (2)`.
  fileprivate func changes(opaque: [OpaqueMember], beside held: [OpaqueMember]) -> [VaultChange] {
    var changes: [VaultChange] = []
    // Several entries of the file may have met one of the vault; each item shows what all of them make of it.
    var (restored, replaced): (Set<UUID>, Set<UUID>) = ([], [])
    for item in items {
      switch (item.outcome, item.existing) {
      case (.new, _), (.conflict, _): changes.append(.add(item.entry))
      case (.updated, let existing?):
        if replaced.insert(existing).inserted { changes.append(.replace(existing, item.entry)) }
      case (.restored(let fields), let existing?):
        if restored.insert(existing).inserted { changes.append(.restore(existing)) }
        if !fields.isEmpty, replaced.insert(existing).inserted { changes.append(.replace(existing, item.entry)) }
      case (.updated, nil), (.restored, nil), (.same, _), (.inBin, _), (.deleted, _): break
      }
    }
    changes += unusable.map { .addUnusable($0) }
    let gained = OpaqueMerge.gained(opaque, beside: held)
    if !gained.isEmpty { changes.append(.setOpaque(held + gained)) }
    return changes
  }
}
