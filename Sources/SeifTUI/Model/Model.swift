internal import SeifBytes

/// What the screen shows and what a key does to it: all of it values, so that every key and width can be tried without a
/// terminal. What has to be done elsewhere comes back as effects, and what they brought about is put in again.
package struct Model: Sendable {
  package enum Pane: Sendable, Equatable { case kinds, list, details }
  package enum Phase: Sendable, Equatable {
    case open
    /// Locked, and why; nothing of the vault is held.
    case locked(String)
  }
  package enum Overlay: Sendable, Equatable {
    case help(top: Int)
    /// Which field is copied.
    case fields(selected: Int)
    /// Which kind is added.
    case kinds(selected: Int)
  }
  package enum Tone: Sendable { case plain, good, bad }
  package enum Order: Int, Sendable, CaseIterable {
    case own, name, account, created
    var words: String {
      switch self {
      case .own: "your own order"
      case .name: "by name"
      case .account: "by account"
      case .created: "oldest first"
      }
    }
  }

  /// How long a secret stays on the screen.
  static let revealMilliseconds: Int64 = 10_000
  static let messageMilliseconds: Int64 = 6_000

  let vaultName: String
  let glyphs: Glyphs
  let keys: KeyTable
  let fold: @Sendable (String) -> String
  var size: (columns: Int, rows: Int)
  package internal(set) var phase = Phase.open

  // The vault's entries.
  var items: [Item] = []
  var timings: [UUID: CodeTiming] = [:]
  /// What is wrong with the vault, in a sentence; nil: nothing.
  var damage: String?

  // What is looked at.
  package internal(set) var kind = ItemKind.codes
  package internal(set) var focus = Pane.list
  package internal(set) var overlay: Overlay?
  package internal(set) var filter = ""
  package internal(set) var isTyping = false
  package internal(set) var order = Order.own
  /// The entries of the kind that fit the filter, in order.
  package internal(set) var list: [Item] = []
  var counts: [ItemKind: Int] = [:]
  var places: [ItemKind: Place] = [:]
  package internal(set) var details: Details?
  var detailRow = 0
  /// Lines by which a long row is scrolled.
  var detailScroll = 0
  package internal(set) var revealed: Revealed?
  var hidesAt: Int64 = 0
  /// What was revealed last: a code that follows another in time is shown until that one would have been hidden.
  var lastRevealed: (id: UUID, field: Field)?

  // What is told.
  /// `more` is said where there is room.
  var message: (text: String, more: String?, tone: Tone, until: Int64)?
  var copied: (what: String, until: Int64?)?
  var locksIn: Int64?
  var isHereOnly = false
  var backup = ""
  var now = Moment(unix: 0, milliseconds: 0)

  /// Where one is in a list.
  struct Place: Sendable {
    var id: UUID?
    var index = 0
    var top = 0
  }

  /// - Parameters:
  ///   - vaultName: what the vault is called.
  ///   - fold: a text as it is compared.
  package init(
    vaultName: String, isUTF8: Bool, keys: KeyTable = .standard, columns: Int, rows: Int,
    fold: @escaping @Sendable (String) -> String
  ) {
    self.vaultName = vaultName
    glyphs = Glyphs(isUTF8: isUTF8)
    self.keys = keys
    self.fold = fold
    size = (columns, rows)
  }

  var layout: Layout { Layout(columns: size.columns, rows: size.rows) }

  /// The kinds that are offered: documents only where there are any.
  var kinds: [ItemKind] {
    ItemKind.allCases.filter { $0 != .documents || counts[.documents] ?? 0 > 0 || kind == .documents }
  }

  package var selected: Item? {
    let index = places[kind]?.index ?? 0
    return list.indices.contains(index) ? list[index] : nil
  }

  /// The row that a key is about: the one in the details, or the main one of the list.
  var currentRow: Details.Row? {
    guard let details, details.id == selected?.id else { return nil }
    if focus == .details { return details.rows.indices.contains(detailRow) ? details.rows[detailRow] : nil }
    guard let field = kind.mainField else { return nil }
    return details.rows.first { $0.field == field }
  }

  /// Whether a login's passwords from before stand in the place of its fields.
  var showsHistory: Bool { details?.isHistory == true && details?.id == selected?.id }

  /// Whether the screen changes as time goes by.
  package var depends: Bool {
    revealed != nil || message != nil || copied != nil || locksIn != nil || (phase == .open && kind == .codes)
      || details?.rows.contains { if case .code(.period) = $0.value { true } else { false } } == true
  }

  // MARK: - Lists

  /// Makes the list anew; the entry that was selected stays so if it is still there.
  ///
  /// - Parameter isNew: else the first one is; without it, its neighbour.
  mutating func refresh(isNew: Bool = false) {
    let part = fold(filter)
    var found: [ItemKind: [Item]] = [:]
    for item in items where part.isEmpty || item.searchText.utf8Span.span.contains(part.utf8Span.span) {
      found[item.kind, default: []].append(item)
    }
    counts = found.mapValues(\.count)
    let fitting = found[kind] ?? []
    func sorted(_ key: (Item) -> String) -> [Item] {
      // Lower-case letters by their code points, the same in every locale; equals stay in the person's order.
      fitting.enumerated().sorted { left, right in
        let (a, b) = (key(left.element), key(right.element))
        return a == b ? left.offset < right.offset : a.utf8.lexicographicallyPrecedes(b.utf8)
      }.map(\.element)
    }
    switch order {
    case .own: list = fitting
    case .name: list = sorted(\.sortName)
    case .account: list = sorted(\.sortAccount)
    case .created:
      list = fitting.enumerated().sorted {
        let (a, b) = ($0.element.createdAt ?? .min, $1.element.createdAt ?? .min)
        return a == b ? $0.offset < $1.offset : a < b
      }.map(\.element)
    }
    var place = places[kind] ?? Place()
    if let id = place.id, let index = list.firstIndex(where: { $0.id == id }) {
      place.index = index
    } else if isNew {
      place.index = 0
    }
    place.index = max(0, min(place.index, list.count - 1))
    places[kind] = place
    scroll()
  }

  /// Keeps what is selected on the screen.
  mutating func scroll() {
    guard var place = places[kind] else { return }
    let height = max(1, layout.listHeight)
    place.top = max(0, min(place.top, list.count - height))
    if place.index < place.top { place.top = place.index }
    if place.index >= place.top + height { place.top = place.index - height + 1 }
    place.id = list.indices.contains(place.index) ? list[place.index].id : nil
    places[kind] = place
  }

  /// What the present screen needs and doesn't have: fields of the selected entry, how codes follow each other.
  mutating func needs() -> [Effect] {
    guard phase == .open else { return [] }
    var effects: [Effect] = []
    if let selected {
      if details?.id != selected.id {
        hide()
        details = nil
        detailRow = 0
        effects.append(.open(selected.id))
      }
    } else {
      hide()
      details = nil
    }
    if kind == .codes {
      let top = places[kind]?.top ?? 0
      let unknown = list.dropFirst(top).prefix(layout.listHeight).map(\.id).filter { timings[$0] == nil }
      if !unknown.isEmpty { effects.append(.time(unknown)) }
    }
    return effects
  }

  mutating func hide() {
    revealed = nil
    detailScroll = 0
  }
}
