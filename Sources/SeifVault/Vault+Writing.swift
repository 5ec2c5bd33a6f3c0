public import SeifBytes
internal import SeifOTP
public import SeifRecords
internal import SeifSQL

// Each call is one transaction: all of it or, after a failure or a kill, nothing of it.
extension Vault {
  /// Adds entries at the end, in their order. One without an identifier, or with one that is taken, gets a new one.
  ///
  /// - Returns: the identifiers of the rows.
  /// - Throws: `invalidEntry`, `full`, `busy`, `readOnly`.
  @discardableResult
  public func add(_ entries: [Entry]) throws(VaultError) -> [UUID] {
    try apply(entries.map(VaultChange.add))
  }

  /// Puts an entry in the place of another. A password that changes joins the login's history, of which ten are kept; a
  /// counter of the same seed never goes back.
  ///
  /// - Throws: `noSuchEntry`, and as `add`.
  public func replace(_ id: UUID, with entry: Entry) throws(VaultError) {
    try apply([.replace(id, entry)])
  }

  /// Puts entries into the bin, where they stay for 30 days.
  ///
  /// - Throws: `noSuchEntry`: then none was removed.
  public func remove(_ ids: [UUID]) throws(VaultError) {
    try apply(ids.map(VaultChange.remove))
  }

  /// Brings entries back from the bin, to their old places.
  ///
  /// - Throws: `noSuchEntry`: then none came back.
  public func restoreFromBin(_ ids: [UUID]) throws(VaultError) {
    try apply(ids.map(VaultChange.restore))
  }

  /// Makes changes as one whole, which `undo()` takes back as one.
  ///
  /// - Parameters:
  ///   - expected: what `counter()` gave when the changes were planned; nil: they hold whatever happened since.
  ///   - comparesSecrets: whether a replaced account of the same seed keeps a higher counter; off where who asks mustn't
  ///     learn whether a seed is the same, and sees to the counter itself.
  ///   - line: what the ledger gets with them, in the same transaction; `undo()` takes no line back.
  /// - Returns: the identifiers of the rows that were added, in order.
  /// - Throws: `changedMeanwhile` if the vault isn't as it was when the changes were planned.
  @discardableResult
  public func apply(
    _ changes: [VaultChange], ifCounterIs expected: Int64? = nil, comparesSecrets: Bool = true,
    noting line: LedgerEntry? = nil
  ) throws(VaultError) -> [UUID] {
    guard !changes.isEmpty || line != nil else { return [] }
    return try change { (writer, undo) throws(VaultError) in
      if let expected, Int64(clamping: writer.rows.state.counter) != expected { throw VaultError(.changedMeanwhile) }
      var added: [UUID] = []
      for change in changes {
        switch change {
        case .add(let entry):
          let id = try writer.add(entry)
          try undo.record(.removeItem(id), &writer.rows)
          added.append(id)
        case .replace(let id, let entry): try Self.replace(id, entry, comparesSecrets, &writer, &undo)
        case .remove(let id):
          guard let row = try writer.find(id) else { throw VaultError(.noSuchEntry) }
          try writer.moveToBin(row, removedAt: writer.rows.now)
          try undo.record(.unbin(id), &writer.rows)
        case .restore(let id):
          guard let row = try writer.findInBin(id) else { throw VaultError(.noSuchEntry) }
          try writer.moveFromBin(row)
          try undo.record(.bin(id, removedAt: row.removedAt ?? writer.rows.now), &writer.rows)
        case .addUnusable(let entry):
          let id = try writer.add(entry)
          try undo.record(.deleteUnusable(id), &writer.rows)
          added.append(id)
        case .setOpaque(let members):
          let old = try writer.setOpaque(members)
          try undo.record(.setOpaque(old), &writer.rows)
        case .setAside(let id): try Self.setAside(id, &writer, &undo)
        }
      }
      if let line { _ = try Self.append(line, to: &writer.rows) }
      return added
    }
  }

