/// How many cells of a terminal a text takes, by grapheme cluster.
package enum CellWidth {
  /// The width of a text. Controls count as one cell: they are shown as U+FFFD.
  package static func of(_ text: String) -> Int { of(text[...]) }

  package static func of(_ text: Substring) -> Int {
    ofPlain(text) ?? text.reduce(0) { $0 + of($1) }
  }

  /// The width of a text of nothing but characters that are one scalar and one cell each and harmless to show: ASCII,
  /// Latin with its marks composed, dashes, quotes, bullets, ellipses. Nil for any other, which needs a closer look.
  ///
  /// Nearly all names are such, and lists are long.
  package static func ofPlain(_ text: Substring) -> Int? {
    let bytes = text.utf8Span.span
    var cells = 0
    var index = 0
    while index < bytes.count {
      switch bytes[index] {
      case 0x20...0x7E: index += 1
      // U+00C0 to U+02FF.
      case 0xC3...0xCB: index += 2
      // U+2010 to U+2027.
      case 0xE2 where index + 2 < bytes.count && bytes[index + 1] == 0x80 && (0x90...0xA7).contains(bytes[index + 2]):
        index += 3
      default: return nil
      }
      cells += 1
    }
    return cells
  }

  /// The width of one grapheme cluster: what its base takes; two where it is an emoji by presentation or by variation
  /// selector, or a flag.
  package static func of(_ character: Character) -> Int {
    if let ascii = character.asciiValue { return ascii == 0 ? 0 : 1 }
    let scalars = character.unicodeScalars
    guard let base = scalars.first else { return 0 }
    if scalars.count > 1, scalars.contains(where: { $0.value == 0xFE0F }), base.properties.isEmoji { return 2 }
    if base.properties.isEmojiPresentation { return 2 }
    switch base.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    case .format where !Display.isHarmful(base): return 0
    default: return isWide(base.value) ? 2 : 1
    }
  }

  /// The text cut to a width, `…` at its end where something was left out.
  package static func shortened(_ text: String, to width: Int, ellipsis: String = "…") -> String {
    if of(text) <= width { return text }
    let mark = of(ellipsis)
    guard width > mark else { return width == mark ? ellipsis : "" }
    var result = ""
    var used = mark
    for character in text {
      let cells = of(character)
      if used + cells > width { break }
      result.append(character)
      used += cells
    }
    return result + ellipsis
  }

  /// East Asian Wide and Fullwidth, the ranges of Unicode's EastAsianWidth.txt joined across unassigned gaps.
  private static func isWide(_ value: UInt32) -> Bool {
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF: true
    case 0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F: true
    case 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F2FF: true
    case 0x20000...0x3FFFD: true
    default: false
    }
  }
}
