internal import SeifBytes
internal import SeifCrypto
internal import SeifOTP
internal import SeifRecords

/// Lists of otpauth URIs, one a line, in clear: what most authenticators export and import.
public struct URIListFormat: BackupFormat {
  /// The format.
  public init() {}

  public var identifier: FormatIdentifier { .uriList }
  public var displayName: String { "list of otpauth URIs" }

  static let maximumByteCount: Int64 = 64 << 20

  public func recognizes(_ input: FormatInput) -> Bool {
    URIList.isList(input.bytes)
  }

  public func readHeader(_ input: FormatInput, options: ReadingOptions) throws(FormatError) -> any BackupFile {
    guard recognizes(input) else { throw .otherFormat }
    let size = Int64(input.bytes.byteCount)
    guard size <= Self.maximumByteCount else {
      throw .costRefused(CostError(field: "file bytes", value: size, allowed: 1...Self.maximumByteCount))
    }
    let facts = HeaderFacts(
      format: .uriList, version: 1, variant: nil, keyDerivation: .none, isHeaderBound: false,
      readableFields: ["everything, the secrets too"])
    return URIListFile(header: facts, bytes: input.bytes)
  }
}

/// A list that hasn't been read yet.
struct URIListFile: BackupFile {
  let header: HeaderFacts
  let bytes: SecretValue

  func open(passphrase: borrowing SecretBytes?) throws(FormatError) -> OpenedBackup {
    let entries: [URIList.Entry]
    do throws(URIList.ListError) {
      entries = try URIList.parse(bytes)
    } catch {
      throw .costRefused(
        CostError(field: "lines", value: nil, allowed: 1...Int64(URIList.maximumEntryCount)))
    }
    var lines = LineReader(bytes)
    var records = Records()
    var problems: [EntryProblem] = []
    var notices: [String] = []
    for (index, entry) in entries.enumerated() {
      let reason: String
      switch entry.content {
      case .standard(let uri):
        let (account, isWhole) = Account.make(uri)
        records.accounts.append(account)
        if !isWhole { problems.append(.parametersNotKept(index: index)) }
        notices += uri.warnings.map { "line \(entry.lineNumber): \($0)" }
        continue
      case .other(let uri):
        let (account, isWhole) = OtherAccount.make(uri)
        records.otherAccounts.append(account)
        if !isWhole { problems.append(.parametersNotKept(index: index)) }
        notices += uri.warnings.map { "line \(entry.lineNumber): \($0)" }
        continue
      case .migration: reason = "migration:line-\(entry.lineNumber)"
      case .refused(let error): reason = "bad-uri:\(error.part.rawValue):line-\(entry.lineNumber)"
      }
      problems.append(EntryProblem(list: RecordKind.accounts.rawValue, index: index, reason: reason))
      records.unusable.append(UnusableEntry(kind: .accounts, json: lines.json(ofLine: entry.lineNumber)))
    }
    return OpenedBackup(
      header: header, exportedAt: nil, records: records, problems: problems, link: nil, body: bytes, notices: notices)
  }
}

/// Finds the text of lines by their numbers, which must go up.
private struct LineReader {
  private let bytes: SecretValue
  private var offset = 0
  private var number = 1

  init(_ bytes: SecretValue) {
    self.bytes = bytes
  }

  /// A line as a JSON string, so that it is kept beside records like an entry of any file; bytes that aren't UTF-8 are
  /// replaced, since JSON can't hold them.
  mutating func json(ofLine wanted: Int) -> SecretValue {
    let (start, end) = bytes.withBytes { span -> (Int, Int) in
      func byte(_ offset: Int) -> UInt8 { unsafe span.unsafeLoad(fromByteOffset: offset, as: UInt8.self) }
      var at = offset
      var line = number
      while line < wanted, at < span.byteCount {
        if byte(at) == 0x0A { line += 1 }
        at += 1
      }
      (offset, number) = (at, line)
      var end = at
      while end < span.byteCount, byte(end) != 0x0A { end += 1 }
      while end > at, [0x0D, 0x20, 0x09].contains(byte(end - 1)) { end -= 1 }
      if at == 0, end >= 3, byte(0) == 0xEF, byte(1) == 0xBB, byte(2) == 0xBF { at = 3 }
      return (at, end)
    }
    let line = bytes.withBytes { SecretValue(copying: $0.extracting(start..<end)) }
    var writer = JSONWriter()
    if line.isUTF8 {
      writer.string(line)
    } else {
      // EXPOSE: only text that is no usable URI; it is wiped with the value but not in between.
      writer.string(String(decoding: line.exposedBytes(), as: UTF8.self))
    }
    return writer.finish()
  }
}
