package import SeifBytes

/// How the ways in that a place shows differ from those that this client made, opened or removed.
package struct KeyWrapDifferences: Sendable, Equatable {
  /// Rows that were there and aren't any more: this client has a copy of each.
  package var missing: [UUID] = []
  /// Rows that this client removed and that are back: whoever knows their secret gets in.
  package var back: [UUID] = []
  /// Rows under a known identifier with other contents.
  package var altered: [UUID] = []
  /// Rows that this client didn't make and hasn't opened.
  package var unknown: [UUID] = []
}

extension DocumentVaultClient {
  /// The rows of the ways in, as the place shows them.
  package func keyWraps() throws(DocumentError) -> [StoredKeyWrap] { try store.keyWraps() }

  /// What is odd about them.
  package func keyWrapDifferences() throws(DocumentError) -> KeyWrapDifferences {
    let shown = Dictionary(uniqueKeysWithValues: try store.keyWraps().map { ($0.id, $0) })
    let (kept, removed) = try state.keyWraps()
    var all = KeyWrapDifferences()
    for row in kept {
      if let there = shown[row.id] {
        if there.json != row.json { all.altered.append(row.id) }
      } else {
        all.missing.append(row.id)
      }
    }
    all.back = removed.filter { shown[$0] != nil }.sorted { utf8Precedes($0.description, $1.description) }
    let known = Set(kept.map(\.id)).union(removed)
    all.unknown = shown.keys.filter { !known.contains($0) }.sorted { utf8Precedes($0.description, $1.description) }
    return all
  }

  /// The copies that this client keeps of rows that it made or opened.
  package func keptKeyWraps() throws(DocumentError) -> [StoredKeyWrap] { try state.keyWraps().kept }

  /// Keeps a copy of a row that opened the vault.
  package func noteOpened(_ row: StoredKeyWrap) throws(DocumentError) { try state.note(kept: [row]) }

  /// Adds a way in.
  package func add(_ row: StoredKeyWrap) throws(DocumentError) {
    try requireWritable()
    _ = try store.putKeyWrap(row)
    try state.note(kept: [row])
  }

  /// Takes a way in away. A copy of the row that somebody made earlier still opens the vault: only a new master key ends
  /// that, see `rotate`.
  package func removeKeyWrap(_ id: UUID) throws(DocumentError) {
    try requireWritable()
    try store.removeKeyWrap(id)
    try state.note(kept: [], removed: [id])
  }

  /// Brings a removed way in back, within 30 days.
  package func restoreKeyWrap(_ id: UUID) throws(DocumentError) {
    try requireWritable()
    try store.restoreKeyWrap(id)
    try state.note(kept: try store.keyWraps().filter { $0.id == id })
  }
}

/// What a person keeps beside the vault: the recovery code **and** the row that it opens. The code alone opens nothing
/// once the place has lost the row.
package struct RecoveryKit: Sendable {
  /// Whose vault it is; empty for a folder.
  package var account: String
  /// The store's place.
  package var server: String
  package var row: StoredKeyWrap
  /// The code in groups.
  package var code: SecretValue

  package init(account: String, server: String, row: StoredKeyWrap, code: SecretValue) {
    self.account = account
    self.server = server
    self.row = row
    self.code = code
  }

  private var fields: [(String, SecretValue)] {
    let root = (try? JSONDocument(parsing: row.json, policy: .strict))?.root
    let iterations = root?["iterations"]?.int64.map { String($0) } ?? ""
    return [
      ("account", SecretValue(utf8: account)), ("server", SecretValue(utf8: server)),
      ("id", SecretValue(utf8: row.id.description)), ("salt", root?["salt"]?.secret ?? .empty),
      ("iterations", SecretValue(utf8: iterations)), ("wrappedKey", root?["wrappedKey"]?.secret ?? .empty),
      ("code", code),
    ]
  }

  /// As a sheet to print: a line for each part.
  package var text: SecretValue {
    let words = [
      "account": "Account", "server": "Place", "id": "Way in", "salt": "Salt", "iterations": "Iterations",
      "wrappedKey": "Wrapped key", "code": "Recovery code",
    ]
    var buffer = SecretBuffer()
    for (name, value) in fields where !value.isEmpty {
      buffer.append(utf8: (words[name] ?? name) + ": ")
      buffer.append(value)
      buffer.append(utf8: "\n")
    }
    return buffer.finish()
  }

  /// For a QR code: JSON with the same parts, all of them text but the iterations.
  package var data: SecretValue {
    var writer = JSONWriter()
    writer.beginObject()
    for (name, value) in fields {
      writer.key(name)
      if name == "iterations", !value.isEmpty { writer.raw(value) } else { writer.string(value) }
    }
    writer.endObject()
    return writer.finish()
  }
}
