internal import SeifBytes
internal import SeifCrypto
internal import SeifFormats

/// How fast this machine tries passphrases against a format, for the strength of a new one.
enum SealingSpeed {
  /// Derivations a second with the format's parameters, by one of them.
  static func derivationsPerSecond(_ identifier: FormatIdentifier, version: Int) -> Double {
    let start = Clock.monotonicMilliseconds()
    let probe = SecretBytes(copying: SecretValue(utf8: "a probe"))
    let salt = [UInt8](repeating: 0, count: 16)
    switch (identifier, version) {
    case (.authbackup, 2): _ = try? Argon2id.deriveKey(passphrase: probe, salt: salt, cost: .authBackup)
    case (.twofac, _): _ = try? PBKDF2.deriveKey(passphrase: probe, salt: salt, rounds: 200)
    default: _ = try? PBKDF2.deriveKey(passphrase: probe, salt: salt, rounds: 600_000)
    }
    return 1000 / Double(max(1, Clock.monotonicMilliseconds() - start))
  }
}
