internal import SeifBytes

/// What keys do.
extension Model {
  /// A key was pressed.
  /// - Returns: what is to be done, in order.
  package mutating func press(_ key: Key) -> [Effect] {
    if case .locked = phase { return pressLocked(key) }
    // Nothing can be seen, so nothing is done.
    if layout.shape == .tooSmall { return keys.action(key) == .quit ? [.quit] : [] }
    var effects: [Effect] = []
    if isTyping {
      type(key)
    } else if overlay != nil {
      effects = pressOverlay(key)
    } else if let action = keys.action(key) {
      effects = act(action)
    }
    return effects + needs()
  }

  private func pressLocked(_ key: Key) -> [Effect] {
    switch keys.action(key) {
    case .copy: [.unlock]
    case .quit: [.quit]
    case .redraw: [.reload]
    default: []
    }
  }

  /// A key while the filter is typed.
  private mutating func type(_ key: Key) {
    switch key {
    case .character(let character), .pasted(let character):
      // Longer than any name that fits.
      if filter.utf8.count < 200 { filter.append(character) }
    case .backspace: if !filter.isEmpty { filter.removeLast() }
    case .control("u"): filter = ""
    case .enter, .tab:
      isTyping = false
      // What was looked for may be of another kind.
      if list.isEmpty, let other = kinds.first(where: { counts[$0] ?? 0 > 0 }) { kind = other }
    case .escape:
      isTyping = false
      filter = ""
    case .up: return move(by: -1)
    case .down: return move(by: 1)
    default: return
    }
    refresh(isNew: true)
  }

  private mutating func act(_ action: Action) -> [Effect] {
    switch action {
    case .up: move(by: -1)
    case .down: move(by: 1)
    case .pageUp: move(by: -max(1, layout.listHeight - 1))
    case .pageDown: move(by: max(1, layout.listHeight - 1))
    case .top: move(by: -Int(Int32.max))
    case .bottom: move(by: Int(Int32.max))
    case .left: go(-1, around: false)
    case .right: go(1, around: false)
    case .nextPane: go(1, around: true)
    case .previousPane: go(-1, around: true)
    case .previousKind: turn(-1)
    case .nextKind: turn(1)
    case .back: back()
    case .search:
      if focus != .list { leave(to: .list) }
      isTyping = true
    case .sort:
      order = Order(rawValue: (order.rawValue + 1) % Order.allCases.count) ?? .own
      refresh()
      say("Sorted: \(order.words).")
    case .help: overlay = .help(top: 0)
    case .add: overlay = .kinds(selected: 0)
    case .lock: return [.lock]
    case .quit: return [.quit]
    case .redraw: return [.reload]
    case .undo: return [.undo]
    case .copy, .fields, .reveal, .next, .edit, .remove, .favourite, .history, .bringBack: return actOnEntry(action)
    }
    return []
  }

  private mutating func actOnEntry(_ action: Action) -> [Effect] {
    if action == .copy, focus == .kinds {
      leave(to: .list)
      return []
    }
    guard let item = selected else {
      say("There is no entry here.")
      return []
    }
    if action == .copy, layout.shape == .one, focus == .list {
      focus = .details
      return []
    }
    if kind == .bin {
      if action == .copy { return [.restore(item.id)] }
      say("This lies in the bin: \(keys.keys(.copy).first?.name ?? "") brings it back.")
      return []
    }
    switch action {
    case .copy: return copy(item)
    case .fields:
      if fields.isEmpty { say("It has no field to copy.") } else { overlay = .fields(selected: 0) }
    case .reveal: return reveal(item)
    case .next: return next(item)
    case .edit: return [.edit(item.id)]
    case .remove:
      hide()
      return [.remove(item.id)]
    case .favourite: return [.setFavorite(item.id, !item.isFavorite)]
    case .history:
      if showsHistory {
        closeHistory()
      } else if kind == .logins {
        return [.history(item.id)]
      } else {
        say("Only of logins passwords from before are kept.")
      }
    case .bringBack:
      guard showsHistory, let field = currentRow?.field else {
        say("For passwords from before: \(keys.keys(.history).first?.name ?? "seif history")")
        break
      }
      hide()
      return [.bringBack(item.id, field: field)]
    default: break
    }
    return []
  }

  /// Goes back to the entry, which is read again.
  private mutating func closeHistory() {
    hide()
    details = nil
  }

  // MARK: - Secrets

  private mutating func copy(_ item: Item) -> [Effect] {
    guard let field = currentRow?.field ?? (focus == .details ? nil : kind.mainField) else {
      say(focus == .details ? "This row isn't copied." : "See: seif show")
      return []
    }
    return [.copy(item.id, field: field)]
  }

  private mutating func reveal(_ item: Item) -> [Effect] {
    guard let row = currentRow, let field = row.field else {
      say("Nothing is hidden here.")
      return []
    }
    if revealed?.id == item.id, revealed?.field == field {
      hide()
      return []
    }
    switch row.value {
    case .text:
      say("Nothing is hidden here.")
      return []
    case .code(.counter):
      say("This account counts, and a code that is shown is used up: n makes its next one.")
      return []
    case .nextCode: return next(item)
    case .secret, .code: break
    }
    hide()
    lastRevealed = nil
    if layout.shape == .one, kind != .codes { open(field) }
    return [.reveal(item.id, field: field)]
  }

