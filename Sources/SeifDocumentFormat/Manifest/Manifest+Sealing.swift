public import SeifBytes
internal import SeifCrypto

extension Manifest {
  /// Opens a sealed manifest: nonce ‖ ciphertext ‖ tag under the master key, no additional data.
  ///
  /// - Throws: `badLength` for fewer than 28 bytes or more than 16 MiB, before anything is opened; `cannotOpen`; what
  ///   reading throws.
  public init(opening blob: [UInt8], masterKey: borrowing SecretBytes) throws(DocumentFormatError) {
    guard (DocumentLimits.sealedOverhead...DocumentLimits.manifestByteCount).contains(blob.count) else {
      throw .badLength
    }
    let text: SecretValue
    do throws(CryptoError) {
      text = unsafe try AES256GCM(key: masterKey).openCombined(blob.span.bytes, aad: RawSpan())
    } catch {
      throw .cannotOpen
    }
    try self.init(parsing: text)
  }

  /// Seals it under the master key.
  ///
  /// - Parameter nonce: 12 bytes, drawn at random and never used before under this key.
  /// - Throws: `badLength` where it would be larger than 16 MiB, `cannotOpen` for a key or nonce of another length.
  public func sealed(masterKey: borrowing SecretBytes, nonce: [UInt8]) throws(DocumentFormatError) -> [UInt8] {
    let text = text()
    guard text.byteCount <= DocumentLimits.manifestByteCount - DocumentLimits.sealedOverhead else { throw .badLength }
    do throws(CryptoError) {
      let cipher = try AES256GCM(key: masterKey)
      return try text.withBytes { (bytes) throws(CryptoError) in
        try cipher.sealCombined(bytes, nonce: nonce, aad: RawSpan())
      }
    } catch {
      throw .cannotOpen
    }
  }
}
