internal import SeifCommandLine
internal import SeifAgent
internal import SeifBackups
internal import SeifBytes
internal import SeifRecords
internal import SeifVault

/// How the rule of backups stands in the vault: a login with a tag, as destinations do, so that backups carry it.
///
/// Of all that are there the strictest counts. One that came with a file counts for nothing until its person has looked at
/// it: it could ask for less than they think.
enum BackupRuleItem {
  private static let field = SettingTag.backupRule
  private static let title = "Rule for backups"

  /// What the vault says.
  enum Found: Equatable {
    case none
    case rule(BackupRule)
    /// There is one that can't be read, as from a newer Seif; beside it the strictest of those that can.
    case unreadable(beside: BackupRule?)

    var rule: BackupRule? {
      guard case .rule(let rule) = self else { return nil }
      return rule
    }
    var isReadable: Bool { if case .unreadable = self { false } else { true } }
  }

  /// What stands in the vault.
  struct Standing: Equatable {
    /// What counts.
    var found = Found.none
    /// What came with a file, and counts for nothing yet.
    var imported = Found.none
    /// The entries of both.
    var ids: [UUID] = []
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
    guard !texts.isEmpty else { return .none }
    let rules = texts.map { BackupRule($0) }
    let readable = rules.compactMap { $0 }
    let strictest = readable.first.map { readable.reduce($0) { $0.stricter($1) } }
    guard let strictest, readable.count == rules.count else { return .unreadable(beside: strictest) }
    return .rule(strictest)
  }

  /// Whether a login with the tag is a rule: a destination is none, whatever its tags are, and neither is a login that only
  /// has the tag.
  static func isRule(_ login: Password) -> Bool {
    let names = login.info.customFields.map(\.name)
    return names.contains { utf8Equal($0, field) } && !names.contains { utf8Equal($0, SettingTag.destination) }
  }

  /// What the vault says, by the list of all that is in it.
  static func standing(
    in vault: any UnlockedVault, _ summaries: [EntrySummary]
  ) throws(VaultUseError) -> Standing {
    var (own, imported): ([Password], [Password]) = ([], [])
    var standing = Standing()
    let tags = [SettingTag.backupRule, SettingTag.importedBackupRule]
    for summary in summaries where summary.kind == .passwords && summary.tags.contains(where: tags.contains) {
      guard case .password(let login) = try vault.entry(summary.id).stored.entry, isRule(login) else { continue }
      standing.ids.append(summary.id)
      if summary.tags.contains(SettingTag.backupRule) { own.append(login) } else { imported.append(login) }
    }
    standing.found = rule(in: own)
    standing.imported = rule(in: imported)
    return standing
  }
}
