internal import SeifAgent
internal import SeifBytes
internal import SeifFormats
internal import SeifOTP
internal import SeifRecords
internal import SeifVault

/// The values of references, taken from the vault in one go, after which the vault is locked again.
struct ReferenceValues {
  struct Value {
    let bytes: SecretValue
    /// Whether it is masked in output: passwords are, user names aren't.
    let isSecret: Bool
  }

  private(set) var values: [Reference: Value] = [:]

  subscript(_ reference: Reference) -> SecretValue { values[reference]?.bytes ?? .empty }

  /// What has to be masked.
  var secrets: [SecretValue] { values.values.filter(\.isSecret).map(\.bytes) }

  /// Opens the vault, resolves all references, and locks it.
  ///
  /// - Parameter nothing: what didn't happen because of a failure: `Nothing was started.`
  /// - Throws: exit 66 that names every reference without a value; no counter has moved then.
  init(
    _ references: [Reference], unlock: UnlockOptions, otherwise nothing: String, _ context: Context
  ) throws(CommandFailure) {
    guard !references.isEmpty else { return }
    let folder = try unlock.vault.folder(context.environment)
    // A counter has to move before its code is given; whether one is needed is known only once the entry is found.
    let mayMove = references.contains { $0.field == .code }
    let vault = try unlock.use(mayMove ? .readWrite : .readOnly, mayOnlyRead: mayMove, context)
    defer { vault.lock() }
    let summaries = try withVault(folder) { () throws(VaultUseError) in try vault.list() }
    _ = vault.tell(context)

    var failures: [String] = []
    var found: [(reference: Reference, hit: Hit)] = []
    for reference in references where !found.contains(where: { $0.reference == reference }) {
      let (hits, count) = try Self.hits(reference, summaries, vault, folder)
      if let only = hits.first, hits.count == 1, count <= Self.hitLimit {
        found.append((reference, only))
      } else {
        failures.append("\(reference): \(Self.reason(reference, hits.map(\.summary), count, summaries))")
      }
    }
    guard failures.isEmpty else {
      let what = failures.count == 1 ? "a reference has no value" : "\(failures.count) references have no value"
      throw CommandFailure(.notFound, what, hint: nothing, details: failures)
    }
    let time = Timestamp(seconds: context.clock.now())
    // Those that count come last: nothing can fail after a counter has moved but the moving of the next.
    for (reference, hit) in found.filter({ !$0.hit.value.moves }) + found.filter(\.hit.value.moves) {
      values[reference] = try withVault(folder) { () throws(VaultUseError) in
        switch hit.value {
        case .value(let bytes, let isSecret):
          return Value(bytes: try vault.unmasked(bytes, of: hit.read), isSecret: isSecret)
        case .seed:
          return Value(bytes: Base32.encode(try vault.secret("secret", of: hit.read)), isSecret: true)
        case .code:
          let code = try vault.code(hit.summary.id.description, next: false, at: time).code
          return code.map { Value(bytes: SecretValue(utf8: $0.text), isSecret: true) }
        }
      }
      guard values[reference] != nil else {
        throw CommandFailure(.badInput, "\(reference): there is no code for this entry", hint: nothing)
      }
    }
  }

  private struct Hit {
    let summary: EntrySummary
    let read: ReadEntry
    let value: ReferencedField.Found
  }

  /// The entries that fit and have the field, and how many fit.
  private static func hits(
    _ reference: Reference, _ summaries: [EntrySummary], _ vault: any UnlockedVault, _ folder: String
  ) throws(CommandFailure) -> (hits: [Hit], count: Int) {
    let fitting = Query(reference.item).matches(summaries.filter { ReferencedField.mayHave(reference.field, $0) })
    var hits: [Hit] = []
    for summary in fitting.prefix(hitLimit) {
      let read = try withVault(folder) { () throws(VaultUseError) in try vault.entry(summary.id) }
      if let value = ReferencedField.value(reference.field, of: read.stored.entry) {
        hits.append(Hit(summary: summary, read: read, value: value))
      }
    }
    if hits.count > 1, reference.field == .username {
      // A login and its code have one name; the login is what a person means.
      let logins = hits.filter { $0.summary.kind == .passwords }
      if logins.count == 1 { hits = logins }
    }
    return (hits, fitting.count)
  }

