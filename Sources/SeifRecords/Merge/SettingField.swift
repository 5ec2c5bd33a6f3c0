/// Fields of Seif's own settings that more than one part of it reads.
package enum SettingField {
  /// Of a destination, whether it is looked at for backups of other machines: `on` or `off`.
  package static let automaticRestore = "automatic-restore"
}
