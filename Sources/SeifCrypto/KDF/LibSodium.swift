private import CSodium
private import Glibc

/// The faster library for one lane, loaded when a key is derived: most commands never do.
enum LibSodium {
  static let fileName = "libsodium.so.23"
  /// Length of the only salt it takes, in bytes.
  static let saltByteCount = Int(crypto_pwhash_SALTBYTES)

  private static let function: seif_crypto_pwhash? = {
    guard let library = unsafe dlopen(fileName, RTLD_LAZY | RTLD_LOCAL) else { return nil }
    guard let start = unsafe dlsym(library, "sodium_init"), let derive = unsafe dlsym(library, "crypto_pwhash") else {
      return nil
    }
    guard unsafe unsafeBitCast(start, to: seif_sodium_init.self)() >= 0 else { return nil }
    return unsafe unsafeBitCast(derive, to: seif_crypto_pwhash.self)
  }()

  /// Fills `output` with Argon2id's bytes for one lane. Lengths and costs are checked by the caller,
  /// `Argon2id.deriveKey`.
  static func derive(
    into output: UnsafeMutableRawBufferPointer, passphrase: UnsafeRawBufferPointer, salt: [UInt8], cost: Argon2idCost
  ) throws(CryptoError) {
    guard let function = unsafe function else { throw .libraryMissing(fileName, package: "libsodium23") }
    let status = unsafe function(
      output.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt64(output.count),
      passphrase.baseAddress?.assumingMemoryBound(to: CChar.self), UInt64(passphrase.count), salt, UInt64(cost.passes),
      cost.memoryKiB << 10, crypto_pwhash_ALG_ARGON2ID13)
    // With its parameters checked, libsodium fails only for want of memory.
    guard status == 0 else { throw .outOfMemory }
  }
}