  private static let hitLimit = 16

  private static func reason(
    _ reference: Reference, _ found: [EntrySummary], _ hitCount: Int, _ all: [EntrySummary]
  ) -> String {
    if hitCount > hitLimit { return "it fits \(hitCount) entries" }
    if found.count > 1 {
      // Identifiers, since what tells two entries apart may be nothing else.
      let names = found.prefix(4).map { "\(EntryLabel.text($0.name, $0.account)) (\($0.id))" }
      return "it fits \(found.count) entries: \(names.joined(separator: "; "))"
    }
    return Query(reference.item).matches(all).isEmpty ? "nothing in the vault fits" : "what fits has no such field"
  }
}

/// The fields of entries that references name.
enum ReferencedField {
  enum Found {
    /// The value, or what stands for it where the agent holds the secret.
    case value(SecretValue, isSecret: Bool)
    /// The secret that makes codes, to be written in base32.
    case seed
    case code(counts: Bool)

    /// Whether giving it moves a counter.
    var moves: Bool { if case .code(let counts) = self { counts } else { false } }
  }

  /// Whether an entry of this kind can have the field: names are compared among these alone, so that a login and its
  /// code may share one.
  static func mayHave(_ field: Reference.Field, _ summary: EntrySummary) -> Bool {
    let isCode = summary.kind == .accounts || summary.kind == .otherAccounts
    switch field {
    case .password: return summary.kind == .passwords
    case .username: return summary.kind == .passwords || isCode
    case .code: return summary.hasOneTimeCode || isCode
    case .secret: return isCode
    case .number, .cvc, .expiry, .holder: return summary.kind == .cards
    case .url: return !summary.urls.isEmpty
    case .notes, .custom: return summary.kind != .documents
    }
  }

  /// The value, or nil where the entry has none or an empty one.
  static func value(_ field: Reference.Field, of entry: Entry) -> Found? {
    switch field {
    case .custom(let name):
      let wanted = Normalization.nfc(name)
      let fields = entry.info.customFields.filter { Normalization.nfc($0.name) == wanted }
      // Two of one name: which is meant can't be told.
      guard fields.count == 1, let only = fields.first else { return nil }
      let isOpen = Disclosure.isOpen(name: only.name, value: only.value, isSecret: only.isSecret)
      return secret(only.value, isSecret: !isOpen)
    case .url:
      let url = entry.info.urls.first ?? ""
      return url.isEmpty ? nil : .value(SecretValue(utf8: url), isSecret: Disclosure.masked(url: url) != url)
    case .notes:
      if case .note(let note) = entry { return secret(note.text) }
      return secret(entry.info.notes)
    default: break
    }
    switch entry {
    case .account(let account): return value(field, of: account)
    case .otherAccount(let other):
      switch field {
      case .username: return text(other.account)
      case .code: return other.secret == nil || other.pin == nil ? nil : .code(counts: false)
      case .secret: return other.secret.flatMap { secret($0) }
      default: return nil
      }
    case .password(let login):
      switch field {
      case .password: return secret(login.password)
      case .username: return text(login.username)
      case .code:
        return login.totp.isEmpty ? nil : .code(counts: false)
      default: return nil
      }
    case .card(let card):
      switch field {
      case .number: return secret(card.number)
      case .cvc: return card.cvc.flatMap { secret($0) }
      case .expiry: return text(card.expiry ?? "")
      case .holder: return text(card.holder)
      default: return nil
      }
    case .note, .document: return nil
    }
  }

  private static func value(_ field: Reference.Field, of account: Account) -> Found? {
    switch field {
    case .username: return text(account.account)
    case .secret: return .seed
    case .code:
      if case .hotp = account.otp.kind { return .code(counts: true) }
      return .code(counts: false)
    default: return nil
    }
  }

  private static func text(_ text: String) -> Found? {
    text.isEmpty ? nil : .value(SecretValue(utf8: text), isSecret: false)
  }

  private static func secret(_ value: SecretValue, isSecret: Bool = true) -> Found? {
    value.isEmpty ? nil : .value(value, isSecret: isSecret)
  }
}
