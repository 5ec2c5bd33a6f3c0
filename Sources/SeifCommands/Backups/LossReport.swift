internal import SeifCommandLine
internal import SeifBytes
internal import SeifFormats
internal import SeifRecords

/// What a format can't hold of records, entry by entry: for people, and whole for programs.
struct LossReport {
  /// Entries named under one heading; the rest is counted.
  static let shownCount = 10

  private let losses: [Loss]
  private let records: Records

  init(_ losses: [Loss], of records: Records) {
    self.losses = losses
    self.records = records
  }

  var isEmpty: Bool { losses.isEmpty }
  /// All of it, for neutral records.
  var all: [Loss] { losses }

  /// The records that are written: those that can be used, without what is left out as a whole.
  var written: Records {
    var gone: [RecordKind: Set<Int>] = [:]
    for loss in losses where loss.field == nil {
      if let index = loss.index { gone[loss.kind, default: []].insert(index) }
    }
    guard !gone.isEmpty else { return records }
    func kept<Item>(_ items: [Item], _ kind: RecordKind) -> [Item] {
      guard let gone = gone[kind] else { return items }
      return items.indices.filter { !gone.contains($0) }.map { items[$0] }
    }
    var written = records
    written.accounts = kept(records.accounts, .accounts)
    written.passwords = kept(records.passwords, .passwords)
    written.cards = kept(records.cards, .cards)
    written.notes = kept(records.notes, .notes)
    written.otherAccounts = kept(records.otherAccounts, .otherAccounts)
    written.documents = kept(records.documents, .documents)
    // Positions of those that can't be used go on from those that can.
    var next: [RecordKind: Int] = [:]
    written.unusable = records.unusable.filter { entry in
      let position = next[entry.kind] ?? records.count(of: entry.kind)
      next[entry.kind] = position + 1
      return gone[entry.kind]?.contains(position) != true
    }
    return written
  }

  // MARK: - Words

  /// One heading and the lines below it.
  struct Section: Equatable {
    var heading: String
    var items: [String]
  }

  /// Entries that are left out, then those that lose fields, by kind; then members of the file itself.
  var sections: [Section] {
    var groups = Groups()
    for loss in losses { groups.add(loss, in: records) }
    return groups.sections
  }

  /// Says all of it, also with `--quiet`.
  func tell(format: String, _ context: Context) {
    guard !losses.isEmpty else { return }
    context.talk.always("\(format) can't hold:")
    for section in sections {
      context.talk.warn(section.heading)
      for item in section.items.prefix(Self.shownCount) { context.talk.always("    " + item) }
      let more = section.items.count - Self.shownCount
      if more > 0 { context.talk.always("    and \(more) more; all of them: --json") }
    }
  }

  /// The same as lines for a failure.
  var lines: [String] {
    sections.flatMap { section in
      [section.heading] + section.items.prefix(Self.shownCount).map { "  " + $0 }
        + (section.items.count > Self.shownCount ? ["  and \(section.items.count - Self.shownCount) more"] : [])
    }
  }

  /// A field in the words of a person; a name that isn't ours as it is.
  static func words(for field: String) -> String {
    switch field {
    case "createdAt": "the date it was made"
    case "isFavorite": "the favourite mark"
    case "sortIndex": "the place in your order"
    case "customFields": "fields of your own"
    case "exactHost": "the mark \"this host only\""
    case "urls": "addresses"
    default: field
    }
  }

  // MARK: - JSON

  /// The member `lost`: every loss, with the entry's name beside its place.
  func write(_ writer: inout JSONWriter) {
    writer.key("lost")
    writer.beginArray()
    for loss in losses {
      writer.beginObject()
      writer.member("kind", loss.kind.rawValue)
      if let index = loss.index {
        writer.member("index", index)
        if let (name, account) = records.label(loss.kind, index) {
          writer.member("name", name)
          writer.member("account", account)
        }
      }
      if let field = loss.field { writer.member("field", field) }
      writer.endObject()
    }
    writer.endArray()
  }
}

/// Losses sorted into headings, one step for each.
private struct Groups {
  private var whole: [KindName: [String]] = [:]
  private var unusable: [KindName: Int] = [:]
  /// The entries that lose fields, and which.
  private var partly: [KindName: [(name: String, fields: [String])]] = [:]
  private var last: (kind: RecordKind, index: Int)?
  private var top: [String] = []

  mutating func add(_ loss: Loss, in records: Records) {
    let kind = KindName(loss.kind)
    guard let index = loss.index else {
      top.append(loss.field ?? "all \(kind.rawValue)s")
      return
    }
    guard let (name, account) = records.label(loss.kind, index) else {
      unusable[kind, default: 0] += 1
      return
    }
    let label = CellWidth.shortened(EntryLabel.text(name, account), to: 60)
    guard let field = loss.field else {
      whole[kind, default: []].append(label)
      return
    }
    let words = LossReport.words(for: field)
    if let last, last == (loss.kind, index), let end = partly[kind]?.indices.last {
      partly[kind]?[end].fields.append(words)
    } else {
      partly[kind, default: []].append((label, [words]))
    }
    last = (loss.kind, index)
  }

  var sections: [LossReport.Section] {
    var sections: [LossReport.Section] = []
    for kind in KindName.allCases {
      if let names = whole[kind] {
        sections.append(.init(heading: "\(kind.count(names.count)) left out", items: names))
      }
      if let count = unusable[kind] {
        sections.append(.init(heading: "\(kind.count(count)) that can't be used, left out", items: []))
      }
    }
    for kind in KindName.allCases {
      guard let entries = partly[kind] else { continue }
      sections.append(
        .init(
          heading: "parts of \(kind.count(entries.count)) left out",
          items: entries.map { "\($0.name): \($0.fields.joined(separator: ", "))" }))
    }
    if !top.isEmpty {
      sections.append(.init(heading: "members of the file itself left out", items: top))
    }
    return sections
  }
}

extension KindName {
  /// `1 login`, `2 codes`, `1 document vault`.
  func count(_ count: Int) -> String {
    "\(count) \(self == .document ? "document vault" : rawValue)\(count == 1 ? "" : "s")"
  }
}

extension Records {
  /// What an entry that can be used is called; nil for the place of one that can't.
  func label(_ kind: RecordKind, _ index: Int) -> (name: String, account: String)? {
    guard index >= 0, index < count(of: kind) else { return nil }
    let entry: Entry =
      switch kind {
      case .accounts: .account(accounts[index])
      case .passwords: .password(passwords[index])
      case .cards: .card(cards[index])
      case .notes: .note(notes[index])
      case .otherAccounts: .otherAccount(otherAccounts[index])
      case .documents: .document(documents[index])
      }
    return (entry.name, entry.account)
  }
}
