internal import SeifBytes
internal import SeifCrypto

/// Version 1: PBKDF2-HMAC-SHA256, additional data `authbackup:1:<rounds>:` ‖ salt. The layout without `tag`, with the tag
/// behind the ciphertext and no additional data, is what Android 1.0 wrote: the missing key alone tells it.
enum AuthBackupV1 {
  static let kdfName = "PBKDF2-HMAC-SHA256"
  static let standardRounds = 600_000

  static func readHeader(_ header: HeaderReader, options: ReadingOptions) throws(FormatError) -> AuthBackupFile {
    try AuthBackupFormat.checkAlgorithms(header, kdf: kdfName)
    let isAndroid = !header.has("tag")
    let rounds: Int
    let wanted = try header.int64("rounds")
    do throws(CostError) {
      rounds = try PBKDF2.checkedRounds(wanted, allowed: options.pbkdf2Rounds)
    } catch {
      throw .costRefused(error)
    }
    let salt = try header.base64("salt", byteCount: 16, lineBreaks: isAndroid)
    let nonce = try header.base64("nonce", byteCount: 12, lineBreaks: isAndroid)
    let ciphertext: SecretValue
    let tag: [UInt8]
    if isAndroid {
      (ciphertext, tag) = try header.ciphertextWithTag("ciphertext", lineBreaks: true)
    } else {
      ciphertext = try header.base64("ciphertext")
      tag = try header.base64("tag", byteCount: 16)
    }
    let facts = HeaderFacts(
      format: .authbackup, version: 1, variant: isAndroid ? "android-1.0" : "standard",
      keyDerivation: .pbkdf2(rounds: rounds), isHeaderBound: !isAndroid, readableFields: [])
    let sealed = SealedBody(
      keyDerivation: facts.keyDerivation, salt: salt, nonce: nonce, tag: tag,
      aad: isAndroid ? [] : aad(rounds: rounds, salt: salt), ciphertext: ciphertext)
    return AuthBackupFile(header: facts, sealed: sealed)
  }

  static func aad(rounds: Int, salt: [UInt8]) -> [UInt8] {
    Array("authbackup:1:\(rounds):".utf8) + salt
  }
}
