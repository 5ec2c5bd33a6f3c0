internal import SeifBytes

/// The same vault for who listens: lines that are only ever added, numbered menus, one prompt. No boxes, no bars, nothing
/// that is drawn again.
package struct PlainDialogue: Sendable {
  private enum Place: Equatable {
    case kinds
    /// The entries that are offered, and how many of them were read out.
    case list(title: String, [Int], shown: Int)
    case entry(Int)
    /// A login's passwords from before.
    case history(Int)
  }

  /// Entries that are read out at once.
  static let pageSize = 20

  private let vaultName: String
  private let fold: @Sendable (String) -> String
  private let wrap: @Sendable (String) -> String
  private var items: [Item] = []
  private var place = Place.kinds
  private var before: [Place] = []
  private var details: Details?
  private var history: Details?
  /// Where the chosen entry stands in the list that it was chosen from.
  private var position = ""
  /// What is yet to be said.
  private var said: [String] = []

  /// - Parameter wrap: breaks a sentence for the terminal's width, at line feeds.
  package init(
    vaultName: String, fold: @escaping @Sendable (String) -> String,
    wrap: @escaping @Sendable (String) -> String = { $0 }
  ) {
    self.wrap = wrap
    self.vaultName = vaultName
    self.fold = fold
  }

  /// The lines since this was asked last. Names are cleaned.
  package mutating func takeLines() -> [String] {
    defer { said = [] }
    return said
  }

  /// The one prompt.
  package static let prompt = "Your choice: "

  package mutating func say(_ text: String) {
    said += wrap(Display.cleaned(text)).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  // MARK: - From outside

  package mutating func show(_ items: [Item]) {
    self.items = items
    place = .kinds
    before = []
    sayPlace()
  }

  /// An entry's fields; its menu is read out.
  package mutating func show(_ details: Details) {
    if details.isHistory {
      guard case .entry(let index) = place else { return }
      if details.rows.isEmpty { return say("It has had no other password here.") }
      history = details
      go(.history(index))
      return sayPlace()
    }
    self.details = details
    sayPlace()
  }

  /// A secret was asked for.
  package mutating func show(_ secret: Revealed) {
    for line in secret.text.split(whereSeparator: \.isNewline) { said.append(Display.cleaned(line)) }
  }

  // MARK: - Answers

  /// What was typed.
  package mutating func answer(_ line: String) -> [Effect] {
    let text = line.trimmed
    switch (place, text) {
    case (_, "q"): return [.quit]
    case (_, "?"):
      sayPlace()
      return []
    case (_, "u"): return [.undo]
    case (_, "a"):
      say("Say a code, a login, a card or a note: type ac, al, ad or an.")
      return []
    case (_, "ac"): return [.add(.codes)]
    case (_, "al"): return [.add(.logins)]
    case (_, "ad"): return [.add(.cards)]
    case (_, "an"): return [.add(.notes)]
    case (_, "l"): return [.lock]
    case (.kinds, _): return chooseKind(text)
    case (_, "b"):
      place = before.popLast() ?? .kinds
      sayPlace()
      return []
    case (.list, _): return chooseEntry(text)
    case (.entry(let index), _): return chooseField(text, items[index])
    case (.history(let index), _): return choosePassword(text, items[index])
    }
  }

  private var kinds: [ItemKind] { ItemKind.allCases.filter { kind in items.contains { $0.kind == kind } } }

  private mutating func go(_ next: Place) {
    before.append(place)
    place = next
  }

  private mutating func chooseKind(_ text: String) -> [Effect] {
    if text.isEmpty {
      sayPlace()
      return []
    }
    guard let number = Int(text) else { return find(text) }
    guard number > 0, kinds.indices.contains(number - 1) else { return wrong() }
    let kind = kinds[number - 1]
    go(.list(title: kind.title, items.indices.filter { items[$0].kind == kind }, shown: 0))
    sayPlace()
    return []
  }

  private mutating func find(_ text: String) -> [Effect] {
    let part = fold(text)
    let hits = items.indices.filter { items[$0].searchText.utf8Span.span.contains(part.utf8Span.span) }
    if hits.isEmpty {
      say("Nothing fits \(text).")
      return []
    }
    go(.list(title: "Found", hits, shown: 0))
    sayPlace()
    return []
  }

  private mutating func chooseEntry(_ text: String) -> [Effect] {
    guard case .list(let title, let entries, let shown) = place else { return [] }
    if text == "m" || text.isEmpty, shown < entries.count {
      sayPage(title, entries, from: shown)
      return []
    }
    guard let number = Int(text) else { return text.isEmpty ? wrong() : find(text) }
    guard number > 0, entries.indices.contains(number - 1) else { return wrong() }
    let index = entries[number - 1]
    go(.entry(index))
    details = nil
    position = "\(number) of \(entries.count)"
    return [.open(items[index].id)]
  }

  private mutating func chooseField(_ text: String, _ item: Item) -> [Effect] {
    if item.kind == .bin {
      if text == "1" { return [.restore(item.id)] }
      return wrong()
    }
    let fields = fields
    if let number = text.isEmpty ? 1 : Int(text) {
      guard number > 0, fields.indices.contains(number - 1) else { return wrong() }
      return [.copy(item.id, field: fields[number - 1])]
    }
    switch text {
    case "r":
      guard let field = item.kind.mainField, let row = details?.rows.first(where: { $0.field == field }) else {
        return wrong()
      }
      if row.value == .code(.counter) {
        say("This account counts, and a code that is shown is used up: type n for its next one.")
        return []
      }
      say("This stays on the screen:")
      return [.reveal(item.id, field: field)]
    case "n" where hasCode:
      say("This stays on the screen:")
      return [.nextCode(item.id)]
    case "p" where item.kind == .logins: return [.history(item.id)]
    case "e": return [.edit(item.id)]
    case "d": return [.remove(item.id)]
    case "f": return [.setFavorite(item.id, !item.isFavorite)]
    default: return wrong()
    }
  }

  private mutating func choosePassword(_ text: String, _ item: Item) -> [Effect] {
    let act = text.first == "r" || text.first == "p" ? text.first : nil
    let number = text.isEmpty ? "1" : text.dropFirst(act == nil ? 0 : 1)
    guard let place = Int(number), place > 0, let rows = history?.rows, rows.indices.contains(place - 1),
      let field = rows[place - 1].field
    else { return wrong() }
    switch act {
    case "r":
      say("This stays on the screen:")
      return [.reveal(item.id, field: field)]
    case "p": return [.bringBack(item.id, field: field)]
    default: return [.copy(item.id, field: field)]
    }
  }

  private mutating func wrong() -> [Effect] {
    say("That isn't one of the choices. Type ? to hear them again.")
    return []
  }

  private var hasCode: Bool {
    details?.rows.contains { if case .code = $0.value { true } else { false } } == true
  }

  /// What can be copied, the main value first.
  private var fields: [Field] {
    guard let details, case .entry(let index) = place else { return [] }
    var seen: Set<Field> = [.nextCode]
    let all = details.rows.compactMap(\.field).filter { seen.insert($0).inserted }
    let main = items[index].kind.mainField
    return all.filter { $0 == main } + all.filter { $0 != main }
  }

  // MARK: - What is said

  private mutating func sayPlace() {
    switch place {
    case .kinds:
      say("Seif, \(vaultName). Unlocked.")
      for (index, kind) in kinds.enumerated() {
        say("\(index + 1) \(kind.title), \(items.count { $0.kind == kind })")
      }
      if items.isEmpty { say("The vault is empty.") }
      say("A number opens a list; a part of a name finds entries. a adds, u undoes, l locks, q quits.")
    case .list(let title, let entries, _): sayPage(title, entries, from: 0)
    case .entry(let index): sayEntry(items[index])
    case .history(let index): sayHistory(items[index])
    }
  }

  private mutating func sayHistory(_ item: Item) {
    let rows = history?.rows ?? []
    say("\(Self.label(item)), passwords from before, \(rows.count)")
    for (index, row) in rows.enumerated() {
      say("\(index + 1) copy that replaced \(row.label)\(index == 0 ? ", also by Enter" : "")")
    }
    say("r1 reveals the first, which stays on the screen; p1 makes it the present password; and so on.")
    say("b goes back, q quits.")
  }

  private mutating func sayPage(_ title: String, _ entries: [Int], from start: Int) {
    if start == 0 { say("\(title), \(entries.count).") }
    let end = min(entries.count, start + Self.pageSize)
    let isMixed = Set(entries.map { items[$0].kind }).count > 1
    for place in start..<end {
      let item = items[entries[place]]
      let kind = !isMixed ? "" : item.kind == .bin ? ", in the bin" : ", \(item.kind.word)"
      say("\(place + 1) \(Self.label(item))\(kind)")
    }
    place = .list(title: title, entries, shown: end)
    let more = end < entries.count ? " m reads \(entries.count - end) more." : ""
    say("A number chooses an entry.\(more) b goes back, q quits.")
  }

  private mutating func sayEntry(_ item: Item) {
    say("\(Self.label(item)), \(position)")
    guard let details, details.id == item.id else { return }
    for row in details.rows {
      if case .text(let text) = row.value, row.label != "name" { say("\(row.label): \(text)") }
    }
    if item.kind == .bin {
      say("1 bring it back")
      return say("b goes back, q quits.")
    }
    for (index, field) in fields.enumerated() {
      say("\(index + 1) copy \(field.label)\(index == 0 ? ", also by Enter" : "")")
    }
    if item.kind.mainField != nil { say("r reveal, which stays on the screen") }
    if hasCode { say("n the next code, which stays on the screen") }
    if item.kind == .logins { say("p the passwords from before") }
    say("e edits, d puts it into the bin, f \(item.isFavorite ? "is no favourite any more" : "makes it a favourite").")
    say("b goes back, q quits.")
  }

  private static func label(_ item: Item) -> String {
    let parts = [item.name, item.account].filter { !$0.isEmpty }
    return (parts.isEmpty ? "(no name)" : parts.joined(separator: ", ")) + (item.isFavorite ? ", favourite" : "")
  }
}

extension String {
  fileprivate var trimmed: String {
    var text = drop { $0 == " " }
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
