internal import SeifCommandLine
internal import SeifAgent
internal import SeifBackups
internal import SeifBytes
internal import SeifRecords
internal import SeifVault

/// Destinations to which snapshots go without a person: approved by one who opened the vault for that.
///
/// The agent lets every program of its user change entries; it never tells passwords without being asked. So that none of
/// them has the agent send a destination's password elsewhere, an approval covers all settings, and is made with a key
/// that no client of the agent has.
enum ApprovedDestinations {
  /// A destination and its settings.
  struct Found: Sendable {
    var id: UUID
    var settings: TransportSettings
    var isApproved: Bool
    /// Whether it is chosen for automatic restore, and on or off.
    var restores: Bool?
  }

  /// The destinations of a vault that its person has looked at.
  static func all(in vault: Vault) throws(VaultError) -> [Found] {
    let summaries = try vault.summaries().filter { $0.kind == .passwords && $0.tags.contains(TransportItem.tag) }
    var found: [Found] = []
    for summary in summaries {
      guard case .password(let login) = try vault.entry(summary.id).entry,
        let settings = TransportItem.settings(login)
      else { continue }
      let wanted = try vault.approval(of: content(settings))
      let given = TransportItem.approval(in: login) ?? []
      found.append(
        Found(
          id: summary.id, settings: settings, isApproved: constantTimeEqual(given.span.bytes, wanted.span.bytes),
          restores: TransportItem.restores(login)))
    }
    return found
  }

  /// Approves a destination as it is now.
  static func approve(_ found: Found, in vault: Vault) throws(VaultError) {
    let counter = try vault.counter()
    guard case .password(let login) = try vault.entry(found.id).entry,
      let settings = TransportItem.settings(login), content(settings) == content(found.settings)
    else { throw VaultError(.changedMeanwhile) }
    let approval = try vault.approval(of: content(settings))
    _ = try vault.apply(
      [.replace(found.id, .password(TransportItem.approved(login, by: approval)))], ifCounterIs: counter)
  }

  /// What is approved: where it goes and with what, not how it is called.
  private static func content(_ settings: TransportSettings) -> SecretValue {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("kind", settings.kind)
    settings.writeSecrets(&writer)
    settings.writeValues(&writer)
    writer.endObject()
    return writer.finish()
  }
}
