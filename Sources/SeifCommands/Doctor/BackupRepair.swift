internal import SeifCommandLine
internal import SeifBytes
internal import SeifFormats
internal import SeifOTP
internal import SeifRecords
internal import SeifVault

/// Puts entries that don't open in the vault back from a backup: those that have the same identifier there.
///
/// What opens is never touched. What doesn't is set aside as it stands, so nothing is lost, and all of it is one step of
/// `seif undo`.
struct BackupRepair {
  /// What becomes of one damaged row.
  struct Row {
    enum Outcome: String {
      /// The backup's entry takes its place.
      case fromBackup = "put-back"
      /// What was put back before, and taken back by an undo, comes out of the bin.
      case fromBin = "from-bin"
      /// The backup has no such entry.
      case notThere = "not-in-backup"
    }

    let id: UUID
    let outcome: Outcome
    /// The entry of the backup.
    let entry: Entry?
    /// The name and the account, of the entry or of the row's summary; empty where neither opens.
    let name: String
    let account: String
  }

  /// The rows that don't open, in the vault's order.
  let rows: [Row]
  /// How many entries of the vault open.
  let goodCount: Int
  /// What the vault was when the plan was made.
  let counter: Int64

  init(_ vault: Vault, from records: Records) throws(VaultError) {
    counter = try vault.counter()
    goodCount = try vault.entries().count
    let damaged = vault.damage.compactMap { fault -> UUID? in
      switch fault {
      case .value("item", let id?, _), .damagedSecret(let id): id
      default: nil
      }
    }
    let inBin = Set(try vault.bin().map(\.id))
    var summaries: [UUID: EntrySummary] = [:]
    if !damaged.isEmpty { for summary in try vault.summaries() { summaries[summary.id] = summary } }
    var there: [UUID: Entry] = [:]
    if !damaged.isEmpty {
      // Of two with one identifier nobody can say which it was: neither is taken.
      var twice: Set<UUID> = []
      for entry in records.entries {
        guard let id = entry.info.id else { continue }
        if there.updateValue(entry, forKey: id) != nil { twice.insert(id) }
      }
      for id in twice { there[id] = nil }
    }
    rows = damaged.map { id in
      let entry = there[id]
      let outcome: Row.Outcome = inBin.contains(id) ? .fromBin : entry == nil ? .notThere : .fromBackup
      return Row(
        id: id, outcome: outcome, entry: entry, name: entry?.name ?? summaries[id]?.name ?? "",
        account: entry?.account ?? summaries[id]?.account ?? "")
    }
  }

  /// The rows that something is done about.
  var mended: [Row] { rows.filter { $0.outcome != .notThere } }

  /// The plan as changes of one transaction.
  var changes: [VaultChange] {
    mended.flatMap { row -> [VaultChange] in
      switch (row.outcome, row.entry) {
      case (.fromBin, _): [.setAside(row.id), .restore(row.id)]
      case (.fromBackup, let entry?): [.setAside(row.id), .add(entry)]
      default: []
      }
    }
  }

  // MARK: - Saying it

  /// Shows the plan, and what can't be mended.
  func show(_ backup: OpenedBackup, _ vault: Vault, _ context: Context) {
    if let link = backup.link, link.vault != vault.id {
      context.talk.warn("this backup is of another vault; only entries with the same identifier are taken")
    }
    context.talk.always(
      "\(goodCount) \(goodCount == 1 ? "entry opens and stays as it is" : "entries open and stay as they are"), "
        + "\(rows.count) \(rows.count == 1 ? "doesn't" : "don't").")
    for row in rows {
      let what = row.name.isEmpty && row.account.isEmpty ? "entry \(row.id)" : EntryLabel.text(row.name, row.account)
      switch row.outcome {
      case .fromBackup: context.talk.item("+", "\(what): as it was in the backup\(Self.age(of: row.entry, backup))")
      case .fromBin: context.talk.item("+", "\(what): as it lies in the bin, put back before")
      case .notThere: context.talk.item("-", "\(what): isn't in this backup; an older one may have it")
      }
      if case .account(let account)? = row.entry, row.outcome == .fromBackup, let counter = account.otp.counter {
        context.talk.warn(
          "\(what) counts: the backup has no. \(counter), and codes shown since are used; seif edit sets the counter")
      }
    }
  }

  private static func age(of entry: Entry?, _ backup: OpenedBackup) -> String {
    backup.exportedAt.map { " of \(LocalTime.text($0))" } ?? ""
  }

  /// The member `repair` of the doctor's document.
  func write(to writer: inout JSONWriter, isDone: Bool) {
    writer.key("repair")
    writer.beginObject()
    writer.member("done", isDone)
    writer.member("good", goodCount)
    writer.key("rows")
    writer.beginArray()
    for row in rows {
      writer.beginObject()
      writer.member("id", row.id.description)
      writer.member("name", row.name)
      writer.member("account", row.account)
      writer.member("outcome", row.outcome.rawValue)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
  }
}
