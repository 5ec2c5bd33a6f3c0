import SeifBytes
import SeifCrypto
import Testing

@Suite struct AES256GCMStreamTests {
  private let key = [UInt8](0..<32)
  private let nonce = [UInt8](repeating: 5, count: 12)
  private let aad: [UInt8] = [7, 8, 9]

  private func pieces(_ bytes: [UInt8], _ size: Int) -> [[UInt8]] {
    stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
  }

  @Test(arguments: [1, 15, 16, 17, 4096]) func piecesGiveWhatOneCallGives(_ size: Int) throws {
    let secret = SecretBytes(copying: key.span.bytes)
    for count in [0, 1, size, size + 1, 3 * size - 1, 3 * size] {
      let plaintext = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 31) }
      let whole = try AES256GCM(key: secret).sealCombined(plaintext.span.bytes, nonce: nonce, aad: aad.span.bytes)
      var sealing = try AES256GCMSealing(key: secret, nonce: nonce, aad: aad.span.bytes)
      var blob = nonce
      for piece in pieces(plaintext, size) {
        var output = [UInt8](repeating: 0, count: piece.count)
        try output.withUnsafeMutableBytes { try sealing.update(piece.span.bytes, into: $0) }
        blob += output
      }
      blob += try sealing.finish()
      #expect(blob == whole, "\(count) bytes")
    }
  }

  @Test func everyBitCountsAtTheEnd() throws {
    let secret = SecretBytes(copying: key.span.bytes)
    let sealed = try AES256GCM(key: secret).sealCombined(
      ([1, 2, 3] as [UInt8]).span.bytes, nonce: nonce, aad: aad.span.bytes)
    for bit in 96..<sealed.count * 8 {
      var altered = sealed
      altered[bit / 8] ^= 1 << UInt8(bit % 8)
      var opening = try AES256GCMOpening(key: secret, nonce: nonce, aad: aad.span.bytes)
      var output = [UInt8](repeating: 0, count: 3)
      try output.withUnsafeMutableBytes { try opening.update(altered[12..<15].span.bytes, intoUnverified: $0) }
      let tag = Array(altered[15...])
      var fault: CryptoError?
      do throws(CryptoError) { try opening.finish(tag: tag.span.bytes) } catch { fault = error }
      #expect(fault == .authenticationFailed, "bit \(bit)")
    }
  }

  @Test(arguments: [0, 11, 13, 16]) func noncesOfOtherLengthsAreRefused(_ count: Int) {
    let secret = SecretBytes(copying: key.span.bytes)
    let other = [UInt8](repeating: 1, count: count)
    #expect(throws: CryptoError.badLength("nonce")) { _ = try AES256GCMSealing(key: secret, nonce: other).finish() }
    let tag = [UInt8](repeating: 0, count: 16)
    #expect(throws: CryptoError.badLength("nonce")) {
      try AES256GCMOpening(key: secret, nonce: other).finish(tag: tag.span.bytes)
    }
  }
}
