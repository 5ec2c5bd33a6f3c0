public import SeifBytes
public import SeifRecords
internal import SeifOTP

/// What is said of the file or vault that records come from.
public struct SourceFacts: Sendable {
  /// Its format, or `vault`.
  public var format: String
  /// The format's version; nil: it has none.
  public var version: Int?
  /// When it was written, where an authenticated body says so.
  public var exportedAt: Timestamp?

  /// A source.
  public init(format: String, version: Int? = nil, exportedAt: Timestamp? = nil) {
    self.format = format
    self.version = version
    self.exportedAt = exportedAt
  }

  /// The source that an opened file is.
  public init(_ backup: OpenedBackup) {
    self.init(
      format: backup.header.format.rawValue, version: backup.header.version, exportedAt: backup.exportedAt)
  }
}

/// Records as JSON for scripts and other programs: schema `seif-records`, version 1.
///
/// The names are those of an `.authbackup` body. mOTP, Yandex and other kinds of accounts stand behind the others in
/// `accounts`; document vaults' keys have no place and are named in `lost`.
public enum NeutralJSON {
  static let schema = "seif-records"
  static let version: Int64 = 1
  /// The lists, in the order in which they are written.
  static let lists: [RecordKind] = [.accounts, .passwords, .cards, .notes]
  /// What the document itself has at the top; opaque members of these names have no place.
  static let reserved: Set<String> = [
    "schema", "version", "source", "secrets", "codesAt", "accounts", "passwords", "cards", "notes", "otherAccounts",
    "documents", "problems", "lost", "unusable",
  ]
  /// What `codes` adds to an account.
  static let codeKeys: Set<String> = ["code", "secondsLeft", "validUntil"]

  /// What isn't secret of an entry. Everything else is left out where secrets are: free text may hold recovery codes, and
  /// members that aren't understood may hold anything.
  static let openKeys: Set<String> = [
    "account", "algorithm", "counter", "createdAt", "digits", "exactHost", "expiry", "holder", "id", "isFavorite",
    "issuer", "name", "period", "sortIndex", "tags", "title", "type", "updatedAt", "urls", "username",
  ]

  /// The document: UTF-8, two spaces a level, a line feed at the end.
  ///
  /// - Parameters:
  ///   - problems: what couldn't be used of the source.
  ///   - losses: what the way here couldn't hold; document vaults' keys are added.
  ///   - reveal: without it passwords, seeds, PINs, numbers, security codes, login codes' URIs, histories, notes, values
  ///     of custom fields that are or look secret and members that aren't understood are left out, passwords and tokens
  ///     in addresses are masked, and `"secrets": "left out"` says so.
  ///   - codesAt: adds the codes of this moment to accounts.
  public static func write(
    source: SourceFacts, records: Records, problems: [EntryProblem] = [], losses: [Loss] = [], reveal: Bool,
    codesAt: Timestamp? = nil
  ) -> SecretValue {
    var writer = JSONWriter(indent: 2, capacity: 1 << 16)
    writer.beginObject()
    writer.key("schema")
    writer.string(schema)
    writer.key("version")
    writer.integer(version)
    writer.key("source")
    write(source, &writer)
    if !reveal {
      writer.key("secrets")
      writer.string("left out")
    }
    if let codesAt {
      writer.key("codesAt")
      writer.string(codesAt.rfc3339)
    }
    for kind in lists { NeutralEntries.write(kind, records, reveal: reveal, codesAt: codesAt, &writer) }
    writer.key("problems")
    writer.beginArray()
    for problem in problems {
      member(kind: problem.list, index: problem.index, field: problem.field, reason: problem.reason, &writer)
    }
    writer.endArray()
    writer.key("lost")
    writer.beginArray()
    let keys = RecordKind.documents.allLost(in: records) + records.unusableLost(.documents)
    let named = Set(losses.filter { $0.kind == .documents })
    for loss in losses + keys.filter({ !named.contains($0) }) {
      member(kind: loss.kind.rawValue, index: loss.index, field: loss.field, reason: nil, &writer)
    }
    writer.endArray()
    if reveal { kept(records, &writer) }
    writer.endObject()
    return writer.finishWithLineFeed()
  }

  private static func write(_ source: SourceFacts, _ writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("format")
    writer.string(source.format)
    if let version = source.version {
      writer.key("version")
      writer.integer(Int64(version))
    }
    if let exportedAt = source.exportedAt {
      writer.key("exportedAt")
      writer.string(exportedAt.rfc3339)
    }
    writer.endObject()
  }

  private static func member(
    kind: String, index: Int?, field: String?, reason: String?, _ writer: inout JSONWriter
  ) {
    writer.beginObject()
    writer.key("kind")
    writer.string(kind)
    if let index {
      writer.key("index")
      writer.integer(Int64(index))
    }
    if let field {
      writer.key("field")
      writer.string(field)
    }
    if let reason {
      writer.key("reason")
      writer.string(reason)
    }
    writer.endObject()
  }

  // Entries that can't be used have a list of their own, so that a script doesn't take them for good ones.
  private static func kept(_ records: Records, _ writer: inout JSONWriter) {
    let unusable = records.unusable.filter { $0.kind != .documents }
    if !unusable.isEmpty {
      writer.key("unusable")
      writer.beginArray()
      for entry in unusable {
        writer.beginObject()
        writer.key("kind")
        writer.string(entry.kind.rawValue)
        writer.key("entry")
        writer.raw(entry.json)
        writer.endObject()
      }
      writer.endArray()
    }
    for member in records.opaque where !reserved.contains(member.key) {
      writer.key(member.key)
      writer.raw(member.value)
    }
  }
}
