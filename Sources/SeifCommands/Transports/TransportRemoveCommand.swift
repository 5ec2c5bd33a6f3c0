internal import SeifCommandLine
internal import SeifAgent
internal import SeifBackups
internal import SeifBytes
internal import SeifRecords
internal import SeifVault

/// `seif transport remove NAME`: the vault forgets a destination; what lies there stays.
struct TransportRemoveCommand: Command {
  static let name = "transport remove"
  static let summary = "forget a destination; its backups stay there"
  static let usage = """
    seif transport remove NAME [OPTIONS]

    Puts the destination's settings into the bin for 30 days. The backups that lie there,
    and what the ledger knows of them, stay. What was allowed in a browser (google-drive,
    dropbox) is taken back there, which seif undo doesn't undo; --keep-permission leaves it.
    """
  static let keepPermission = Option.flag("keep-permission", "leave what was allowed in a browser as it is")
  static var options: [Option] { [keepPermission] + UnlockOptions.options + OutputOptions.options }

  private let name: String
  private let keepsPermission: Bool
  private let unlock: UnlockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    name = try arguments.positional("NAME")
    keepsPermission = arguments.flag(Self.keepPermission)
    unlock = try UnlockOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let folder = try unlock.vault.folder(context.environment)
    let vault = try unlock.use(.readWrite, context)
    defer { vault.lock() }
    let found = try withVault(folder) { () throws(VaultUseError) in
      try TransportItem.all(in: vault, importedToo: true).filter { $0.name.utf8.elementsEqual(name.utf8) }
    }
    guard !found.isEmpty else {
      let guess = try TransportItem.guess(name, in: vault, folder)
      throw CommandFailure(
        .notFound, "the vault knows no destination \(name)\(guess)", hint: "See: seif transport list")
    }
    let permission = keepsPermission ? nil : try permission(found, vault, folder, context)
    try withVault(folder) { () throws(VaultUseError) in
      _ = try vault.apply(found.map { .remove($0.id) }, ifCounterIs: nil)
    }
    if output.json {
      let entries = found.map { ($0.id, $0.kind, $0.name, $0.account) }
      try context.output.writeLine(json: EntriesDocument.text("seif-transport-remove", entries))
    }
    context.talk.say(.ok, "\(name) is no destination any more; what lies there stays.")
    if let permission { takeBack(permission, context) }
    context.talk.hintUndo()
    return .done
  }

  private struct Permission {
    var kind: TransportKind
    var settings: TransportSettings
    /// A destination that asks the same account as the same client: at some services the permission is one for both.
    var other: String?
  }

  /// What was allowed in a browser for the destination; nil: nothing was.
  private func permission(
    _ found: [EntrySummary], _ vault: any UnlockedVault, _ folder: String, _ context: Context
  ) throws(CommandFailure) -> Permission? {
    let transports = context.transports
    guard found.count == 1, let first = found.first, first.tags.contains(TransportItem.tag) else { return nil }
    return try withVault(folder) { () throws(VaultUseError) -> Permission? in
      guard let shown = try Self.settings(of: first, in: vault), let kind = transports[shown.kind], kind.revoke != nil
      else { return nil }
      let entry = try vault.revealed(vault.entry(first.id))
      guard case .password(let login) = entry, let whole = TransportItem.settings(login), kind.isAllowed(by: whole)
      else { return nil }
      var other: String?
      for summary in try TransportItem.all(in: vault) where summary.id != first.id {
        guard let theirs = try Self.settings(of: summary, in: vault), theirs.kind == shown.kind,
          ["client-id", "app-key", "account"].allSatisfy({ theirs.values[$0] == shown.values[$0] })
        else { continue }
        other = theirs.name
      }
      return Permission(kind: kind, settings: whole, other: other)
    }
  }

  /// What isn't secret stays all that is read.
  private static func settings(
    of summary: EntrySummary, in vault: any UnlockedVault
  ) throws(VaultUseError) -> TransportSettings? {
    guard case .password(let login) = try vault.entry(summary.id).stored.entry else { return nil }
    return TransportItem.settings(login)
  }

  private func takeBack(_ permission: Permission, _ context: Context) {
    let place = permission.kind.displayName
    if let other = permission.other {
      return context.talk.say("What you allowed stays valid at \(place): \(other) has the same account.")
    }
    do throws(TransportError) {
      if try context.transports.revoke(permission.settings) {
        context.talk.say("What you allowed was taken back at \(place); undo doesn't bring that back.")
      }
    } catch {
      context.talk.warn(
        "What you allowed may stay valid at \(place), since it couldn't be taken back (\(error)): "
          + "do so in the settings of your account there.")
    }
  }
}
