internal import SeifCommandLine
internal import SeifBytes

/// Text with references in double braces: `{{ seif://ITEM/FIELD }}`. Other double braces are text.
struct Template: Sendable {
  enum Piece: Sendable, Equatable {
    case text(Range<Int>)
    case reference(Int)
  }

  /// What is wrong with a template, and where.
  struct Fault: Error, Equatable {
    enum Code: Equatable {
      case reference(Reference.Fault.Code)
      case notClosed
      case tooMany
    }
    let code: Code
    /// From 1; columns count characters.
    let line: Int
    let column: Int
    let what: String

    static func == (left: Fault, right: Fault) -> Bool {
      left.code == right.code && left.line == right.line && left.column == right.column
    }
  }

  /// The most references in one text.
  static let referenceLimit = 1024

  private let text: SecretValue
  let pieces: [Piece]
  let references: [Reference]
  /// Where each reference begins: line and column, from 1.
  let places: [(line: Int, column: Int)]

  init(_ text: SecretValue) throws(Fault) {
    let parsed = try text.withBytes { (bytes) throws(Fault) in
      try bytes.withUnsafeBytes { (buffer) throws(Fault) in try Self.parse(buffer) }
    }
    self.text = text
    pieces = parsed.pieces
    references = parsed.references
    places = parsed.places
  }

  /// A text that is one reference and nothing else.
  init(_ reference: Reference) {
    text = .empty
    pieces = [.reference(0)]
    references = [reference]
    places = [(1, 1)]
  }

  /// The text with a value in the place of each reference.
  func filled(_ values: (Reference) -> SecretValue) -> SecretValue {
    var result = SecretBuffer(capacity: text.byteCount + 64 * references.count)
    text.withBytes { bytes in
      for piece in pieces {
        switch piece {
        case .text(let range): result.append(bytes.extracting(range))
        case .reference(let index): result.append(values(references[index]))
        }
      }
    }
    return result.finish()
  }

  private typealias Parsed = (pieces: [Piece], references: [Reference], places: [(line: Int, column: Int)])

  private static func parse(_ bytes: UnsafeRawBufferPointer) throws(Fault) -> Parsed {
    var result: Parsed = ([], [], [])
    var position = Position()
    var start = 0
    var index = 0
    while index < bytes.count {
      guard let begin = referenceStart(bytes, at: index) else {
        position.pass(bytes[index])
        index += 1
        continue
      }
      if start < index { result.pieces.append(.text(start..<index)) }
      for offset in index..<begin { position.pass(bytes[offset]) }
      let place = (position.line, position.column)
      func fault(_ code: Fault.Code, _ what: String) -> Fault {
        Fault(code: code, line: place.0, column: place.1, what: what)
      }
      guard result.references.count < referenceLimit else {
        throw fault(.tooMany, "there are more than \(referenceLimit) references")
      }
      var end = begin
      while end < bytes.count, Reference.isAllowed(bytes[end]), end - begin <= Reference.byteLimit { end += 1 }
      var close = end
      while close < bytes.count, bytes[close] == 0x20 || bytes[close] == 0x09 { close += 1 }
      let isClosed = close + 1 < bytes.count && bytes[close] == 0x7D && bytes[close + 1] == 0x7D
      do throws(Reference.Fault) {
        result.references.append(try Reference(String(decoding: bytes[begin..<end], as: UTF8.self)))
      } catch {
        throw fault(.reference(error.code), error.description)
      }
      guard isClosed else {
        throw fault(
          .notClosed, "}} has to follow the reference; other characters in it are escaped, as %20 for a space")
      }
      result.pieces.append(.reference(result.references.count - 1))
      result.places.append(place)
      for offset in begin..<close + 2 { position.pass(bytes[offset]) }
      index = close + 2
      start = index
    }
    if start < bytes.count { result.pieces.append(.text(start..<bytes.count)) }
    return result
  }

  /// Where the reference begins, if double braces that hold one open here.
  private static func referenceStart(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Int? {
    guard bytes[index] == 0x7B, index + 1 < bytes.count, bytes[index + 1] == 0x7B else { return nil }
    var begin = index + 2
    while begin < bytes.count, bytes[begin] == 0x20 || bytes[begin] == 0x09 { begin += 1 }
    return bytes[begin...].starts(with: Reference.scheme.utf8) ? begin : nil
  }

  private struct Position {
    var line = 1
    var column = 1

    mutating func pass(_ byte: UInt8) {
      if byte == 0x0A {
        (line, column) = (line + 1, 1)
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
  }
}
