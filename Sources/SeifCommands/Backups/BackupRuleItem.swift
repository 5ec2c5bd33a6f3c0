internal import SeifAgent
internal import SeifBackups
internal import SeifBytes
internal import SeifRecords
internal import SeifVault

/// How the rule of backups stands in the vault: a login with a tag, as destinations do, so that backups carry it.
///
/// An import or a merge can leave several, or several fields in one. Of all that are there the strictest counts: what comes
/// with a file can ask for more, and can't loosen what its person asks for.
enum BackupRuleItem {
  private static let field = "seif-backup-rule"
  private static let title = "Rule for backups"

  /// What the vault says.
  enum Found: Equatable {
    case none
    case rule(BackupRule)
    /// There is one that can't be read, as from a newer Seif.
    case unreadable

    var rule: BackupRule? {
      guard case .rule(let rule) = self else { return nil }
      return rule
    }
  }

  static func entry(_ rule: BackupRule, now: Timestamp) -> Password {
    var login = Password(password: .empty)
    login.title = title
    login.updatedAt = now
    login.info.createdAt = now
    login.info.tags = [SettingTag.backupRule]
    login.info.customFields = [CustomField(name: field, value: SecretValue(utf8: rule.description))]
    return login
  }

  static func rule(in logins: [Password]) -> Found {
    // EXPOSE: a rule is no secret.
    let texts = logins.flatMap(\.info.customFields).filter { utf8Equal($0.name, field) }.map {
      $0.value.exposedText() ?? ""
    }
    guard !logins.isEmpty else { return .none }
    let rules = texts.map { BackupRule($0) }
    guard let first = rules.first, let first, !rules.contains(nil) else { return .unreadable }
    return .rule(rules.compactMap { $0 }.reduce(first) { $0.stricter($1) })
  }

  /// The entries of the vault that say one.
  static func all(in vault: any UnlockedVault) throws(VaultUseError) -> [EntrySummary] {
    try all(vault.list())
  }

  private static func all(_ summaries: [EntrySummary]) -> [EntrySummary] {
    summaries.filter { $0.kind == .passwords && $0.tags.contains(SettingTag.backupRule) }
  }

  /// What the vault says, by the list of all that is in it.
  static func find(in vault: any UnlockedVault, _ summaries: [EntrySummary]) throws(VaultUseError) -> Found {
    var logins: [Password] = []
    for summary in all(summaries) {
      if case .password(let login) = try vault.entry(summary.id).stored.entry { logins.append(login) }
    }
    return rule(in: logins)
  }
}