  /// Takes back the last change as a whole; of those before it, ten can follow. What was added goes into the bin, and a
  /// login's password that is undone into its history. What moves a counter is no change: it stays where it is.
  ///
  /// - Parameters:
  ///   - expected: the step that `lastChange()` gave; nil: whichever is the last.
  ///   - comparesSecrets: whether a counter stays where it is only if the seed was the same; off where who asks mustn't
  ///     learn whether it was. It never goes back then.
  /// - Returns: the identifiers of the entries that are as they were before.
  /// - Throws: `nothingToUndo`; `changedMeanwhile` if another change is the last one.
  @discardableResult
  public func undo(ifStepIs expected: Int64? = nil, comparesSecrets: Bool = true) throws(VaultError) -> [UUID] {
    try write { (rows) throws(VaultError) in
      var writer = try ItemWriter(rows)
      guard let last = try UndoStep.last(rows.connection, rows.keys) else { throw VaultError(.nothingToUndo) }
      if let expected, last.step != expected { throw VaultError(.changedMeanwhile) }
      var changed: [UUID] = []
      for operation in last.operations.reversed() {
        try Self.takeBack(operation, comparesSecrets, &writer)
        if case .restoreItem(let id, _, _) = operation { changed.append(id) }
      }
      for id in last.rows { try writer.rows.delete(.undo, id) }
      rows = writer.rows
      return changed
    }
  }

  /// Stores the next counter of an HOTP account and gives the account with the counter that its code is made with now:
  /// stored before it is shown, never back.
  ///
  /// - Throws: `noSuchEntry`, `noCounter`, `counterExhausted`.
  public func advanceCounter(_ id: UUID) throws(VaultError) -> Account {
    try write { (rows) throws(VaultError) in
      var writer = try ItemWriter(rows)
      guard let row = try writer.find(id) else { throw VaultError(.noSuchEntry) }
      guard case .account(let account) = try row.entry(rows.connection, rows.keys), account.otp.counter != nil else {
        throw VaultError(.noCounter)
      }
      var next = account
      do throws(OTPError) { next.otp = try account.otp.advanced() } catch { throw VaultError(.counterExhausted) }
      try writer.write(.account(next), over: row, updatedAt: row.item.updatedAt)
      rows = writer.rows
      return account
    }
  }

  /// Deletes for good what has been in the bin or set aside for 30 days, leaving tombstones of what was in the bin, and
  /// what could undo older changes.
  ///
  /// - Returns: how many entries were deleted.
  /// - Throws: `unverified` if the contents aren't what was last written: then nothing is deleted.
  @discardableResult
  public func purgeBin() throws(VaultError) -> Int {
    let due = Timestamp(milliseconds: clock().milliseconds - Self.binDays * 86_400_000)
    var isDue = try bin().contains { $0.removedAt <= due }
    if !isDue { isDue = try rowsSetAside().contains { $0.at <= due } }
    guard isDue else { return 0 }
    return try write { (rows) throws(VaultError) in
      guard try rows.keys.accumulator.sum(of: tables, in: rows.connection) == rows.state.sum else {
        throw VaultError(.unverified)
      }
      var writer = try ItemWriter(rows)
      let sealer = try rows.keys.sealer(.tombstone)
      var count = 0
      for row in try ItemRow.all(in: .bin, rows.connection, rows.keys) {
        guard let removedAt = row.removedAt, removedAt <= due else { continue }
        try writer.delete(row, from: .bin)
        var time = SecretBuffer(capacity: 16)
        time.appendBigEndian(UInt64(bitPattern: removedAt.milliseconds), byteCount: 8)
        let sealed = try sealer.seal(time.finish(), row: row.id, column: "removed_at", revision: 1)
        if try !Self.hasTombstone(row.id, rows.connection) {
          try writer.rows.insert(
            .tombstone, row.id,
            [
              .blob(row.id.bytes), .integer(try writer.rows.nextPosition(.tombstone)), .blob(sealed), .integer(1),
            ])
        }
        count += 1
      }
      var damage: [VaultFault] = []
      for row in try Self.setAside(rows.connection, rows.keys, &damage) where row.content.at <= due {
        try writer.rows.delete(.setAside, row.id)
        count += 1
      }
      // They hold what was deleted, and lead to it.
      for id in try Self.undoRows(rows.connection) { try writer.rows.delete(.undo, id) }
      rows = writer.rows
      return count
    }
  }

  // MARK: - Parts

  private func change<Result>(
    _ body: (inout ItemWriter, inout UndoRecorder) throws(VaultError) -> Result
  ) throws(VaultError) -> Result {
    try write { (rows) throws(VaultError) in
      var writer = try ItemWriter(rows)
      var undo = UndoRecorder(step: Int64(clamping: rows.state.counter &+ 1), at: rows.now.wholeSeconds)
      let result = try body(&writer, &undo)
      try undo.finish(&writer.rows)
      rows = writer.rows
      return result
    }
  }

