internal import SeifBytes
package import SeifRecords
package import SeifVault

/// What marks a login as a destination of backups.
///
/// A destination names servers that get credentials, and programs that are run. One that came with a file isn't used until
/// its person has looked at it: an import or a restore gives it another tag.
package enum DestinationTag {
  /// It is used.
  package static let used = "seif-transport"
  /// It came with a file.
  package static let imported = "seif-transport-imported"

  /// The changes of an import, with no destination that wasn't one of this vault's before.
  static func disarmed(_ changes: [VaultChange], in held: [(UUID, Entry)]) -> [VaultChange] {
    let own = Set(held.filter { isUsed($0.1) }.map(\.0))
    return changes.map { change in
      switch change {
      case .add(let entry): isUsed(entry) ? .add(disarmed(entry)) : change
      case .replace(let id, let entry): isUsed(entry) && !own.contains(id) ? .replace(id, disarmed(entry)) : change
      default: change
      }
    }
  }

  private static func isUsed(_ entry: Entry) -> Bool { entry.info.tags.contains(used) }

  private static func disarmed(_ entry: Entry) -> Entry {
    var entry = entry
    var tags = entry.info.tags.filter { $0 != used && $0 != imported }
    tags.append(imported)
    entry.info.tags = tags
    return entry
  }
}

/// Entries that are settings of Seif's own. They are entries so that backups carry them; to a person they are no logins, and
/// no list shows them that wasn't asked for their tag.
package enum SettingTag {
  /// How old the last backup may be.
  package static let backupRule = "seif-backup-rule"
  /// All of them.
  package static let all = [DestinationTag.used, DestinationTag.imported, backupRule]
}

extension EntrySummary {
  /// Whether it is a setting.
  package var isSetting: Bool { kind == .passwords && tags.contains { SettingTag.all.contains($0) } }
}

extension Entry {
  /// Whether it is a setting.
  package var isSetting: Bool {
    if case .password(let login) = self { login.info.tags.contains { SettingTag.all.contains($0) } } else { false }
  }
}
