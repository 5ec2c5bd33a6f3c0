internal import SeifCommandLine
internal import SeifAgent
internal import SeifBackups
internal import SeifBytes
internal import SeifRecords
internal import SeifVault

/// How a destination stands in the vault: a login with the tag `seif-transport`, so that backups carry it. Its title is
/// the destination's name; `url`, `user` and `password` stand where a person would look for them, the rest in fields.
enum TransportItem {
  static let tag = SettingTag.destination
  private static let kindField = "seif-transport"
  private static let conditionField = "refuses-overwriting"
  /// The place's name in the ledger, for a program that can't make the transport itself.
  private static let placeField = "ledger-place"
  /// What says that a person approved it for snapshots.
  private static let approvalField = "approved-for-snapshots"
  /// Whether it is looked at for backups of other machines.
  private static let restoreField = SettingField.automaticRestore
  /// Settings that aren't in fields: one of their names would give them a second value.
  private static let ownPlaces = ["url", "user", "password"]

  /// The entry for some settings.
  ///
  /// - Parameter place: its name in the ledger.
  static func entry(
    _ settings: TransportSettings, fields: [TransportField], place: String? = nil, now: Timestamp
  ) -> Password {
    var login = Password(password: settings.secrets["password"] ?? .empty)
    login.title = settings.name
    login.username = settings.values["user"] ?? ""
    login.updatedAt = now
    login.info.createdAt = now
    login.info.tags = [tag]
    login.info.urls = settings.values["url"].map { [$0] } ?? []
    var custom = [CustomField(name: kindField, value: SecretValue(utf8: settings.kind))]
    custom.append(condition(settings.createsConditionally))
    if let place { custom.append(CustomField(name: placeField, value: SecretValue(utf8: place))) }
    for field in fields where !ownPlaces.contains(field.name) {
      if let value = settings.values[field.name] {
        custom.append(CustomField(name: field.name, value: SecretValue(utf8: value)))
      }
      if let secret = settings.secrets[field.name] {
        custom.append(CustomField(name: field.name, value: secret, isSecret: true))
      }
    }
    login.info.customFields = custom
    return login
  }

  /// The entry, marked as one that its person has looked at.
  static func approved(_ login: Password) -> Password {
    var login = login
    login.info.tags = login.info.tags.filter { $0 != SettingTag.importedDestination && $0 != tag } + [tag]
    return login
  }

  /// The settings that an entry holds; nil: it says no kind, or something twice, as after a merge with another's.
  static func settings(_ login: Password) -> TransportSettings? {
    // EXPOSE: settings that aren't secret, such as addresses, are text.
    func text(_ field: CustomField) -> String { field.value.exposedText() ?? "" }
    let custom = login.info.customFields
    guard let kind = custom.first(where: { $0.name == kindField && !$0.isSecret }),
      Set(custom.map { Array($0.name.utf8) }).count == custom.count,
      !custom.contains(where: { ownPlaces.contains($0.name) })
    else { return nil }
    var settings = TransportSettings(name: login.title, kind: text(kind))
    if let url = login.info.urls.first { settings.values["url"] = url }
    if !login.username.isEmpty { settings.values["user"] = login.username }
    if !login.password.isEmpty { settings.secrets["password"] = login.password }
    for field in custom where ![kindField, approvalField, restoreField].contains(field.name) {
      if field.isSecret {
        settings.secrets[field.name] = field.value
      } else if field.name == conditionField {
        settings.createsConditionally = text(field) == "yes"
      } else if field.name != placeField {
        settings.values[field.name] = text(field)
      }
    }
    return settings
  }

  /// The entry with what a test found out about the place.
  static func noting(_ createsConditionally: Bool, place: String?, in login: Password) -> Password {
    var login = login
    login.info.customFields.removeAll { [conditionField, placeField].contains($0.name) && !$0.isSecret }
    login.info.customFields.append(condition(createsConditionally))
    if let place { login.info.customFields.append(CustomField(name: placeField, value: SecretValue(utf8: place))) }
    return login
  }

  /// The place's name in the ledger as the entry has it.
  static func place(_ login: Password) -> String? {
    // EXPOSE: an address, shown by lists.
    login.info.customFields.first { $0.name == placeField && !$0.isSecret }?.value.exposedText()
  }

  /// What the person calls the places of the ledger, by that place's bytes; of two names the first counts.
  static func names(
    in vault: any UnlockedVault, _ summaries: [EntrySummary], _ context: Context
  ) throws(VaultUseError) -> [[UInt8]: String] {
    var names: [[UInt8]: String] = [:]
    for summary in summaries where summary.kind == .passwords && summary.tags.contains(tag) {
      // Secrets aren't asked for: they stay masked where the agent holds them.
      guard case .password(let login) = try vault.entry(summary.id).stored.entry, let settings = settings(login) else {
        continue
      }
      let transport = try? context.transports.transport(settings)
      guard let found = transport.map(DestinationOptions.place(of:)) ?? place(login) else { continue }
      let key = Array(found.utf8)
      if names[key] == nil { names[key] = settings.name }
    }
    return names
  }