  private static func replace(
    _ id: UUID, _ entry: Entry, _ comparesSecrets: Bool, _ writer: inout ItemWriter, _ undo: inout UndoRecorder
  ) throws(VaultError) {
    guard let row = try writer.find(id) else { throw VaultError(.noSuchEntry) }
    let old = try row.entry(writer.rows.connection, writer.rows.keys)
    var entry = comparesSecrets ? keepingCounter(of: old, in: entry) : entry
    if case .password(var new) = entry, case .password(let old) = old {
      if old.password != new.password, new.history.first?.password != old.password {
        new.history.insert(PreviousPassword(password: old.password, changedAt: writer.rows.now.wholeSeconds), at: 0)
      }
      if new.history.count > historyCount { new.history.removeLast(new.history.count - historyCount) }
      entry = .password(new)
    }
    try writer.write(entry, over: row, updatedAt: writer.rows.now)
    try undo.record(.restoreItem(id, detail: row.detail, seed: ItemCodec.seed(of: old)), &writer.rows)
  }

  // A counter that goes back would show codes that were used before.
  private static func keepingCounter(of old: Entry, in entry: Entry, comparesSecrets: Bool = true) -> Entry {
    guard case .account(let old) = old, case .account(var new) = entry, let counter = old.otp.counter,
      let wanted = new.otp.counter, wanted < counter, !comparesSecrets || old.otp.secret == new.otp.secret,
      let kept = try? new.otp.withCounter(counter)
    else { return entry }
    new.otp = kept
    return .account(new)
  }

  // There is no redo: a password that an undone change had set, and that may be the one in use, joins the history. Where
  // secrets mayn't be compared it does so whenever the change had set one, since the comparison would tell a guess.
  private static func keepingPasswords(
    of present: Entry, in old: Entry, comparesSecrets: Bool, _ now: Timestamp
  ) -> Entry {
    guard case .password(let present) = present, case .password(var login) = old else { return old }
    let known = Set([login.password] + login.history.map(\.password))
    var undone = comparesSecrets ? present.history.filter { !known.contains($0.password) } : []
    // Setting one puts the one before at the head of the history; its time and the number tell that, not what it is.
    func shape(_ login: Password) -> [Int64?] {
      [Int64(login.history.count), login.history.first?.changedAt?.milliseconds]
    }
    let hasSet = comparesSecrets ? !known.contains(present.password) : shape(present) != shape(login)
    if hasSet {
      undone.insert(PreviousPassword(password: present.password, changedAt: now.wholeSeconds), at: 0)
    }
    login.history = Array((undone + login.history).prefix(historyCount))
    return .password(login)
  }

  private static func takeBack(
    _ operation: UndoOperation, _ comparesSecrets: Bool, _ writer: inout ItemWriter
  ) throws(VaultError) {
    switch operation {
    case .removeItem(let id):
      // There is no redo: what was added, and maybe used since, can still come back from the bin.
      if let row = try writer.find(id) { try writer.moveToBin(row, removedAt: writer.rows.now) }
    case .restoreItem(let id, let detail, let seed):
      guard let row = try writer.find(id) else { throw VaultError(.noSuchEntry) }
      let present = try row.entry(writer.rows.connection, writer.rows.keys)
      let item = try ItemCodec.decode(detail)
      let old = try seed.map { (seed) throws(VaultError) in try ItemCodec.entry(item.entry, seed: seed) } ?? item.entry
      let counted = keepingCounter(of: present, in: old, comparesSecrets: comparesSecrets)
      let kept = keepingPasswords(of: present, in: counted, comparesSecrets: comparesSecrets, writer.rows.now)
      try writer.write(kept, over: row, updatedAt: item.updatedAt)
    case .unbin(let id):
      guard let row = try writer.findInBin(id) else { throw VaultError(.noSuchEntry) }
      try writer.moveFromBin(row)
    case .bin(let id, let removedAt):
      guard let row = try writer.find(id) else { throw VaultError(.noSuchEntry) }
      try writer.moveToBin(row, removedAt: removedAt)
    case .deleteUnusable(let id): try writer.rows.delete(.unusable, id)
    case .setOpaque(let members): try writer.setOpaque(members)
    case .unsetAside(let id): try takeBackSetAside(id, &writer)
    case .madeAt: break
    }
  }

  private static func undoRows(_ connection: Connection) throws(VaultError) -> [UUID] {
    try sql { () throws(SQLError) in
      let statement = try connection.prepare("SELECT id FROM undo")
      var ids: [UUID] = []
      while try statement.step() { ids.append(try statement.uuid(0)) }
      return ids
    }
  }

  private static func hasTombstone(_ id: UUID, _ connection: Connection) throws(VaultError) -> Bool {
    try sql { () throws(SQLError) in
      let statement = try connection.prepare("SELECT 1 FROM tombstone WHERE id = ?1")
      try statement.bind(id.bytes, at: 1)
      defer { statement.reset() }
      return try statement.step()
    }
  }
}
