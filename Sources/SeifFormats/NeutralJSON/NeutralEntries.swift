internal import SeifBytes
internal import SeifOTP
internal import SeifRecords

/// The lists of a neutral document, made from the same text as an `.authbackup` body's, so that no field is forgotten.
enum NeutralEntries {
  static func write(
    _ kind: RecordKind, _ records: Records, reveal: Bool, codesAt: Timestamp?, _ writer: inout JSONWriter
  ) {
    writer.key(kind.rawValue)
    writer.beginArray()
    append(kind, records, reveal, &writer) { index, writer in
      guard kind == .accounts, let codesAt else { return }
      code(try? OneTimePassword.code(records.accounts[index].otp, at: codesAt), &writer)
    }
    if kind == .accounts {
      append(.otherAccounts, records, reveal, &writer) { index, writer in
        if let codesAt { code(records.otherAccounts[index].code(at: codesAt), &writer) }
      }
    }
    writer.endArray()
  }

  private static func append(
    _ kind: RecordKind, _ records: Records, _ reveal: Bool, _ writer: inout JSONWriter,
    more: (Int, inout JSONWriter) -> Void
  ) {
    guard records.count(of: kind) > 0 else { return }
    var usable = records
    usable.unusable = []
    var text = JSONWriter(capacity: 1 << 16)
    EntryEncoding.encode(kind, of: usable, into: &text)
    let policy = JSONPolicy(isStrict: true, maximumByteCount: .max, maximumDepth: 64, maximumValueCount: .max)
    // Our own text: what the writer made, the reader takes.
    guard let document = try? JSONDocument(parsing: text.finish(), policy: policy) else {
      preconditionFailure("internal error: an entry's own text can't be read")
    }
    for (index, entry) in document.root.elements.enumerated() {
      writer.beginObject()
      for (key, value) in entry.members { member(key, value, reveal, &writer) }
      more(index, &writer)
      writer.endObject()
    }
  }

  private static func member(_ key: JSONKey, _ value: JSONValue, _ reveal: Bool, _ writer: inout JSONWriter) {
    let name = key.text
    if !reveal, name == "urls", isPlain(value) {
      writer.key(name)
      writer.beginArray()
      for url in value.elements { writer.string(Disclosure.masked(url: url.string ?? "")) }
      writer.endArray()
    } else if reveal || (NeutralJSON.openKeys.contains(name) && isPlain(value)) {
      writer.key(name)
      writer.copy(value)
    } else if name == "customFields", value.kind == .array {
      writer.key(name)
      writer.beginArray()
      for row in value.elements { open(row, &writer) }
      writer.endArray()
    }
  }

  // Values of other types under a known name are members that weren't understood.
  private static func isPlain(_ value: JSONValue) -> Bool {
    value.kind == .array ? value.elements.allSatisfy { $0.kind == .string } : value.kind != .object
  }

  private static func open(_ row: JSONValue, _ writer: inout JSONWriter) {
    writer.beginObject()
    if let isSecret = row["isSecret"]?.bool, let name = row["name"]?.string {
      writer.key("isSecret")
      writer.bool(isSecret)
      writer.key("name")
      writer.string(name)
      if let value = row["value"]?.secret, Disclosure.isOpen(name: name, value: value, isSecret: isSecret) {
        writer.key("value")
        writer.string(value)
      }
    }
    writer.endObject()
  }

  private static func code(_ code: OneTimeCode?, _ writer: inout JSONWriter) {
    guard let code else { return }
    writer.key("code")
    writer.string(code.text)
    if let seconds = code.secondsLeft {
      writer.key("secondsLeft")
      writer.integer(Int64(seconds))
    }
    if let end = code.validUntil {
      writer.key("validUntil")
      writer.string(end.rfc3339)
    }
  }
}

extension OtherAccount {
  /// The code of a Mobile-OTP or Yandex account; nil for other kinds, and where the PIN or a usable secret is missing.
  func code(at time: Timestamp) -> OneTimeCode? {
    guard let pin, let text = secret, let bytes = text.withBytes({ try? Base32.decodeLeniently($0) }) else {
      return nil
    }
    return switch type {
    case "motp": try? OneTimePassword.motp(secretText: bytes, pin: pin, at: time)
    case "yandex": try? OneTimePassword.yandex(secret: bytes, pin: pin, at: time)
    default: nil
    }
  }
}
