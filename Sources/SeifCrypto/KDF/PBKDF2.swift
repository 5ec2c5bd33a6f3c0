private import COpenSSL
public import SeifBytes

/// PBKDF2 with HMAC (RFC 8018 §5.2).
public enum PBKDF2 {
  /// How many rounds a file may ask for.
  public static let allowedRounds: ClosedRange<Int64> = 1...10_000_000

  /// Checks a number of rounds read from a file.
  ///
  /// - Throws: the field `rounds` and the range, before anything is derived.
  public static func checkedRounds(
    _ rounds: Int64?, field: String = "rounds", allowed: ClosedRange<Int64> = allowedRounds
  ) throws(CostError) -> Int {
    // OpenSSL counts rounds in 32 bits.
    let allowed = allowed.clamped(to: 1...Int64(Int32.max))
    guard let rounds, allowed.contains(rounds) else {
      throw CostError(field: field, value: rounds, allowed: allowed)
    }
    return Int(rounds)
  }

  /// A key of `byteCount` bytes.
  ///
  /// - Parameter rounds: as `checkedRounds` gives it.
  /// - Parameter salt: any length below 2 GiB, as of the passphrase.
  /// - Throws: `badLength`, `costOutOfRange`, both before anything is derived.
  public static func deriveKey(
    passphrase: borrowing SecretBytes, salt: [UInt8], rounds: Int, byteCount: Int = 32, function: HashFunction = .sha256
  ) throws(CryptoError) -> SecretBytes {
    guard let count = Int32(exactly: rounds), count > 0 else {
      throw .costOutOfRange(CostError(field: "rounds", value: Int64(rounds), allowed: allowedRounds))
    }
    guard let saltCount = Int32(exactly: salt.count) else { throw .badLength("salt") }
    guard let passphraseCount = Int32(exactly: passphrase.byteCount) else { throw .badLength("passphrase") }
    guard let outputCount = Int32(exactly: byteCount), outputCount > 0 else { throw .badLength("derived key") }
    return unsafe try SecretBytes(byteCount: byteCount) { (output) throws(CryptoError) in
      let status = passphrase.withBytes { bytes in
        unsafe bytes.withUnsafeBytes { passphrase in
          // A null passphrase with length 0 is taken for the empty one.
          unsafe libcrypto.pointee.PKCS5_PBKDF2_HMAC(
            passphrase.baseAddress?.assumingMemoryBound(to: CChar.self), passphraseCount, salt, saltCount, count,
            function.evp, outputCount, output.baseAddress?.assumingMemoryBound(to: UInt8.self))
        }
      }
      guard status == 1 else { throw .internalFailure("PKCS5_PBKDF2_HMAC") }
      return byteCount
    }
  }
}
