internal import SeifBytes

/// Tags of logins that are settings of Seif's own. They are entries so that backups carry them; to a person they are no
/// logins, and no list shows them that wasn't asked for their tag.
package enum SettingTag {
  /// A destination of backups.
  package static let destination = "seif-transport"
  /// One that came with a file.
  package static let importedDestination = "seif-transport-imported"
  /// How old the last backup may be.
  package static let backupRule = "seif-backup-rule"
  /// A rule that came with a file.
  package static let importedBackupRule = "seif-backup-rule-imported"
  /// Who the person is at a server of document vaults. One that came with a file is a login like any other: who has it signs
  /// in again.
  package static let signIn = "seif-server"
  /// All of them.
  package static let all = [destination, importedDestination, backupRule, importedBackupRule, signIn]

  /// What makes two settings the same thing, beside what logins have; nil: the login is none.
  ///
  /// Nothing but a setting of its kind meets one, so that no login of a file can take its place or vanish in it. Two rules
  /// that say different things are two.
  static func identity(of login: Password) -> [SecretValue]? {
    let tags = login.info.tags
    if tags.contains(destination) || tags.contains(importedDestination) { return [SecretValue(utf8: destination)] }
    if tags.contains(signIn) { return [SecretValue(utf8: signIn)] }
    guard tags.contains(backupRule) || tags.contains(importedBackupRule) else { return nil }
    return [SecretValue(utf8: backupRule)]
      + login.info.customFields.filter { utf8Equal($0.name, backupRule) }.map(\.value)
  }
}

extension Password {
  /// Whether it is a setting of Seif's own.
  package var isSetting: Bool { info.tags.contains { SettingTag.all.contains($0) } }
}
