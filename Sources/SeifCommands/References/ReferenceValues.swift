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
    let vault = try unlock.unlock(mayMove ? .readWrite : .readOnly, mayOnlyRead: mayMove, context)
    defer { vault.lock() }
    let summaries = try withVaultErrors(folder) { () throws(VaultError) in try vault.summaries() }
    _ = VaultDamage(vault).tell(context)

    let time = Timestamp(seconds: context.clock.now())
    var failures: [String] = []
    var counters: [(Reference, UUID)] = []
    for reference in references where values[reference] == nil && !counters.contains(where: { $0.0 == reference }) {
      var found: [(summary: EntrySummary, value: ReferencedField.Found)] = []
      let hits = Query(reference.item).matches(summaries.filter { ReferencedField.mayHave(reference.field, $0) })
      for hit in hits.prefix(Self.hitLimit) {
        let entry = try withVaultErrors(folder) { () throws(VaultError) in try vault.entry(hit.id) }.entry
        if let value = ReferencedField.value(reference.field, of: entry, at: time) { found.append((hit, value)) }
      }
      if found.count > 1, reference.field == .username {
        // A login and its code have one name; the login is what a person means.
        let logins = found.filter { $0.summary.kind == .passwords }
        if logins.count == 1 { found = logins }
      }
      guard let only = found.first, found.count == 1, hits.count <= Self.hitLimit else {
        failures.append("\(reference): \(Self.reason(reference, found.map(\.summary), hits.count, summaries))")
        continue
      }
      switch only.value {
      case .value(let bytes, let isSecret): values[reference] = Value(bytes: bytes, isSecret: isSecret)
      case .counter: counters.append((reference, only.summary.id))
      }
    }
    guard failures.isEmpty else {
      let what = failures.count == 1 ? "a reference has no value" : "\(failures.count) references have no value"
      throw CommandFailure(.notFound, what, hint: nothing, details: failures)
    }
    for (reference, id) in counters {
      let moved = try withVaultErrors(folder) { () throws(VaultError) in try vault.advanceCounter(id) }
      guard let code = try? OneTimePassword.code(moved.otp, at: time) else {
        throw CommandFailure(.badInput, "\(reference): there is no code for this entry", hint: nothing)
      }
      values[reference] = Value(bytes: SecretValue(utf8: code.text), isSecret: true)
    }
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
    case value(SecretValue, isSecret: Bool)
    /// The code of a counter, which has to move first.
    case counter
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
  static func value(_ field: Reference.Field, of entry: Entry, at time: Timestamp) -> Found? {
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
    case .account(let account): return value(field, of: account, at: time)
    case .otherAccount(let other):
      switch field {
      case .username: return text(other.account)
      case .code: return OtherCodes.code(other, at: time).map { .value(SecretValue(utf8: $0.text), isSecret: true) }
      case .secret: return other.secret.flatMap { secret($0) }
      default: return nil
      }
    case .password(let login):
      switch field {
      case .password: return secret(login.password)
      case .username: return text(login.username)
      case .code:
        guard !login.totp.isEmpty, let uri = try? KeyURI(parsing: login.totp) else { return nil }
        return code(uri.parameters, at: time)
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

  private static func value(_ field: Reference.Field, of account: Account, at time: Timestamp) -> Found? {
    switch field {
    case .username: return text(account.account)
    case .secret: return secret(Base32.encode(account.otp.secret))
    case .code:
      if case .hotp = account.otp.kind { return .counter }
      return code(account.otp, at: time)
    default: return nil
    }
  }

  private static func code(_ otp: OTPParameters, at time: Timestamp) -> Found? {
    guard let code = try? OneTimePassword.code(otp, at: time) else { return nil }
    return .value(SecretValue(utf8: code.text), isSecret: true)
  }

  private static func text(_ text: String) -> Found? {
    text.isEmpty ? nil : .value(SecretValue(utf8: text), isSecret: false)
  }

  private static func secret(_ value: SecretValue, isSecret: Bool = true) -> Found? {
    value.isEmpty ? nil : .value(value, isSecret: isSecret)
  }
}
