internal import SeifBytes

/// What bytes that are no known backup look like, from their beginning alone: a help to the person, never a decision.
public enum ContentGuess: Sendable, Hashable, CaseIterable, CustomStringConvertible {
  case empty, json, brokenJSON, html, xml, png, jpeg, gif, webp, heic, pdf, zip, gzip, sevenZip, tar, sqlite
  case keePass, age, openPGP, utf16Text, text, binary

  public var description: String {
    switch self {
    case .empty: "an empty file"
    case .json: "JSON of another kind"
    case .brokenJSON: "JSON that is damaged or cut off"
    case .html: "an HTML page"
    case .xml: "an XML document"
    case .png: "a PNG image"
    case .jpeg: "a JPEG image"
    case .gif: "a GIF image"
    case .webp: "a WebP image"
    case .heic: "a HEIC image"
    case .pdf: "a PDF document"
    case .zip: "a ZIP archive"
    case .gzip: "a gzip file"
    case .sevenZip: "a 7-Zip archive"
    case .tar: "a tar archive"
    case .sqlite: "an SQLite database"
    case .keePass: "a KeePass database"
    case .age: "an age file"
    case .openPGP: "an OpenPGP message"
    case .utf16Text: "UTF-16 text"
    case .text: "text"
    case .binary: "data of an unknown kind"
    }
  }

  /// A guess from at most the first 1024 bytes, and from whether the whole is JSON.
  public init(_ input: FormatInput) {
    let head = input.bytes.withBytes { bytes in
      // EXPOSE: the head of a file that is no backup, compared and dropped here.
      SecretValue(copying: bytes.extracting(0..<min(1024, bytes.byteCount))).exposedBytes()
    }
    self = Self.guess(head, isWhole: input.bytes.byteCount <= 1024, isJSON: (try? input.json.get()) != nil)
  }

  private static let signatures: [(offset: Int, bytes: [UInt8], guess: ContentGuess)] = [
    (0, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], .png), (0, [0xFF, 0xD8, 0xFF], .jpeg),
    (0, Array("GIF8".utf8), .gif), (8, Array("WEBP".utf8), .webp), (4, Array("ftyphe".utf8), .heic),
    (4, Array("ftypmif1".utf8), .heic), (0, Array("%PDF-".utf8), .pdf), (0, [0x50, 0x4B, 0x03, 0x04], .zip),
    (0, [0x50, 0x4B, 0x05, 0x06], .zip), (0, [0x1F, 0x8B], .gzip),
    (0, [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], .sevenZip), (257, Array("ustar".utf8), .tar),
    (0, Array("SQLite format 3\u{0}".utf8), .sqlite), (0, [0x03, 0xD9, 0xA2, 0x9A], .keePass),
    (0, Array("age-encryption.org/".utf8), .age), (0, Array("-----BEGIN AGE ".utf8), .age),
    (0, Array("-----BEGIN PGP ".utf8), .openPGP), (0, [0xFF, 0xFE], .utf16Text), (0, [0xFE, 0xFF], .utf16Text),
  ]

  private static func guess(_ head: [UInt8], isWhole: Bool, isJSON: Bool) -> ContentGuess {
    if let found = signatures.first(where: { head.dropFirst($0.offset).starts(with: $0.bytes) }) { return found.guess }
    let start = head.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    let text = head.dropFirst(start).drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    guard let first = text.first else { return head.isEmpty || isWhole ? .empty : .text }
    if isJSON { return .json }
    let lower = text.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    if ["<!doctype html", "<html", "<head", "<body"].contains(where: { lower.starts(with: $0.utf8) }) { return .html }
    if first == 0x3C, lower.starts(with: "<?xml".utf8) { return .xml }
    if first == 0x7B || first == 0x5B { return .brokenJSON }
    // A character cut in the middle by the limit of what is looked at costs at most three bytes.
    let tail = isWhole ? 0...0 : 0...3
    let isText = tail.contains { String(validating: text.dropLast($0), as: UTF8.self) != nil }
    return isText && !text.contains { $0 < 0x20 && ![0x09, 0x0A, 0x0C, 0x0D, 0x1B].contains($0) } ? .text : .binary
  }
}
