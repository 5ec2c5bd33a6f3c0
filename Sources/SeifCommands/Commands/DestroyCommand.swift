internal import SeifCommandLine
internal import SeifBytes
internal import SeifVault

/// `seif destroy`: the vault is gone for good.
struct DestroyCommand: Command {
  static let name = "destroy"
  static let summary = "erase the vault for good"
  static let usage = """
    seif destroy [OPTIONS]

    Erases all that opens the vault, then overwrites and removes its file and what is
    remembered of it. You are told what is in it and type a word. There is no way back and
    no option that answers for you.

    Backups and copies of the file that were made before stay as they are: each opens
    with what opened it, until you delete it where it lies.
    """
  static var options: [Option] { UnlockOptions.options }

  private let unlock: UnlockOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    unlock = try UnlockOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let location = try unlock.location(context)
    let hasWays = try withVaultErrors(location.folder) { () throws(VaultError) in
      if Vault.isHalfDestroyed(at: location) { return false }
      return try !Vault.open(at: location, access: .readOnly).waysIn.isEmpty
    }
    guard hasWays else {
      try ask("This vault has no way in left: it was being destroyed.", context)
      try withVaultErrors(location.folder) { () throws(VaultError) in try Vault.destroyRest(at: location) }
      return done(location, context)
    }
    let (vault, _) = try unlock.unlockKeeping(.readOnly, inPerson: true, context)
    defer { vault.lock() }
    let (counts, bin, ways) = try withVaultErrors(location.folder) { () throws(VaultError) in
      let summaries = try vault.summaries()
      let counts = KindName.allCases.map { kind in (kind, summaries.count { kind.fits($0.kind) }) }
      return (counts, try vault.binnedCount(), try vault.waysIn())
    }
    var parts = counts.filter { $0.1 > 0 }.map { "\($0.1) \($0.0.rawValue)\($0.1 == 1 ? "" : "s")" }
    if bin > 0 { parts.append("\(bin) in the bin") }
    let contents = parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
    try ask("This erases \(contents), and \(ways.count) ways in, in \(location.folder).", context)
    do throws(VaultError) {
      try vault.openForWriting()
      try vault.destroy()
    } catch {
      throw WayInSentences.failure(error, folder: location.folder)
    }
    for way in ways { try WayInChoice.erase(way, of: vault, context) }
    return done(location, context)
  }

  private func ask(_ statement: String, _ context: Context) throws(CommandFailure) {
    guard try context.confirm(typing: "destroy", statement, insteadGive: nil) else { throw Context.cancelled }
  }

  private func done(_ location: VaultLocation, _ context: Context) -> ExitCode {
    context.talk.say(.ok, "The vault in \(location.folder) is gone.")
    context.talk.say(
      "Older copies of it and backups are whole: each still opens with what opened it. Delete them where they lie.")
    return .done
  }
}
