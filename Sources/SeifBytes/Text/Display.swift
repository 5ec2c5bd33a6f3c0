/// Names as they may be shown on a terminal.
package enum Display {
  /// The text with every C0 and C1 control, ESC, line separator and bidi control replaced by U+FFFD: a name from a file
  /// must not move the cursor, recolour the screen, fake a line or turn the reading order.
  package static func cleaned(_ text: String) -> String { cleaned(text[...]) }

  package static func cleaned(_ text: Substring) -> String {
    if CellWidth.ofPlain(text) != nil { return String(text) }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { result.append(isHarmful(scalar) ? "\u{FFFD}" : scalar) }
    return String(result)
  }

  package static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1F, 0x7F...0x9F: true
    // A soft hyphen, which terminals show or don't.
    case 0xAD: true
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    case 0x2028, 0x2029, 0xFEFF, 0xFFF9...0xFFFB, 0xE0001, 0xE0020...0xE007E: true
    default: false
    }
  }
}
