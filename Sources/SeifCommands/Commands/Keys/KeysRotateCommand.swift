internal import SeifCommandLine
internal import SeifBytes
internal import SeifVault

/// `seif keys rotate`: everything sealed anew under a new key.
struct KeysRotateCommand: Command {
  static let name = "keys rotate"
  static let summary = "seal everything anew under a new key"
  static let usage = """
    seif keys rotate [OPTIONS]

    For the day after a theft: makes a new key and seals the whole vault anew under it, in
    a new file that takes the place of the old one. What opened the old file doesn't open
    the new one.

    You are asked for every other way in, and each is proven. One that you don't present is
    named, and dropped if you say so (--drop WAY). The recovery code isn't asked for: a new
    one is made, shown and typed back, or written to a sheet, and takes the place of the
    old one, which a thief may have seen. The new file is opened by each of
    its ways in, in another process, before it takes its place. Needs the vault alone: no
    other Seif may have it open.

    A copy of the vault that was made before still opens with what opened it, and shows
    what was in it then. Change what matters most at the services themselves.
    """
  static let drop = Option.value("drop", "WAY", repeats: true, "give up a way in, by kind or id, without presenting it")
  static var options: [Option] {
    [drop] + UnlockOptions.options + PresentedWays.own + RecoverySheet.options + [OutputOptions.quiet]
  }

  private let dropped: [String]
  private let unlock: UnlockOptions
  private let presented: PresentedWays
  private let sheet: RecoverySheet

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    dropped = arguments.values(Self.drop)
    unlock = try UnlockOptions(&arguments)
    presented = try PresentedWays(&arguments)
    sheet = try RecoverySheet(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    try sheet.check(otherwise: "Nothing was changed.", context)
    // Found by the rotation itself too, but by then a person has written down a code that counts for nothing.
    if unlock.isOpenInAgent(context) {
      throw WayInSentences.failure(VaultError(.busy), folder: try unlock.location(context).folder)
    }
    let opened = try unlock.unlockKeeping(.readOnly, inPerson: true, context)
    let vault = opened.vault
    defer { vault.lock() }
    let location = vault.location
    let ways = try withVaultErrors(location.folder) { () throws(VaultError) in try vault.waysIn() }
    Self.tellOfCodes(ways, context)
    var gone = Set<UUID>()
    for text in dropped { gone.insert(try WayInChoice.one(text, among: ways).id) }
    var materials: [UUID: WayInMaterial] = [:]
    for way in ways where way.kind != .recovery && !gone.contains(way.id) {
      if way.id == vault.openedBy {
        materials[way.id] = opened.material
      } else if let material = try present(way, among: ways, location, context) {
        materials[way.id] = material
      } else {
        try giveUp(way, context)
        gone.insert(way.id)
      }
    }
    let code = RecoveryCode.make()
    let secret = code.withBytes { SecretBytes(copying: $0) }
    try sheet.present(code, folder: location.folder, context)
    let passphrases = ways.filter { way in
      way.kind == .passphrase && materials[way.id].map { StrongWays.keepsRules($0, way: way) } ?? false
    }
    do {
      try rotate(
        vault, materials, code, WayInMaterial(.recovery, secret: secret), gone, Set(passphrases.map(\.id)), context)
    } catch {
      // The code on it opens nothing; after the last step it may.
      if error.exitCode != .ioFailed { sheet.discard() }
      throw error
    }
    for way in ways where gone.contains(way.id) { try WayInChoice.erase(way, of: vault, context) }
    context.talk.say(.ok, "Everything is sealed under a new key. The new recovery code is the one that counts.")
    context.talk.say("Copies of the vault and backups made before now still open with what opened them.")
    context.talk.hint("seif backup create --destination FOLDER")
    return .done
  }

  /// What is presented of a way in, proven on the vault as it is; a person may try three times.
  private func present(
    _ way: WayIn, among ways: [WayIn], _ location: VaultLocation, _ context: Context
  ) throws(CommandFailure) -> WayInMaterial? {
    try presented.tried(way, among: ways, context) { (material) throws(CommandFailure) in
      try PresentedWays.prove(material, location, way, among: ways, context)
    }
  }

  /// Codes are never presented: the new one takes the place of all that there are.
  private static func tellOfCodes(_ ways: [WayIn], _ context: Context) {
    let codes = ways.filter { $0.kind == .recovery }
    guard codes.count > 1 else { return }
    let made = codes.map { $0.createdAt.map { LocalTime.text($0) } ?? "at a time not known" }
    context.talk.warn(
      "the vault has \(codes.count) recovery codes (made \(made.joined(separator: " and "))); one new code takes the "
        + "place of all, and none of them will open it")
  }

  private func giveUp(_ way: WayIn, _ context: Context) throws(CommandFailure) {
    let made = way.createdAt.map { ", made \(LocalTime.text($0))," } ?? ""
    let question = "\(way.kind.words)\(made) wasn't presented. Drop it for good?"
    guard try context.confirm(question, insteadGive: "--drop \(way.kind.name)") else { throw Context.cancelled }
  }

  private func rotate(
    _ vault: Vault, _ materials: [UUID: WayInMaterial], _ code: borrowing RecoveryCode, _ codeMaterial: WayInMaterial,
    _ gone: Set<UUID>, _ passphrases: Set<UUID>, _ context: Context
  ) throws(CommandFailure) {
    let devices = Devices(environment: context.environment)
    var failure: CommandFailure?
    do throws(VaultError) {
      var presented: [PresentedWayIn] = []
      for (id, material) in materials {
        presented.append(PresentedWayIn(id: id, provider: try material.provider(devices)))
      }
      try vault.openForWriting()
      try vault.rotate(presented: presented, recoveryCode: code, dropped: gone, passphrases: passphrases) {
        (candidate, ways) throws(VaultError) in
        for way in ways {
          let material = way.kind == .recovery ? codeMaterial : materials[way.id]
          guard let material else { throw VaultError(.internalFailure, "way_in") }
          do throws(CommandFailure) {
            try FreshProcess.prove(material, opens: candidate, way: way.id, context)
          } catch {
            failure = error
            throw VaultError(.unverified)
          }
        }
      }
    } catch {
      throw failure ?? WayInSentences.failure(error, folder: vault.location.folder)
    }
  }
}
