internal import SeifBytes
internal import SeifHTTPFields
internal import SeifHTTPServer
internal import SeifServerStore

/// A sealed document on its way out: as it is, or in base64, whole or a part.
struct ObjectDownload {
  let row: ObjectRow
  let reader: any BlobReader
  let isText: Bool

  /// Bytes of what is sent whole.
  private var byteCount: Int { isText ? (row.byteCount + 2) / 3 * 4 : row.byteCount }

  private var tag: String { "\"\(Base16.encode(Array(row.sha256.prefix(16))))\(isText ? "-base64" : "")\"" }

  func answer(_ head: HTTPRequestHead) throws(VaultProblem) -> HTTPAnswer {
    guard reader.byteCount == row.byteCount else { throw .damaged }
    let fields =
      WireAnswer.fields + [
        HTTPField("Content-Type", isText ? "text/plain" : "application/octet-stream"), HTTPField("ETag", tag),
        HTTPField("Accept-Ranges", "bytes"), HTTPField("Vary", "Accept"), VaultController.attachment,
      ]
    if head.values("If-None-Match").contains(tag) { return HTTPAnswer(304, fields: fields) }
    let matches = head.values("If-Range").isEmpty || head.values("If-Range") == [tag]
    guard matches, let range = try ByteRange.of(head.values("Range"), byteCount: byteCount) else {
      return HTTPAnswer(200, fields: fields, body: body(0..<byteCount))
    }
    let place = HTTPField("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(byteCount)")
    return HTTPAnswer(206, fields: fields + [place], body: body(range))
  }

  private func body(_ range: Range<Int>) -> HTTPAnswerBody {
    if isText { return .pieces(Base64Pieces(reader, start: range.lowerBound), byteCount: range.count) }
    if let descriptor = reader.duplicateDescriptor() {
      return .file(OpenedFile(descriptor), offset: range.lowerBound, byteCount: range.count)
    }
    return .pieces(RawPieces(reader, start: range.lowerBound), byteCount: range.count)
  }
}

/// One range of bytes (RFC 9110 §14.2).
enum ByteRange {
  /// The one range that is asked for; nil: all is to be sent, since none is, or several, or it can't be read.
  ///
  /// - Throws: `range` for one that begins behind the end.
  static func of(_ fields: [String], byteCount: Int) throws(VaultProblem) -> Range<Int>? {
    guard fields.count == 1, fields[0].hasPrefix("bytes="), !fields[0].contains(",") else { return nil }
    let parts = fields[0].dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    func number(_ text: Substring) -> Int? {
      text.utf8.allSatisfy { (0x30...0x39).contains($0) } && (1...18).contains(text.utf8.count) ? Int(text) : nil
    }
    if parts[0].isEmpty {
      guard let count = number(parts[1]) else { return nil }
      guard count > 0, byteCount > 0 else { throw .range(byteCount: byteCount) }
      return max(0, byteCount - count)..<byteCount
    }
    guard let first = number(parts[0]) else { return nil }
    let last = parts[1].isEmpty ? byteCount - 1 : number(parts[1])
    guard let last, last >= first || parts[1].isEmpty else { return nil }
    guard first < byteCount else { throw .range(byteCount: byteCount) }
    return first..<min(byteCount, last + 1)
  }
}

/// A blob in base64, a piece after another.
final class Base64Pieces: HTTPPieces {
  private let reader: any BlobReader
  private let start: Int

  /// - Parameter start: the place in the text where the body begins.
  init(_ reader: any BlobReader, start: Int) {
    self.reader = reader
    self.start = start
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
    let place = start + offset
    // Whole groups, of which the first may be wanted from its middle.
    let groups = (place % 4 + buffer.count + 3) / 4
    var source = [UInt8](repeating: 0, count: groups * 3)
    let count = source.withUnsafeMutableBytes { source in
      var filled = 0
      while filled < source.count,
        case let rest = UnsafeMutableRawBufferPointer(rebasing: source[filled...]),
        let count = try? reader.read(into: rest, at: place / 4 * 3 + filled), count > 0
      { filled += count }
      return filled
    }
    // EXPOSE: sealed.
    let text = Base64.encode(Array(source.prefix(count)).span.bytes).exposedBytes().dropFirst(place % 4)
    let part = text.prefix(buffer.count)
    buffer.copyBytes(from: part)
    return part.count
  }
}

/// A blob as it is, where its file can't be sent.
final class RawPieces: HTTPPieces {
  private let reader: any BlobReader
  private let start: Int

  init(_ reader: any BlobReader, start: Int) {
    self.reader = reader
    self.start = start
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
    (try? reader.read(into: buffer, at: start + offset)) ?? 0
  }
}
