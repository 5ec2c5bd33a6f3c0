public import SeifBytes

/// The page around a self-opening backup: HTML that holds an `.authbackup` as it is, in one data block. See
/// docs/formats/self-opening.md.
public struct SelfOpeningPage: Sendable {
  /// The largest template that is taken, in bytes. The block begins in the first so many bytes of a file too.
  public static let templateLimit = 1 << 20

  private static let opening = Array(#"<script type="application/json" id="seif-backup">"#.utf8)
  private static let closing = Array("</script>".utf8)

  private let before: SecretValue
  private let after: SecretValue

  /// A page from its template, in which the block stands empty; nil: these bytes are none.
  public init?(template: SecretValue) {
    let parts = template.withBytes { bytes -> (SecretValue, SecretValue)? in
      guard bytes.byteCount <= Self.templateLimit, let block = Self.block(of: bytes), block.isEmpty else { return nil }
      return (
        SecretValue(copying: bytes.extracting(0..<block.lowerBound)),
        SecretValue(copying: bytes.extracting(block.upperBound..<bytes.byteCount))
      )
    }
    guard let parts else { return nil }
    (before, after) = parts
  }

  /// The page with a backup in it.
  ///
  /// - Parameter backup: JSON. A `<`, which could end the block, can stand in its strings alone and is escaped there.
  func holding(_ backup: SecretValue) -> SecretValue {
    var text = SecretBuffer(capacity: before.byteCount + backup.byteCount + after.byteCount + 64)
    text.append(before)
    text.append(0x0A)
    backup.withBytes { bytes in
      for offset in 0..<bytes.byteCount {
        let byte = bytes.byte(offset)
        if byte == 0x3C { text.append(utf8: "\\u003c") } else { text.append(byte) }
      }
    }
    text.append(after)
    return text.finish()
  }

  /// The backup in a page, or nil for bytes that are no such page.
  static func backup(in file: SecretValue) -> SecretValue? {
    file.withBytes { bytes in
      block(of: bytes).map { SecretValue(copying: bytes.extracting($0)) }
    }
  }

  // The block's contents; one that nothing ends goes to the end of the file: it was cut off.
  private static func block(of bytes: RawSpan) -> Range<Int>? {
    guard isPage(bytes) else { return nil }
    let searched = min(bytes.byteCount, templateLimit)
    guard let start = first(opening, in: bytes, 0..<searched) else { return nil }
    let content = start + opening.count
    return content..<(first(closing, in: bytes, content..<bytes.byteCount) ?? bytes.byteCount)
  }

  // Whatever a browser that saved the page made of its first line.
  private static func isPage(_ bytes: RawSpan) -> Bool {
    let begin = Array("<!doctype html".utf8)
    guard bytes.byteCount >= begin.count else { return false }
    return begin.indices.allSatisfy { offset in
      let byte = bytes.byte(offset)
      return begin[offset] == ((0x41...0x5A).contains(byte) ? byte | 0x20 : byte)
    }
  }

  private static func first(_ wanted: [UInt8], in bytes: RawSpan, _ range: Range<Int>) -> Int? {
    guard range.count >= wanted.count else { return nil }
    for start in range.lowerBound...range.upperBound - wanted.count where bytes.byte(start) == wanted[0] {
      if wanted.indices.allSatisfy({ bytes.byte(start + $0) == wanted[$0] }) { return start }
    }
    return nil
  }
}

extension RawSpan {
  // Checked: outside of the span it stops the program, as an array does.
  fileprivate func byte(_ offset: Int) -> UInt8 {
    unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }
}
