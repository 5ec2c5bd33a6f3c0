internal import SeifBytes

/// Gathers what one entry gains from another, and the names of the fields: a place that is free takes the value, a value
/// for a place that is taken becomes a field of the person's own.
struct FieldMerge {
  private(set) var info: EntryInfo
  private(set) var fields: [String] = []
  private var named: Set<UTF8Key> = []
  private var known: Set<FieldKey>?

  init(_ info: EntryInfo) { self.info = info }

  /// Names a field that gained something, once.
  mutating func gain(_ field: String) {
    if named.insert(UTF8Key(field)).inserted { fields.append(field) }
  }

  mutating func text(_ field: String, _ mine: inout String, _ theirs: String) {
    guard !theirs.isEmpty, !utf8Equal(mine, theirs) else { return }
    if mine.isEmpty {
      mine = theirs
      gain(field)
    } else {
      keep(field, SecretValue(utf8: theirs), isSecret: false)
    }
  }

  mutating func text(_ field: String, _ mine: inout String?, _ theirs: String?) {
    guard let theirs else { return }
    if let present = mine {
      if !utf8Equal(present, theirs) { keep(field, SecretValue(utf8: theirs), isSecret: false) }
    } else {
      mine = theirs
      gain(field)
    }
  }

  mutating func secret(_ field: String, _ mine: inout SecretValue?, _ theirs: SecretValue?) {
    guard let theirs else { return }
    if let present = mine {
      if present != theirs { keep(field, theirs, isSecret: true) }
    } else {
      mine = theirs
      gain(field)
    }
  }

  mutating func number(_ field: String, _ mine: inout Int64?, _ theirs: Int64?) {
    guard let theirs else { return }
    if let present = mine {
      if present != theirs { keep(field, SecretValue(utf8: String(theirs)), isSecret: false) }
    } else {
      mine = theirs
      gain(field)
    }
  }

  mutating func time(_ field: String, _ mine: inout Timestamp?, _ theirs: Timestamp?) {
    guard mine == nil, let theirs else { return }
    mine = theirs
    gain(field)
  }

  /// Adds a field of the person's own unless one of the same bytes is there.
  mutating func keep(_ name: String, _ value: SecretValue, isSecret: Bool) {
    add(CustomField(name: name, value: value, isSecret: isSecret))
  }

  private mutating func add(_ field: CustomField) {
    var fields = known ?? Set(info.customFields.map { FieldKey($0) })
    known = nil
    let isNew = fields.insert(FieldKey(field)).inserted
    known = fields
    guard isNew else { return }
    info.customFields.append(field)
    gain("customFields")
  }

  /// Brings what every entry has together. Identifier and place stay ours.
  mutating func merge(_ theirs: EntryInfo) {
    if theirs.isFavorite, !info.isFavorite {
      info.isFavorite = true
      gain("isFavorite")
    }
    if theirs.exactHost, !info.exactHost {
      info.exactHost = true
      gain("exactHost")
    }
    if info.notes != theirs.notes, !containsLines(info.notes, theirs.notes) {
      var text = SecretBuffer(capacity: info.notes.byteCount + theirs.notes.byteCount + 1)
      text.append(info.notes)
      if !info.notes.isEmpty { text.append(0x0A) }
      text.append(theirs.notes)
      info.notes = text.finish()
      gain("notes")
    }
    union("tags", \.tags, theirs.tags)
    union("urls", \.urls, theirs.urls)
    for field in theirs.customFields { add(field) }
    if info.createdAt == nil, let createdAt = theirs.createdAt {
      info.createdAt = createdAt
      gain("createdAt")
    }
    merge(theirs.opaque)
  }

  private mutating func union(
    _ field: String, _ list: WritableKeyPath<EntryInfo, [String]>, _ theirs: [String]
  ) {
    guard !theirs.isEmpty else { return }
    var known = Set(info[keyPath: list].map { UTF8Key($0) })
    let gained = theirs.filter { known.insert(UTF8Key($0)).inserted }
    guard !gained.isEmpty else { return }
    info[keyPath: list] += gained
    gain(field)
  }

  // A value may stand among the fields already: put there the last time.
  private mutating func merge(_ theirs: [OpaqueMember]) {
    guard !theirs.isEmpty else { return }
    let kept = Set(info.customFields.map { FieldKey($0) })
    var members = Set(info.opaque.map { MemberKey($0) })
    var keys = Set(info.opaque.map { UTF8Key($0.key) })
    for member in theirs where members.insert(MemberKey(member)).inserted {
      let field = CustomField(name: member.key, value: member.value, isSecret: true)
      if kept.contains(FieldKey(field)) { continue }
      if keys.insert(UTF8Key(member.key)).inserted {
        info.opaque.append(member)
        gain(member.key)
      } else {
        add(field)
      }
    }
  }

  /// Turns members that aren't understood into fields where `written`, the entry as it will be written, has no place for
  /// them: a value that is understood now stands there.
  mutating func keepDisplaced(in written: SecretValue) -> Bool {
    guard !info.opaque.isEmpty, let document = try? JSONDocument(parsing: written, policy: .strict) else {
      return false
    }
    let keys = Set(info.opaque.map { UTF8Key($0.key) })
    var members: Set<MemberKey> = []
    for (key, value) in document.root.members {
      let key = UTF8Key(key.text)
      if keys.contains(key) { members.insert(MemberKey(key, value.canonical)) }
    }
    let displaced = info.opaque.filter { !members.contains(MemberKey($0)) }
    guard !displaced.isEmpty else { return false }
    info.opaque.removeAll { !members.contains(MemberKey($0)) }
    for member in displaced { keep(member.key, member.value, isSecret: true) }
    return true
  }
}
