internal import SeifBytes
internal import SeifCrypto

/// Version 2: Argon2id, additional data `authbackup:2:argon2id:<memoryKiB>:<passes>:<lanes>:` ‖ salt with the numbers of the
/// header; the name in it is in lower case however the header spells `kdf`.
enum AuthBackupV2 {
  static let kdfName = "Argon2id"

  static func readHeader(_ header: HeaderReader, options: ReadingOptions) throws(FormatError) -> AuthBackupFile {
    try AuthBackupFormat.checkAlgorithms(header, kdf: kdfName)
    let (memoryKiB, passes) = (try header.int64("memoryKiB"), try header.int64("passes"))
    let lanes = try header.int64("lanes")
    let cost: Argon2idCost
    do throws(CostError) {
      cost = try Argon2idCost(memoryKiB: memoryKiB, passes: passes, lanes: lanes, limits: options.argon2id)
    } catch {
      throw .costRefused(error)
    }
    let salt = try header.base64("salt", byteCount: 16)
    let nonce = try header.base64("nonce", byteCount: 12)
    let ciphertext = try header.base64("ciphertext")
    let tag = try header.base64("tag", byteCount: 16)
    let facts = HeaderFacts(
      format: .authbackup, version: 2, variant: "standard", keyDerivation: .argon2id(cost), isHeaderBound: true,
      readableFields: [])
    let sealed = SealedBody(
      keyDerivation: facts.keyDerivation, salt: salt, nonce: nonce, tag: tag, aad: aad(cost: cost, salt: salt),
      ciphertext: ciphertext)
    return AuthBackupFile(header: facts, sealed: sealed)
  }

  static func aad(cost: Argon2idCost, salt: [UInt8]) -> [UInt8] {
    Array("authbackup:2:argon2id:\(cost.memoryKiB):\(cost.passes):\(cost.lanes):".utf8) + salt
  }
}
