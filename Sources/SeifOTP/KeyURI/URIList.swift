public import SeifBytes

/// Text files with one URI a line, as most authenticators export them.
///
/// Lines end in LF or CRLF, a byte order mark may stand first; empty lines and those that begin with `#` are skipped.
/// One line that can't be read costs no other.
public enum URIList {
  /// A line that isn't empty.
  public struct Entry: Sendable {
    /// Its number in the file, from 1, with the lines that are skipped.
    public let lineNumber: Int
    /// What stands there.
    public let content: Content
  }

  /// What a line can be.
  public enum Content: Sendable {
    /// HOTP, TOTP or Steam.
    case standard(KeyURI)
    /// Mobile-OTP or Yandex.
    case other(OtherKeyURI)
    /// `otpauth-migration://…`, as it stands: several accounts of Google Authenticator, another format's.
    case migration(SecretValue)
    /// Nothing usable, and why.
    case refused(KeyURIError)
  }

  /// Why a list isn't read at all.
  public enum ListError: Error, Sendable, Hashable, CustomStringConvertible {
    /// More than 100,000 lines with something in them.
    case tooManyEntries

    public var description: String { "more than \(URIList.maximumEntryCount) entries" }
  }

  /// The most entries that are read.
  public static let maximumEntryCount = 100_000

  /// The entries of a list, in order, good and bad.
  ///
  /// - Throws: `tooManyEntries` above 100,000. The file's size is its reader's to bound.
  public static func parse(_ file: SecretValue) throws(ListError) -> [Entry] {
    try file.withBytes { (text) throws(ListError) in
      var entries: [Entry] = []
      var lines = Lines(text)
      while let line = lines.next(in: text) {
        guard entries.count < maximumEntryCount else { throw .tooManyEntries }
        entries.append(Entry(lineNumber: lines.number, content: content(text.extracting(line))))
      }
      return entries
    }
  }

  /// Whether a file is a list: its first line that isn't skipped begins with a scheme that `parse` knows. Later lines
  /// may be bad; each is then reported.
  public static func isList(_ file: SecretValue) -> Bool {
    file.withBytes { text in
      var lines = Lines(text)
      guard let line = lines.next(in: text) else { return false }
      let first = text.extracting(line)
      return first.hasPrefix("otpauth://", ignoringCase: true) || first.hasPrefix("steam://", ignoringCase: true)
        || first.hasPrefix("motp://", ignoringCase: true) || isMigration(first)
    }
  }

  /// A list of URIs, each with a line feed after it. They must come from `write()`, which leaves no line ends in them.
  public static func write(_ uris: some Sequence<SecretValue>) -> SecretValue {
    var text = SecretBuffer()
    for uri in uris {
      text.append(uri)
      text.append(0x0A)
    }
    return text.finish()
  }

  private static func content(_ line: RawSpan) -> Content {
    guard line.byteCount <= KeyURI.maximumByteCount else { return .refused(KeyURIError(.tooLong)) }
    guard !isMigration(line) else { return .migration(SecretValue(copying: line)) }
    do {
      return switch try KeyURIReader.read(line, dialect: .list) {
      case .standard(let uri): .standard(uri)
      case .other(let uri): .other(uri)
      }
    } catch {
      return .refused(error)
    }
  }

  private static func isMigration(_ line: RawSpan) -> Bool {
    line.hasPrefix("otpauth-migration://", ignoringCase: true)
  }

  /// Where the lines stand that have something in them.
  private struct Lines {
    private(set) var number = 0
    private var offset = 0

    init(_ text: RawSpan) {
      let hasMark = text.byteCount >= 3 && (text.byte(at: 0), text.byte(at: 1), text.byte(at: 2)) == (0xEF, 0xBB, 0xBF)
      offset = hasMark ? 3 : 0
    }

    mutating func next(in text: RawSpan) -> Range<Int>? {
      while offset < text.byteCount {
        let start = offset
        while offset < text.byteCount, text.byte(at: offset) != 0x0A { offset += 1 }
        let line = KeyURIReader.trimmed(text, start..<offset, KeyURIReader.isWhiteSpace)
        offset += 1
        number += 1
        if !line.isEmpty, text.byte(at: line.lowerBound) != 0x23 { return line }
      }
      return nil
    }
  }
}
