import SeifBytes
import SeifTUI

/// A screen over a made-up vault, which answers at once.
struct TestScreen {
  var model: Model
  private(set) var effects: [Effect] = []
  var now = Moment(unix: 1_767_225_613, milliseconds: 1_000)

  static let code = "482 913"
  static let password = "correct horse battery staple"

  init(
    columns: Int = 120, rows: Int = 16, isUTF8: Bool = true, keys: KeyTable = .standard, items: [Item] = Self.items
  ) {
    model = Model(
      vaultName: "personal", isUTF8: isUTF8, keys: keys, columns: columns, rows: rows, fold: { $0.lowercased() })
    perform(model.tick(now))
    model.setLock(in: 540)
    model.setBackup("backup proven 3 d ago")
    perform(model.show(items))
  }

  static func id(_ number: UInt8) -> UUID {
    guard let id = UUID(bytes: [UInt8](repeating: number, count: 16)) else { preconditionFailure("16 bytes") }
    return id
  }

  static func item(
    _ number: UInt8, _ kind: ItemKind, _ name: String, _ account: String, isFavorite: Bool = false,
    createdAt: Int64? = nil, removed: String = ""
  ) -> Item {
    Item(
      id: id(number), kind: kind, name: name, account: account, isFavorite: isFavorite,
      searchText: name.lowercased() + "\n" + account.lowercased(), sortName: name.lowercased(),
      sortAccount: account.lowercased(), createdAt: createdAt, removed: removed)
  }

  static let items = [
    item(1, .codes, "GitHub", "ana@ex.com", isFavorite: true, createdAt: 30),
    item(2, .codes, "Fastmail", "zoe", createdAt: 10), item(3, .codes, "Hetzner", "root", createdAt: 20),
    item(4, .codes, "Acme counts", "user"), item(5, .logins, "Example Forge", "ana", isFavorite: true),
    item(6, .cards, "Everyday plastic", "ANA EXAMPLE"), item(7, .notes, "Keys", ""),
    item(8, .bin, "Old one", "ana", removed: "2 d ago"),
  ]

  /// The rows that a vault would give for an entry.
  static func details(_ item: Item) -> Details {
    var rows: [Details.Row] = [
      .init("name", field: .named("name"), .text(item.name)),
      .init("account", field: .named("account"), .text(item.account)),
    ]
    switch item.kind {
    case .codes:
      rows.append(.init("code", field: .code, .code(timing(item))))
      if timing(item) != .counter { rows.append(.init("next", field: .nextCode, .nextCode)) }
    case .logins:
      rows += [
        .init("password", field: .named("password"), .secret),
        .init("address", field: .named("url"), .text("https://ex.org")),
      ]
    case .cards:
      rows += [.init("number", field: .named("number"), .secret), .init("cvc", field: .named("cvc"), .secret)]
    case .notes: rows.append(.init("text", field: .named("text"), .secret))
    case .documents, .bin: break
    }
    rows.append(.init("tags", field: nil, .text("work")))
    return Details(id: item.id, rows: rows)
  }

  /// Two passwords from before, of the login that had others.
  static func history(_ id: UUID) -> Details {
    let days = id == Self.id(5) ? ["2026-11-02", "2025-01-31"] : []
    let rows = days.enumerated().map { Details.Row($1, field: .previous($0 + 1), .secret) }
    return Details(id: id, rows: rows, isHistory: true)
  }

  static func timing(_ item: Item) -> CodeTiming { item.name == "Acme counts" ? .counter : .period(30) }

  /// Does what a vault would, and remembers it.
  mutating func perform(_ wanted: [Effect]) {
    for effect in wanted {
      effects.append(effect)
      switch effect {
      case .open(let id): if let item = model.list.first(where: { $0.id == id }) { model.show(Self.details(item)) }
      case .time(let ids):
        let items = model.list.filter { ids.contains($0.id) }
        model.show(Dictionary(items.map { ($0.id, Self.timing($0)) }) { first, _ in first })
      case .reveal(let id, let field):
        let text = field == .code ? Self.code : Self.password
        model.show(Revealed(id: id, field: field, text: text, validUntil: field == .code ? 1_767_225_630 : nil))
      case .nextCode(let id): model.show(Revealed(id: id, field: .nextCode, text: "111 222"))
      case .history(let id): model.show(Self.history(id))
      case .copy(_, let field): model.copied(field.label, seconds: 30)
      case .lock: model.lock("")
      default: break
      }
    }
  }

  mutating func press(_ keys: Key...) { for key in keys { perform(model.press(key)) } }
  mutating func type(_ text: String) { for character in text { perform(model.press(.character(character))) } }

  mutating func resize(_ columns: Int, _ rows: Int) { perform(model.resize(columns: columns, rows: rows)) }

  mutating func wait(_ seconds: Int64) {
    now = Moment(unix: now.unix + seconds, milliseconds: now.milliseconds + seconds * 1000)
    perform(model.tick(now))
  }

  /// What was asked of the vault since this was called last, but for reading what is shown.
  mutating func takeEffects() -> [Effect] {
    defer { effects = [] }
    return effects.filter {
      switch $0 {
      case .open, .time: false
      default: true
      }
    }
  }

  var lines: [String] { model.draw().lines }
  var text: String { lines.joined(separator: "\n") }
}
