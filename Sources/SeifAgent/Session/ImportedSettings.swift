internal import SeifBytes
package import SeifRecords
package import SeifVault

/// What becomes of settings that come with a file.
///
/// A destination names servers that get credentials, and programs that are run; a rule says which backups are enough. One
/// that came with a file isn't used until its person has looked at it: an import or a restore gives it another tag. What a
/// vault holds of its own stays as it is.
enum ImportedSettings {
  /// The entries of a file as they may come. A login that only has the tag of a setting, and says none, is a login: it would
  /// be hidden else.
  static func disarmed(_ records: Records) -> Records {
    var records = records
    records.passwords = records.passwords.map { $0.isSetting ? disarmed($0) : $0 }
    return records
  }

  private static func disarmed(_ login: Password) -> Password {
    let tags = login.info.tags
    func says(_ field: String) -> Bool { login.info.customFields.contains { $0.name == field } }
    var kept = tags.filter { !SettingTag.all.contains($0) }
    if says(SettingTag.destination) {
      if tags.contains(SettingTag.destination) || tags.contains(SettingTag.importedDestination) {
        kept.append(SettingTag.importedDestination)
      }
    } else if says(SettingTag.backupRule) {
      if tags.contains(SettingTag.backupRule) || tags.contains(SettingTag.importedBackupRule) {
        kept.append(SettingTag.importedBackupRule)
      }
    }
    var login = login
    login.info.tags = kept
    // Which of the destinations is looked at by itself is chosen here, whatever a file says.
    if says(SettingTag.destination) {
      login.info.customFields.removeAll { utf8Equal($0.name, SettingField.automaticRestore) }
    }
    return login
  }

  /// Which entries of a vault are settings.
  static func ids(in held: [(UUID, Entry)]) -> Set<UUID> { Set(held.filter { $0.1.isSetting }.map(\.0)) }

  /// The changes of an import, with none of a setting that is there.
  static func sparing(_ own: Set<UUID>, _ changes: [VaultChange]) -> [VaultChange] {
    changes.filter { change in
      if case .replace(let id, _) = change { !own.contains(id) } else { true }
    }
  }

  /// What becomes of an entry of the file, where what it meets stays as it is.
  static func sparing(_ own: Set<UUID>, _ item: MergePlan.Item) -> MergePlan.Outcome {
    guard let id = item.existing, own.contains(id) else { return item.outcome }
    return switch item.outcome {
    case .updated: .same
    case .restored: .restored(fields: [])
    default: item.outcome
    }
  }
}

extension EntrySummary {
  /// Whether it is a setting.
  package var isSetting: Bool { kind == .passwords && tags.contains { SettingTag.all.contains($0) } }
}

extension Entry {
  /// Whether it is a setting.
  package var isSetting: Bool { if case .password(let login) = self { login.isSetting } else { false } }
}
