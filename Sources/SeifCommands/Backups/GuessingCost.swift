internal import SeifCommandLine
internal import SeifBytes
internal import SeifCrypto
internal import SeifFormats

/// How fast passphrases are tried against a format, for the strength of a new one.
package struct GuessingCost: Sendable {
  /// Derivations a second on this machine, measured.
  package let perSecond: Double
  /// What the times that follow from it don't mean; nil where they can be taken as they are.
  package let caveat: String?

  package init(perSecond: Double, caveat: String? = nil) {
    self.perSecond = perSecond
    self.caveat = caveat
  }

  // Of a derivation with 200 rounds a thousand fit into this; a dear one takes longer by itself.
  private static let leastMilliseconds: Int64 = 50

  /// Of a format, by deriving with its parameters.
  init(of identifier: FormatIdentifier, version: Int) {
    let probe = SecretBytes(copying: SecretValue(utf8: "a probe"))
    let salt = [UInt8](repeating: 0, count: 16)
    let speed = try? Self.measured { () throws(CryptoError) in
      switch (identifier, version) {
      case (.authbackup, 2): _ = try Argon2id.deriveKey(passphrase: probe, salt: salt, cost: .authBackup)
      case (.twofac, _): _ = try PBKDF2.deriveKey(passphrase: probe, salt: salt, rounds: TwoFacFormat.rounds)
      default: _ = try PBKDF2.deriveKey(passphrase: probe, salt: salt, rounds: 600_000)
      }
      return true
    }
    // Where nothing can be derived nothing will be sealed either, and that says why.
    self.init(perSecond: (speed ?? nil) ?? 1, caveat: Self.caveat(identifier, version))
  }

  /// How often a second something is done, by doing it until there is something to measure; nil where it says that there
  /// is nothing to do.
  static func measured<Failure: Error>(_ derive: () throws(Failure) -> Bool) throws(Failure) -> Double? {
    let start = Clock.monotonicMilliseconds()
    var (count, elapsed) = (0, Int64(0))
    repeat {
      guard try derive() else { return nil }
      count += 1
      elapsed = Clock.monotonicMilliseconds() - start
    } while elapsed < leastMilliseconds
    return 1000 * Double(count) / Double(elapsed)
  }

  // A graphics card's thousands of units try a passphrase each where no memory is needed; Argon2id's memory is what keeps
  // them from it.
  private static func caveat(_ identifier: FormatIdentifier, _ version: Int) -> String? {
    switch (identifier, version) {
    case (.authbackup, 2): nil
    case (.twofac, _):
      "These times don't mean that it is safe so long: \(TwoFacFormat.rounds) rounds of PBKDF2 take next to no work and no "
        + "memory, and one graphics card does what thousands of machines like this do."
    default:
      "These times don't mean that it is safe so long: PBKDF2 takes no memory, and one graphics card does what thousands "
        + "of machines like this do."
    }
  }
}
