internal import SeifBytes
internal import SeifOTP
internal import SeifRecords

/// The plaintext of `summary`: binary, since a list of a hundred thousand entries is read at every start.
///
/// version (1) ‖ kind (1) ‖ flags (1) ‖ [createdAt (8)] ‖ [sortIndex (8)] ‖ lp(type) ‖ lp(name) ‖ lp(account) ‖
/// number of tags (4) ‖ lp(tag)… ‖ number of addresses (4) ‖ lp(address)…; numbers big endian, lp(x) = length (4) ‖ x.
enum SummaryCodec {
  static let kinds: [RecordKind] = [.accounts, .passwords, .cards, .notes, .otherAccounts, .documents]

  private enum Flag {
    static let isFavorite: UInt8 = 1
    static let createdAt: UInt8 = 2
    static let sortIndex: UInt8 = 4
    static let hasOneTimeCode: UInt8 = 8
    static let exactHost: UInt8 = 16
  }

  static func encode(_ entry: Entry) -> SecretValue {
    let info = entry.info
    var buffer = SecretBuffer(capacity: 128)
    buffer.append(1)
    buffer.append(UInt8(truncatingIfNeeded: kinds.firstIndex(of: entry.kind) ?? 0))
    var flags: UInt8 = 0
    if info.isFavorite { flags |= Flag.isFavorite }
    if info.createdAt != nil { flags |= Flag.createdAt }
    if info.sortIndex != nil { flags |= Flag.sortIndex }
    if case .password(let password) = entry, !password.totp.isEmpty { flags |= Flag.hasOneTimeCode }
    if info.exactHost { flags |= Flag.exactHost }
    buffer.append(flags)
    if let date = info.createdAt { buffer.appendBigEndian(UInt64(bitPattern: date.milliseconds), byteCount: 8) }
    if let index = info.sortIndex { buffer.appendBigEndian(UInt64(bitPattern: index), byteCount: 8) }
    append(type(of: entry), &buffer)
    append(entry.name, &buffer)
    append(entry.account, &buffer)
    for texts in [info.tags, info.urls] {
      buffer.appendBigEndian(UInt64(texts.count), byteCount: 4)
      for text in texts { append(text, &buffer) }
    }
    return buffer.finish()
  }

  private static func append(_ text: String, _ buffer: inout SecretBuffer) {
    buffer.appendBigEndian(UInt64(text.utf8.count), byteCount: 4)
    buffer.append(utf8: text)
  }

  private static func type(of entry: Entry) -> String {
    switch entry {
    case .account(let account):
      switch account.otp.kind {
      case .totp: "totp"
      case .hotp: "hotp"
      case .steam: "steam"
      }
    case .otherAccount(let account): account.type
    case .document(let document): document.kind.rawValue
    case .password, .card, .note: ""
    }
  }

  /// The summary in these bytes, or nil if they aren't one.
  static func decode(_ bytes: RawSpan, id: UUID) -> EntrySummary? {
    guard bytes.byteCount >= 3, bytes.byte(0) == 1, bytes.byte(1) < kinds.count else { return nil }
    let flags = bytes.byte(2)
    var reader = SummaryReader(at: 3)
    var createdAt: Timestamp?
    var sortIndex: Int64?
    if flags & Flag.createdAt != 0 {
      guard let milliseconds = reader.number(bytes) else { return nil }
      createdAt = Timestamp(milliseconds: milliseconds)
    }
    if flags & Flag.sortIndex != 0 {
      guard let index = reader.number(bytes) else { return nil }
      sortIndex = index
    }
    guard let type = reader.text(bytes), let name = reader.text(bytes), let account = reader.text(bytes),
      let tags = reader.texts(bytes),
      let urls = reader.texts(bytes), reader.position == bytes.byteCount
    else { return nil }
    return EntrySummary(
      id: id, kind: kinds[Int(bytes.byte(1))], type: type, name: name, account: account, tags: tags, urls: urls,
      isFavorite: flags & Flag.isFavorite != 0, hasOneTimeCode: flags & Flag.hasOneTimeCode != 0,
      exactHost: flags & Flag.exactHost != 0, sortIndex: sortIndex, createdAt: createdAt)
  }
}

/// A place in a summary's bytes, which are handed to each call: a span can't be held. Not closures over a number: those
/// cost a check for exclusive access at each of their steps.
private struct SummaryReader {
  var position: Int

  init(at position: Int) { self.position = position }

  mutating func number(_ bytes: RawSpan) -> Int64? {
    guard bytes.byteCount - position >= 8 else { return nil }
    let number = Int64(bitPattern: bytes.number(at: position))
    position += 8
    return number
  }

  private mutating func count(_ bytes: RawSpan) -> Int? {
    guard bytes.byteCount - position >= 4 else { return nil }
    let count = Int(bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt32.self).bigEndian)
    position += 4
    return count
  }

  mutating func text(_ bytes: RawSpan) -> String? {
    guard let length = count(bytes), bytes.byteCount - position >= length else { return nil }
    let start = position
    position += length
    guard length > 0 else { return "" }
    return bytes.extracting(start..<position).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }

  mutating func texts(_ bytes: RawSpan) -> [String]? {
    // Each text takes at least its length's 4 bytes, so a count above that is no count.
    guard let count = count(bytes), count <= (bytes.byteCount - position) / 4 else { return nil }
    guard count > 0 else { return [] }
    var texts: [String] = []
    for _ in 0..<count {
      guard let text = text(bytes) else { return nil }
      texts.append(text)
    }
    return texts
  }
}
