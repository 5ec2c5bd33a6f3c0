internal import SeifBytes
internal import SeifCrypto

/// Backups of the app TwoFac: schema versions 1 to 3, and the first releases' files without a version, read as 1. Sealed
/// entries have a seal each and may need different passkeys. See docs/formats/twofac.md.
public struct TwoFacFormat: BackupFormat {
  /// The format.
  public init() {}

  public var identifier: FormatIdentifier { .twofac }
  public var displayName: String { "TwoFac backup" }

  /// The reason in a problem of an entry that none of the passkeys opened; another one may.
  public static let lockedReason = "wrong-passkey-or-damaged"

  package static let rounds = 200
  static let versions: ClosedRange<Int64> = 1...3
  static let maximumByteCount: Int64 = 16 << 20
  static let maximumEntryCount: Int64 = 10_000
  static let colors = ["red", "orange", "yellow", "green", "teal", "blue", "purple", "brown"]
  static let listNames = ["accounts", "plaintextAccounts", "encryptedAccounts"]

  public func recognizes(_ input: FormatInput) -> Bool {
    guard case .success(let document) = input.json else { return false }
    let root = document.root
    // `format` and `schema` are other formats' names for themselves.
    guard root.kind == .object, root["createdAt"]?.kind == .number, root["format"] == nil, root["schema"] == nil else {
      return false
    }
    return (["schemaVersion"] + Self.listNames).contains { root[$0] != nil }
  }

  public func readHeader(_ input: FormatInput, options: ReadingOptions) throws(FormatError) -> any BackupFile {
    let document: JSONDocument
    switch input.json {
    case .success(let parsed): document = parsed
    case .failure(let error): throw .unreadable(error)
    }
    guard recognizes(input) else { throw .otherFormat }
    let size = Int64(input.bytes.byteCount)
    guard size <= Self.maximumByteCount else {
      throw .costRefused(CostError(field: "file bytes", value: size, allowed: 1...Self.maximumByteCount))
    }
    let root = document.root
    let header = HeaderReader(root)
    let version = try version(root, header)
    guard let createdAt = try header.int64("createdAt") else { throw .badHeader(field: "createdAt", .wrongType) }
    let isSealed = try header.has("encrypted") ? header.bool("encrypted") : false
    if version == 1, isSealed { throw .badHeader(field: "encrypted", .contradiction) }
    let used = isSealed ? "encryptedAccounts" : version == 3 ? "plaintextAccounts" : "accounts"
    for name in Self.listNames { try check(root[name], name, isUsed: name == used) }
    guard let list = root[used] else { throw .badHeader(field: used, .missing) }
    let entries = try TwoFacEntry.read(list, named: used, version: version)
    if isSealed, entries.isEmpty { throw .badHeader(field: used, .empty) }
    let hasColors = entries.contains { $0.color != nil }
    let facts = HeaderFacts(
      format: .twofac, version: Int(version), variant: header.has("schemaVersion") ? nil : "no-version",
      keyDerivation: isSealed ? .pbkdf2(rounds: Self.rounds) : .none, isHeaderBound: false,
      readableFields: isSealed
        ? ["the time of writing", "number and order of accounts"]
          + (entries.contains { $0.label?.isEmpty == false } ? ["issuer and name of each account"] : [])
          + (hasColors ? ["colours"] : [])
        : ["everything, the secrets too"],
      clearLabels: entries.compactMap(\.label).filter { !$0.isEmpty }, claimedTime: Timestamp(seconds: createdAt),
      takesPassphraseAsTyped: true)
    return TwoFacFile(
      header: facts, entries: entries,
      opaque: root.unknownMembers(besides: ["schemaVersion", "createdAt", "encrypted"] + Self.listNames),
      bytes: input.bytes)
  }

  private func version(_ root: JSONValue, _ header: HeaderReader) throws(FormatError) -> Int64 {
    guard header.has("schemaVersion") else {
      // Without a version only the first releases' layout is known; anything newer beside it lacks its version.
      guard ["encrypted", "plaintextAccounts", "encryptedAccounts"].allSatisfy({ root[$0] == nil }) else {
        throw .badHeader(field: "schemaVersion", .missing)
      }
      return 1
    }
    let version = try header.int64("schemaVersion")
    guard let version, Self.versions.contains(version) else { throw .unsupportedVersion(version) }
    return version
  }

  private func check(_ list: JSONValue?, _ name: String, isUsed: Bool) throws(FormatError) {
    guard let list else { return }
    guard list.kind == .array else { throw .badHeader(field: name, .wrongType) }
    var count: Int64 = 0
    for _ in list.elements { count += 1 }
    guard isUsed || count == 0 else { throw .badHeader(field: name, .contradiction) }
    guard count <= Self.maximumEntryCount else {
      throw .costRefused(CostError(field: name, value: count, allowed: 0...Self.maximumEntryCount))
    }
  }

  /// The time in seconds that the app takes from a file's name, 0 for none: the digits between `twofac-backup-` and the
  /// first hyphen or the extension.
  public static func claimedSeconds(ofName name: String) -> Int64 {
    var rest = Substring(name)
    if rest.hasPrefix("twofac-backup-") { rest = rest.dropFirst("twofac-backup-".count) }
    if rest.hasSuffix(".json") { rest = rest.dropLast(".json".count) }
    return Int64(rest.prefix { $0 != "-" }) ?? 0
  }

  /// The name under which the app lists a backup.
  public static func fileName(createdAt seconds: Int64, sequence: Int) -> String {
    "twofac-backup-\(seconds)-\(sequence).json"
  }
}