  private mutating func next(_ item: Item) -> [Effect] {
    if showsHistory {
      say("These are passwords from before: \(keys.keys(.back).first?.name ?? "") goes back to the entry.")
      return []
    }
    guard details?.rows.contains(where: { if case .code = $0.value { true } else { false } }) == true else {
      say("It has no codes.")
      return []
    }
    hide()
    lastRevealed = nil
    if layout.shape == .one, focus == .list { open(.nextCode) }
    return [.nextCode(item.id)]
  }

  /// Goes to the row of a field, where one pane is all there is.
  private mutating func open(_ field: Field) {
    focus = .details
    detailRow = details?.rows.firstIndex { $0.field == field } ?? 0
  }

  /// The fields that can be copied, the main one first.
  var fields: [Field] {
    guard let details, details.id == selected?.id else { return [] }
    var seen: Set<Field> = []
    let all = details.rows.compactMap(\.field).filter { seen.insert($0).inserted }
    return all.filter { $0 == kind.mainField } + all.filter { $0 != kind.mainField }
  }

  // MARK: - Moving

  private mutating func move(by steps: Int) {
    switch focus {
    case .kinds:
      turn(steps < -1 ? -kinds.count : steps > 1 ? kinds.count : steps)
    case .list:
      var place = places[kind] ?? Place()
      place.index = max(0, min(list.count - 1, place.index + steps))
      places[kind] = place
      scroll()
    case .details:
      if abs(steps) > 1, abs(steps) < Int(Int32.max), scrollDetails(by: steps) { return }
      let count = details?.rows.count ?? 0
      let before = detailRow
      detailRow = max(0, min(count - 1, detailRow + steps))
      if detailRow != before { hide() }
    }
  }

  /// Scrolls a row that is longer than the pane, such as a note that is shown.
  private mutating func scrollDetails(by steps: Int) -> Bool {
    guard let details else { return false }
    let box = layout.details
    let lines = detailLines(details, width: detailWidth(details, box)).count { $0.row == detailRow }
    let hidden = lines - (box.height - 2)
    guard hidden > 0 else { return false }
    detailScroll = max(0, min(hidden, detailScroll + steps))
    return true
  }

  /// To the next pane that can be seen.
  private mutating func go(_ steps: Int, around: Bool) {
    let panes: [Pane] = layout.shape == .three ? [.kinds, .list, .details] : [.list, .details]
    guard let index = panes.firstIndex(of: focus) else { return leave(to: .list) }
    let target = around ? (index + steps + panes.count) % panes.count : max(0, min(panes.count - 1, index + steps))
    if panes[target] == .details, details == nil { return }
    if target != index { leave(to: panes[target]) }
  }

  /// What was revealed in one pane isn't what the other speaks of.
  private mutating func leave(to pane: Pane) {
    hide()
    focus = pane
    if pane == .details { detailRow = 0 } else if showsHistory { closeHistory() }
  }

  /// To another kind; at the ends it stays.
  private mutating func turn(_ steps: Int) {
    let kinds = kinds
    let index = kinds.firstIndex(of: kind) ?? 0
    let target = kinds[max(0, min(kinds.count - 1, index + steps))]
    guard target != kind else { return }
    hide()
    kind = target
    if focus == .details { focus = .list }
    refresh()
  }

  private mutating func back() {
    if revealed != nil {
      hide()
    } else if showsHistory {
      closeHistory()
    } else if layout.shape == .one, focus == .details {
      focus = .list
    } else if !filter.isEmpty {
      filter = ""
      refresh()
    } else if focus == .details {
      leave(to: .list)
    }
    message = nil
  }

  // MARK: - What lies over the panes

  private mutating func pressOverlay(_ key: Key) -> [Effect] {
    guard let shown = overlay else { return [] }
    let action = keys.action(key)
    if action == .back || action == .quit || action == .help {
      overlay = nil
      return []
    }
    let steps = action == .up ? -1 : action == .down ? 1 : action == .pageUp ? -10 : action == .pageDown ? 10 : 0
    switch shown {
    case .help(let top):
      overlay = .help(top: max(0, min(helpLines.count - helpHeight, top + steps)))
    case .fields(let selected):
      let fields = fields
      if let chosen = choice(key, selected, fields.count), let item = self.selected {
        overlay = nil
        return [.copy(item.id, field: fields[chosen])]
      }
      overlay = .fields(selected: max(0, min(fields.count - 1, selected + steps)))
    case .kinds(let selected):
      if let chosen = choice(key, selected, Self.added.count) {
        overlay = nil
        return [.add(Self.added[chosen])]
      }
      overlay = .kinds(selected: max(0, min(Self.added.count - 1, selected + steps)))
    }
    return []
  }

  /// The kinds that can be added.
  static let added: [ItemKind] = [.codes, .logins, .cards, .notes]

  /// What Enter or a digit chooses.
  private func choice(_ key: Key, _ selected: Int, _ count: Int) -> Int? {
    let index: Int
    if keys.action(key) == .copy {
      index = selected
    } else if case .character(let character) = key, let digit = character.wholeNumberValue, character.isASCII {
      index = digit - 1
    } else {
      return nil
    }
    return (0..<count).contains(index) ? index : nil
  }
}
