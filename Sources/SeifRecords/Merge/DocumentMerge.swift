internal import SeifBytes

/// Brings two rows of one document vault with one master key together.
enum DocumentMerge {
  /// The merged row and the names of the fields that it gained. A value for a place that is taken joins the members that
  /// aren't understood, since a document vault has no fields of the person's own.
  static func merge(_ ours: DocumentVault, with theirs: DocumentVault) -> (DocumentVault, [String]) {
    var merged = ours
    var fields: [String] = []
    var others: [OpaqueMember] = []
    if ours.kind == .local, theirs.kind == .server {
      merged.kind = .server
      fields.append("kind")
    }
    func text(_ field: String, _ mine: inout String, _ other: String) {
      guard !other.isEmpty, !utf8Equal(mine, other) else { return }
      if mine.isEmpty {
        mine = other
        fields.append(field)
      } else {
        var writer = JSONWriter()
        writer.string(other)
        others.append(OpaqueMember(key: field, value: writer.finish()))
      }
    }
    text("server", &merged.server, theirs.server)
    text("account", &merged.account, theirs.account)
    if let other = theirs.wraps, other != ours.wraps {
      if let union = union(ours.wraps, other) {
        if union != ours.wraps {
          merged.wraps = union
          fields.append("wraps")
        }
      } else {
        others.append(OpaqueMember(key: "wraps", value: other))
      }
    }
    // Ways in that couldn't be used give way to those that can, and are kept beside them.
    if merged.wraps != nil {
      others += merged.opaque.filter { utf8Equal($0.key, "wraps") }
      merged.opaque.removeAll { utf8Equal($0.key, "wraps") }
    }
    let gained = OpaqueMerge.gained(others + theirs.opaque, beside: understood + merged.opaque)
    merged.opaque += gained
    fields += gained.map(\.key)
    return (merged, fields)
  }

  // Keys that are understood are taken.
  private static let understood = ["account", "id", "kind", "masterKey", "server", "wraps"].map {
    OpaqueMember(key: $0, value: .empty)
  }

  // Ours with the rows of theirs behind it that it doesn't hold, each compared whole: a row of another kind, or one that
  // can't be used, is kept like any other. Nil if one isn't a list.
  private static func union(_ ours: SecretValue?, _ theirs: SecretValue) -> SecretValue? {
    guard let mine = rows(ours ?? SecretValue(utf8: "[]")), let others = rows(theirs) else { return nil }
    var known = Set(mine)
    let gained = others.filter { known.insert($0).inserted }
    guard !gained.isEmpty else { return ours ?? theirs }
    var writer = JSONWriter(capacity: (ours?.byteCount ?? 0) + theirs.byteCount)
    writer.beginArray()
    for row in mine + gained { writer.raw(row) }
    writer.endArray()
    return writer.finish()
  }

  private static func rows(_ list: SecretValue) -> [SecretValue]? {
    guard let document = try? JSONDocument(parsing: list, policy: .strict), document.root.kind == .array else {
      return nil
    }
    return document.root.elements.map(\.canonical)
  }
}
