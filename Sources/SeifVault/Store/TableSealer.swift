internal import SeifBytes
internal import SeifCrypto

/// Seals and opens the values of one table, each bound to its row, column and revision.
///
/// The key schedule, the additional data's buffer and a supply of random bytes are kept between calls: an import seals
/// three hundred thousand values.
final class TableSealer {
  private let cipher: AES256GCM
  private let prefix: [UInt8]
  private let random: RandomSource
  private var aad: [UInt8] = []
  private var supply: [UInt8] = []

  init(table: String, key: borrowing SecretBytes, random: RandomSource) throws(VaultError) {
    do throws(CryptoError) {
      cipher = try AES256GCM(key: key)
    } catch {
      throw VaultError(.outOfMemory)
    }
    prefix = Array("seif-row:1:\(table):".utf8)
    self.random = random
  }

  /// `nonce ‖ ciphertext ‖ tag`.
  func seal(_ plaintext: RawSpan, row: UUID, column: String, revision: Int64) throws(VaultError) -> [UInt8] {
    setContext(row, column, revision)
    do throws(CryptoError) {
      let (nonce, aad) = (makeNonce(), aad)
      return try cipher.sealCombined(plaintext, nonce: nonce, aad: aad.span.bytes)
    } catch {
      throw VaultError(.internalFailure, "sealing")
    }
  }

  func seal(_ plaintext: SecretValue, row: UUID, column: String, revision: Int64) throws(VaultError) -> [UInt8] {
    try plaintext.withBytes { (bytes) throws(VaultError) in
      try seal(bytes, row: row, column: column, revision: revision)
    }
  }

  /// The plaintext, or `damaged` if the value isn't one that was sealed for exactly this place.
  func open(_ sealed: RawSpan, row: UUID, column: String, revision: Int64) throws(VaultError) -> SecretValue {
    setContext(row, column, revision)
    do throws(CryptoError) {
      let aad = aad
      return try cipher.openCombined(sealed, aad: aad.span.bytes)
    } catch {
      throw VaultError(.damaged, "\(column) of a row doesn't open at its place")
    }
  }

  private func setContext(_ row: UUID, _ column: String, _ revision: Int64) {
    aad.removeAll(keepingCapacity: true)
    aad.append(contentsOf: prefix)
    row.appendText(to: &aad)
    aad.append(UInt8(ascii: ":"))
    aad.append(contentsOf: column.utf8)
    aad.append(UInt8(ascii: ":"))
    aad.append(contentsOf: String(revision).utf8)
  }

  private func makeNonce() -> [UInt8] {
    if supply.isEmpty { supply = random.makeBytes(AES256GCM.nonceByteCount * 64) }
    let nonce = Array(supply.suffix(AES256GCM.nonceByteCount))
    supply.removeLast(AES256GCM.nonceByteCount)
    return nonce
  }
}

extension UUID {
  /// Appends the 36 characters of the lower-case text.
  func appendText(to buffer: inout [UInt8]) {
    func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }
    for (index, byte) in bytes.enumerated() {
      if index == 4 || index == 6 || index == 8 || index == 10 { buffer.append(UInt8(ascii: "-")) }
      buffer.append(digit(byte >> 4))
      buffer.append(digit(byte & 15))
    }
  }
}
