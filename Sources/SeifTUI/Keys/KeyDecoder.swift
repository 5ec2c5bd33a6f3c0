/// Keys out of the bytes that a terminal sends. A sequence may come in pieces; what no key has is passed over.
package struct KeyDecoder: Sendable {
  private var rest: [UInt8] = []
  /// Whether the end of a text that is pasted hasn't come yet.
  package private(set) var isPasting = false
  /// Longer than any key's sequence.
  private static let sequenceLimit = 32

  package init() {}

  /// Whether something has begun that may be a key by itself: Escape, if nothing follows soon.
  package var isPending: Bool { !rest.isEmpty }

  package mutating func keys(_ bytes: [UInt8]) -> [Key] {
    rest += bytes
    var keys: [Key] = []
    while !rest.isEmpty {
      guard let (key, count) = Self.first(rest[...]) else { break }
      if let key, let meant = meant(key) { keys.append(meant) }
      rest.removeFirst(count)
    }
    return keys
  }

  /// What is pasted is a text: its line ends and controls are nothing.
  private mutating func meant(_ key: Key) -> Key? {
    switch key {
    case .pasteBegins, .pasteEnds:
      isPasting = key == .pasteBegins
      return nil
    case .character(let character) where isPasting: return .pasted(character)
    default: return isPasting ? nil : key
    }
  }

  /// What is on its way was meant for something else. What is left of a paste stays one to its end.
  package mutating func forget() { if !isPasting { rest = [] } }

  /// Nothing more came: what has begun is a key by itself, or nothing.
  package mutating func flush() -> [Key] {
    defer { rest = [] }
    return rest == [0x1B] ? [.escape] : []
  }

  /// The first key and its length; nil while it isn't whole.
  private static func first(_ bytes: ArraySlice<UInt8>) -> (Key?, Int)? {
    guard let first = bytes.first else { return nil }
    switch first {
    case 0x1B: return sequence(bytes.dropFirst())
    case 0x0D, 0x0A: return (.enter, 1)
    case 0x09: return (.tab, 1)
    case 0x7F, 0x08: return (.backspace, 1)
    case 0x01...0x1A: return (.control(Character(Unicode.Scalar(first + 0x60))), 1)
    case 0x20...0x7E: return (.character(Character(Unicode.Scalar(first))), 1)
    case 0xC2...0xF4:
      let count = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
      let piece = bytes.prefix(count)
      guard piece.dropFirst().allSatisfy({ $0 & 0xC0 == 0x80 }) else { return (nil, 1) }
      guard piece.count == count else { return nil }
      guard let text = String(validating: piece, as: UTF8.self), let character = text.first else { return (nil, count) }
      return (.character(character), count)
    default: return (nil, 1)
    }
  }

  /// What stands behind an Escape.
  private static func sequence(_ rest: ArraySlice<UInt8>) -> (Key?, Int)? {
    guard let kind = rest.first else { return nil }
    switch kind {
    case UInt8(ascii: "["):
      let body = rest.dropFirst()
      guard let end = body.firstIndex(where: { (0x40...0x7E).contains($0) }) else {
        return body.count < sequenceLimit ? nil : (nil, body.count + 2)
      }
      let parameters = String(decoding: body[..<end], as: UTF8.self)
      return (csi(parameters, body[end]), end - body.startIndex + 3)
    case UInt8(ascii: "O"):
      guard let letter = rest.dropFirst().first else { return nil }
      return (csi("", letter), 3)
    // Two Escapes: the first is one by itself.
    case 0x1B: return (.escape, 1)
    // A letter with Alt, which means nothing here.
    default: return (nil, 2)
    }
  }

  private static func csi(_ parameters: String, _ final: UInt8) -> Key? {
    switch Character(Unicode.Scalar(final)) {
    case "A": return .up
    case "B": return .down
    case "C": return .right
    case "D": return .left
    case "H": return .home
    case "F": return .end
    case "M" where parameters.isEmpty: return .enter
    case "Z": return .backTab
    case "~":
      let number = parameters.prefix { $0 != ";" }
      let keys: [Substring: Key] = [
        "1": .home, "7": .home, "4": .end, "8": .end, "3": .delete, "5": .pageUp, "6": .pageDown,
        "200": .pasteBegins, "201": .pasteEnds,
      ]
      return keys[number]
    default: return nil
    }
  }
}
