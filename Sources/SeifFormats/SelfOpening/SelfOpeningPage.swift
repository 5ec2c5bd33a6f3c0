public import SeifBytes

/// The page around a self-opening backup: HTML that holds an `.authbackup` as it is, in one data block. See
/// docs/formats/self-opening.md.
public struct SelfOpeningPage: Sendable {
  /// The largest template that is taken, in bytes.
  public static let templateLimit = 1 << 20

  private static let opening = Array(#"<script type="application/json" id="seif-backup">"#.utf8)
  private static let closing = Array("</script>".utf8)
  // What makes an element the block for a browser.
  private static let name = Array(#"id="seif-backup""#.utf8)

  private let before: SecretValue
  private let after: SecretValue

  /// A page from its template, in which the block stands empty; nil: these bytes are none.
  public init?(template: SecretValue) {
    let parts = template.withBytes { bytes -> (SecretValue, SecretValue)? in
      guard bytes.byteCount <= Self.templateLimit, let block = Self.block(of: bytes), block.isSound,
        block.content.isEmpty
      else { return nil }
      return (
        SecretValue(copying: bytes.extracting(0..<block.content.lowerBound)),
        SecretValue(copying: bytes.extracting(block.content.upperBound..<bytes.byteCount))
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

  /// The backup in a page, or nil for bytes that are no such page. Of a page that another reader could find another one
  /// in it is empty, which no reader takes for a backup.
  static func backup(in file: SecretValue) -> SecretValue? {
    file.withBytes { bytes in
      block(of: bytes).map { $0.isSound ? SecretValue(copying: bytes.extracting($0.content)) : .empty }
    }
  }

  // The block's contents, and whether every reader finds the same. One that nothing ends goes to the end of the file: it
  // was cut off.
  private static func block(of bytes: RawSpan) -> (content: Range<Int>, isSound: Bool)? {
    let count = bytes.byteCount
    guard isPage(bytes), let start = first(opening, in: bytes, 0..<count) else { return nil }
    let content = start + opening.count
    let end = first([0x3C], in: bytes, content..<count) ?? count
    let isEnded = end == count || first(closing, in: bytes, end..<min(end + closing.count, count)) == end
    return (content..<end, isEnded && occursOnce(name, in: bytes) && !isInComment(start, of: bytes))
  }

  private static func occursOnce(_ wanted: [UInt8], in bytes: RawSpan) -> Bool {
    guard let one = first(wanted, in: bytes, 0..<bytes.byteCount, foldingCase: true) else { return false }
    return first(wanted, in: bytes, one + 1..<bytes.byteCount, foldingCase: true) == nil
  }

  // Whether the last comment that begins before an offset doesn't end before it.
  private static func isInComment(_ offset: Int, of bytes: RawSpan) -> Bool {
    var last: Int?
    while let next = first(Array("<!--".utf8), in: bytes, (last ?? -1) + 1..<offset) { last = next }
    return last.map { first(Array("-->".utf8), in: bytes, $0..<offset) == nil } ?? false
  }

  // Whatever a browser that saved the page made of its first line.
  private static func isPage(_ bytes: RawSpan) -> Bool {
    let begin = Array("<!doctype html".utf8)
    guard bytes.byteCount >= begin.count else { return false }
    return first(begin, in: bytes, begin.indices, foldingCase: true) == 0
  }

  // `foldingCase`: in any letter case; `wanted` is in small letters then.
  private static func first(
    _ wanted: [UInt8], in bytes: RawSpan, _ range: Range<Int>, foldingCase: Bool = false
  ) -> Int? {
    guard range.count >= wanted.count else { return nil }
    for start in range.lowerBound...range.upperBound - wanted.count {
      var matched = 0
      while matched < wanted.count {
        let byte = bytes.byte(start + matched)
        let isCapital = foldingCase && 0x41 <= byte && byte <= 0x5A
        guard (isCapital ? byte | 0x20 : byte) == wanted[matched] else { break }
        matched += 1
      }
      if matched == wanted.count { return start }
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
