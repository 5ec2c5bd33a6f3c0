internal import SeifBytes
internal import SeifCrypto

/// What can be said of a file without its passphrase, and how well it protects what is inside.
public struct Inspection: Sendable {
  /// What the header says; nothing of it is proven.
  public let header: HeaderFacts
  /// The key derivation and its numbers in words.
  public let keyDerivation: String
  /// What the tag binds to the contents, so that it can't be changed unnoticed.
  public let bound: [String]
  /// What anyone can change unnoticed, or with no more notice than a wrong passphrase gives.
  public let notBound: [String]
  /// What can be read without the passphrase.
  public let inClear: [String]
  /// What is weak about this file or its format, in sentences.
  public let weaknesses: [String]
  /// Whether the file is a page that opens the backup in it.
  public let isSelfOpening: Bool
  /// How many passphrases this machine tries in a second, as the caller measured; nil: not measured or not sealed.
  public let guessesPerSecond: Double?

  /// The facts of a file.
  ///
  /// - Parameters:
  ///   - isSelfOpening: as `FormatInput` says.
  ///   - guessesPerSecond: from timing `deriveOnce`.
  public init(_ file: any BackupFile, isSelfOpening: Bool = false, guessesPerSecond: Double? = nil) {
    header = file.header
    keyDerivation = header.keyDerivation.words
    (bound, notBound) = Self.binding(header)
    inClear = header.readableFields
    self.isSelfOpening = isSelfOpening
    weaknesses =
      Self.weaknesses(header)
      + (isSelfOpening
        ? ["The page isn't sealed: whoever can change the file can make it a page that gives the passphrase away."]
        : [])
    self.guessesPerSecond = header.isSealed ? guessesPerSecond : nil
  }

  /// How many seconds it takes this machine to try half of so many equally likely passphrases; nil if not measured.
  public func secondsToGuess(outOf count: Double) -> Double? {
    guessesPerSecond.flatMap { $0 > 0 ? count / 2 / $0 : nil }
  }

  /// Does the derivation of one guess and drops the key, so that a caller with a clock can measure it.
  ///
  /// - Returns: false for a file that isn't sealed.
  /// - Throws: `cryptography`, for want of memory.
  public static func deriveOnce(_ header: HeaderFacts) throws(FormatError) -> Bool {
    guard header.isSealed else { return false }
    _ = try SealedBody.deriveKey(
      header.keyDerivation, salt: [UInt8](repeating: 0, count: 16),
      passphrase: SecretBytes(copying: SecretValue(utf8: "correct horse battery staple")))
    return true
  }

  private static func binding(_ header: HeaderFacts) -> (bound: [String], notBound: [String]) {
    switch header.format {
    case .authbackup where header.isHeaderBound:
      let cost = header.version == 1 ? ["rounds"] : ["memoryKiB", "passes", "lanes"]
      return (["format", "version"] + cost + ["salt", "the contents"], ["the letter case of kdf"])
    // A changed number or salt gives another key, and the file doesn't open; that is all that protects them.
    case .authbackup: return (["the contents"], ["the header"])
    case .vault2fa: return (["the contents"], ["the header", "created"])
    case .twofac where header.isSealed:
      return (["each entry's contents"], ["createdAt", "labels", "colours", "order and number of entries"])
    case .seifvault:
      return (["each way in's parameters", "each row's contents, place and revision", "all rows together"], [])
    case .twofac, .uriList, .json: return ([], ["everything"])
    }
  }

  private static func weaknesses(_ header: HeaderFacts) -> [String] {
    guard header.isSealed else {
      return ["Nothing is sealed: whoever has the file has every secret in it, and can change it unnoticed."]
    }
    var found: [String] = []
    switch header.keyDerivation {
    case .none: break
    case .pbkdf2(let rounds):
      if rounds < AuthBackupV1.standardRounds {
        found.append(
          "Only \(counted(rounds, "round")): \(AuthBackupV1.standardRounds) are usual, and each guess is cheaper so.")
      }
      found.append("PBKDF2 needs no memory: graphics cards guess many passphrases at once.")
    case .argon2id(let cost):
      let standard = Argon2idCost.authBackup
      if cost.memoryKiB < standard.memoryKiB || cost.memoryKiB * cost.passes < standard.memoryKiB * standard.passes {
        found.append("The key costs less than the format's own 64 MiB and 3 passes: each guess is cheaper so.")
      }
    }
    switch header.format {
    case .authbackup where !header.isHeaderBound:
      found.append("This is the layout of Android 1.0: nothing of the header is bound to the contents.")
    case .vault2fa:
      found.append("The header isn't bound to the contents: the time in it can be anything.")
    case .twofac:
      found.append("200 rounds protect next to nothing: the file is as strong as its passkey alone.")
      found.append("Entries can be left out, exchanged or added from another file of the same passkey unnoticed.")
      if !header.clearLabels.isEmpty { found.append("Issuer and name of the accounts can be read by anyone.") }
    default: break
    }
    return found
  }
}
