internal import SeifCommandLine
internal import SeifBytes
internal import SeifVault

/// What a person presents of several ways in: by options, or asked for one after the other on a terminal.
struct PresentedWays: OptionGroup, Sendable {
  static let codeFD = Option.value("recovery-code-fd", "N", "read the recovery code from descriptor N, one line")
  static let codeFile = Option.value("recovery-code-file", "F", "read the recovery code from a file, one line")
  static let pinFD = Option.value("pin-fd", "N", "read the PIN of the TPM or key from descriptor N, one line")
  static let pinFile = Option.value("pin-file", "F", "read the PIN of the TPM or key from a file, one line")
  static var options: [Option] { PassphraseOptions.options + own }
  /// For commands that have the passphrase's options from elsewhere.
  static let own: [Option] = [codeFD, codeFile, pinFD, pinFile]

  private let passphrase: PassphraseSource
  private let code: PassphraseSource
  private let pin: PassphraseSource

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    passphrase = try PassphraseOptions(&arguments).source
    code = try PassphraseSource(arguments, Self.codeFD, Self.codeFile)
    pin = try PassphraseSource(arguments, Self.pinFD, Self.pinFile)
  }

  /// Which one is meant, where a vault has several of a kind: what `keys list` says of it.
  private static func which(_ way: WayIn, among ways: [WayIn]) -> String {
    guard ways.count(where: { $0.kind == way.kind }) > 1 else { return "" }
    let made = way.createdAt.map { " made \(LocalTime.text($0))," } ?? ""
    return ", the one\(made) id \(way.id.description.prefix(WayInChoice.digits))"
  }

  /// What is presented of a way in and does what is wanted of it; a person whose answer doesn't may try three times.
  ///
  /// - Parameter attempt: throws where it doesn't open the vault.
  /// - Returns: nil where it was left out.
  func tried(
    _ way: WayIn, among ways: [WayIn], _ context: Context,
    _ attempt: (WayInMaterial) throws(CommandFailure) -> Void
  ) throws(CommandFailure) -> WayInMaterial? {
    var tries = 0
    while let material = try material(for: way, among: ways, context) {
      tries += 1
      do throws(CommandFailure) {
        try attempt(material)
        return material
      } catch {
        // Another try makes sense where something was typed.
        guard tries < 3, material.secret != nil, asksPerson(way), TerminalDevice(context) != nil else { throw error }
        context.talk.fail(error)
      }
    }
    return nil
  }

  /// Proves in another process that what was presented of a way in opens the vault by it.
  ///
  /// - Throws: where it belongs to another way in of the kind, a failure that says so.
  static func prove(
    _ material: WayInMaterial, _ location: VaultLocation, _ way: WayIn, among ways: [WayIn], _ context: Context
  ) throws(CommandFailure) {
    do throws(CommandFailure) {
      try FreshProcess.prove(material, opens: location, way: way.id, context)
    } catch {
      guard [.passphrase, .recovery].contains(way.kind), error.exitCode == .refused else { throw error }
      let meant = ways.first { other in
        guard other.kind == way.kind, other.id != way.id else { return false }
        return (try? FreshProcess.prove(material, opens: location, way: other.id, context)) != nil
      }
      guard let meant else { throw error }
      // On one line of a terminal; when each was made stands in the question and in the list.
      throw CommandFailure(
        error.exitCode, "that isn't the \(way.kind.name) \(way.shortID)",
        hint: "It is another of them: \(meant.shortID).")
    }
  }

  private func asksPerson(_ way: WayIn) -> Bool {
    switch way.kind {
    case .passphrase: passphrase == .person
    case .recovery: code == .person
    default: pin == .person
    }
  }

  /// What is presented of a way in; nil where the person leaves it out or there is nobody to ask.
  ///
  /// A source that isn't the person is read once: of several ways in of a kind, it speaks of the first.
  ///
  /// - Parameter ways: all of the vault's, so that the question says which of them is meant.
  func material(for way: WayIn, among ways: [WayIn], _ context: Context) throws(CommandFailure) -> WayInMaterial? {
    let source: PassphraseSource
    let question: String
    switch way.kind {
    case .passphrase: (source, question) = (passphrase, "Passphrase for the vault")
    case .recovery: (source, question) = (code, "Recovery code")
    case .other: return nil
    default:
      guard way.asksForPIN else {
        guard way.kind == .fido2 else { return WayInMaterial(way.kind) }
        guard TerminalDevice(context) != nil else { return nil }
        let isThere = try context.confirm(
          "Is the security key\(Self.which(way, among: ways)) plugged in?", insteadGive: "--with")
        return isThere ? WayInMaterial(way.kind) : nil
      }
      (source, question) = (pin, "PIN of \(way.kind.words)")
    }
    if source == .person, TerminalDevice(context) == nil { return nil }
    let given: SecretBytes
    do throws(CommandFailure) {
      given = try source.readAny(question: "\(question)\(Self.which(way, among: ways)) (Enter: leave it out)", context)
    } catch {
      // Two ways in of one kind, and a descriptor that gives one.
      guard error.exitCode == .usage, source != .person, error.what.contains("only one thing") else { throw error }
      return nil
    }
    return given.byteCount > 0 ? WayInMaterial(way.kind, secret: given) : nil
  }
}