  /// What puts a secret that the place has replaced into the entry.
  static func keeper(of id: UUID, in vault: any UnlockedVault) -> @Sendable (String, SecretValue) throws -> Void {
    // Called by who uses the transport, which is the thread that has the vault, and waits meanwhile.
    nonisolated(unsafe) let vault = vault
    return { field, value in
      let read = try vault.entry(id)
      guard case .password(var login) = read.stored.entry else { return }
      login.info.customFields.removeAll { utf8Equal($0.name, field) }
      login.info.customFields.append(CustomField(name: field, value: value, isSecret: true))
      _ = try vault.apply([.replace(id, .password(login))], ifCounterIs: read.counter)
    }
  }

  /// The approval that stands in an entry; nil: none that can be one.
  static func approval(in login: Password) -> [UInt8]? {
    let field = login.info.customFields.first { $0.name == approvalField && !$0.isSecret }
    // EXPOSE: a digest.
    return field?.value.exposedText().flatMap { try? Base16.decode($0) }
  }

  /// The entry with an approval.
  static func approved(_ login: Password, by approval: [UInt8]) -> Password {
    var login = login
    login.info.customFields.removeAll { $0.name == approvalField }
    login.info.customFields.append(
      CustomField(name: approvalField, value: SecretValue(utf8: Base16.encode(approval))))
    return login
  }

  /// Whether it is chosen for automatic restore, and on or off; nil: it isn't chosen.
  static func restores(_ login: Password) -> Bool? {
    let field = login.info.customFields.first { $0.name == restoreField && !$0.isSecret }
    // EXPOSE: one of two words.
    return field?.value.exposedText().map { utf8Equal($0, "on") }
  }

  /// The entry with that; nil: not chosen.
  static func restoring(_ isOn: Bool?, _ login: Password) -> Password {
    var login = login
    login.info.customFields.removeAll { $0.name == restoreField }
    if let isOn {
      login.info.customFields.append(CustomField(name: restoreField, value: SecretValue(utf8: isOn ? "on" : "off")))
    }
    return login
  }

  private static func condition(_ isRefused: Bool) -> CustomField {
    CustomField(name: conditionField, value: SecretValue(utf8: isRefused ? "yes" : "no"))
  }

  /// The destinations that a vault knows.
  static func all(
    in vault: any UnlockedVault, importedToo: Bool = false
  ) throws(VaultUseError) -> [EntrySummary] {
    try vault.list().filter { summary in
      summary.kind == .passwords
        && (summary.tags.contains(tag) || importedToo && summary.tags.contains(SettingTag.importedDestination))
    }
  }

  /// A question after the name that may have been meant; empty: none is near.
  static func guess(
    _ name: String, in vault: any UnlockedVault, _ folder: String
  ) throws(CommandFailure) -> String {
    let names = try withVault(folder) { () throws(VaultUseError) in try all(in: vault, importedToo: true).map(\.name) }
    return Suggestion.nearest(to: name, among: names).map { ". Did you mean \($0)?" } ?? ""
  }

  /// The settings of the destination of a name, with its secrets; nil: there is none.
  ///
  /// - Throws: two have the name, or the entry says no kind.
  ///
  /// - Parameter importedToo: also one that came with a file and that nobody has looked at yet.
  static func settings(
    named name: String, in vault: any UnlockedVault, _ folder: String, importedToo: Bool = false
  ) throws(CommandFailure) -> (id: UUID, settings: TransportSettings, isImported: Bool)? {
    let found = try withVault(folder) { () throws(VaultUseError) in
      try all(in: vault, importedToo: true).filter { utf8Equal($0.name, name) }
    }
    guard let first = found.first else { return nil }
    guard found.count == 1 else {
      throw CommandFailure(
        .badInput, "the vault has \(found.count) destinations called \(name)", hint: "Rename one: seif edit")
    }
    let entry = try withVault(folder) { () throws(VaultUseError) in try vault.revealed(vault.entry(first.id)) }
    guard case .password(let login) = entry, let settings = settings(login) else {
      throw CommandFailure(
        .badInput, "the entry \(name) doesn't say, or says twice, what kind of destination it is",
        hint: "Add it anew: seif transport add")
    }
    let isImported = !first.tags.contains(tag)
    guard !isImported || importedToo else {
      throw CommandFailure(
        .badInput, "the destination \(name) came with a file and isn't used until you have looked at it",
        hint: "seif transport test \(name)")
    }
    return (first.id, settings, isImported)
  }
}
