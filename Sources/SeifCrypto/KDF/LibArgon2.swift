private import CArgon2
private import Glibc
internal import SeifBytes

/// The reference library, loaded when a derivation with several lanes is asked for: few files do, and start-up is short.
enum LibArgon2 {
  private typealias ArgonFunction = @convention(c) (UnsafeMutablePointer<argon2_context>?) -> Int32

  static let fileName = "libargon2.so.1"

  private static let function: ArgonFunction? = {
    guard let library = unsafe dlopen(fileName, RTLD_NOW | RTLD_LOCAL) else { return nil }
    guard let symbol = unsafe dlsym(library, "argon2id_ctx") else { return nil }
    return unsafe unsafeBitCast(symbol, to: ArgonFunction.self)
  }()

  /// Lengths and costs are checked by the caller, `Argon2id.deriveKey`: each fits 32 bits.
  static func deriveKey(
    passphrase: borrowing SecretBytes, salt: [UInt8], cost: Argon2idCost, byteCount: Int, secret: [UInt8],
    associatedData: [UInt8]
  ) throws(CryptoError) -> SecretBytes {
    guard let function = unsafe function else { throw .libraryMissing(fileName, package: "libargon2-1") }
    return unsafe try SecretBytes(byteCount: byteCount) { (output) throws(CryptoError) in
      // The context wants mutable pointers; without its clearing flags the library only reads them.
      var (salt, secret, associatedData) = (salt, secret, associatedData)
      let status: Int32 = passphrase.withBytes { bytes in
        unsafe bytes.withUnsafeBytes { passphrase in
          unsafe salt.withUnsafeMutableBufferPointer { salt in
            unsafe secret.withUnsafeMutableBufferPointer { secret in
              unsafe associatedData.withUnsafeMutableBufferPointer { associatedData in
                var context = unsafe argon2_context()
                unsafe context.out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
                unsafe context.outlen = UInt32(output.count)
                unsafe context.pwd = UnsafeMutableRawPointer(mutating: passphrase.baseAddress)?
                  .assumingMemoryBound(to: UInt8.self)
                unsafe context.pwdlen = UInt32(passphrase.count)
                unsafe context.salt = salt.baseAddress
                unsafe context.saltlen = UInt32(salt.count)
                if !secret.isEmpty {
                  unsafe context.secret = secret.baseAddress
                  unsafe context.secretlen = UInt32(secret.count)
                }
                if !associatedData.isEmpty {
                  unsafe context.ad = associatedData.baseAddress
                  unsafe context.adlen = UInt32(associatedData.count)
                }
                unsafe context.t_cost = UInt32(cost.passes)
                unsafe context.m_cost = UInt32(cost.memoryKiB)
                unsafe context.lanes = UInt32(cost.lanes)
                unsafe context.threads = UInt32(cost.lanes)
                unsafe context.version = 0x13
                return unsafe function(&context)
              }
            }
          }
        }
      }
      guard status == 0 else { throw status == -22 ? .outOfMemory : .internalFailure("argon2id_ctx") }
      return byteCount
    }
  }
}
