import SeifBytes
import SeifCrypto
import SeifTestSupport
import Testing

@Suite struct AES256GCMTests {
  static let key = [UInt8](0..<32)

  func cipher(pieceByteCount: Int? = nil) throws -> AES256GCM {
    let key = SecretBytes(copying: Self.key.span.bytes)
    if let pieceByteCount { return try AES256GCM(key: key, pieceByteCount: pieceByteCount) }
    return try AES256GCM(key: key)
  }

  func nonce(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: 12) }

  func failure(_ body: () throws(CryptoError) -> Void) -> CryptoError? {
    do throws(CryptoError) {
      try body()
      return nil
    } catch { return error }
  }

  @Test(arguments: [0, 1, 16, 24, 31, 33, 64]) func keysOfOtherLengthsAreRefused(_ count: Int) {
    let key = [UInt8](repeating: 1, count: count)
    #expect(
      failure { () throws(CryptoError) in _ = try AES256GCM(key: SecretBytes(copying: key.span.bytes)) }
        == .badLength("key"))
  }

  @Test(arguments: [0, 1, 8, 11, 13, 16, 1024]) func noncesOfOtherLengthsAreRefused(_ count: Int) throws {
    let cipher = try cipher()
    let nonce = [UInt8](repeating: 1, count: count)
    let empty: [UInt8] = []
    var output: [UInt8] = []
    #expect(
      failure { () throws(CryptoError) in
        _ = try cipher.sealCombined(([1, 2] as [UInt8]).span.bytes, nonce: nonce, aad: empty.span.bytes)
      } == .badLength("nonce"))
    #expect(
      failure { () throws(CryptoError) in
        _ = try cipher.open(
          ([1] as [UInt8]).span.bytes, nonce: nonce, tag: [UInt8](repeating: 0, count: 16), aad: empty.span.bytes)
      } == .badLength("nonce"))
    output.withUnsafeMutableBytes { output in
      let fault = failure { () throws(CryptoError) in
        _ = try cipher.seal(empty.span.bytes, nonce: nonce, aad: empty.span.bytes, into: output)
      }
      #expect(fault == .badLength("nonce"))
    }
  }

  @Test(arguments: 0...33) func onlyTheWholeTagOpens(_ count: Int) throws {
    let cipher = try cipher()
    let sealed = try cipher.sealCombined(
      ([1, 2, 3] as [UInt8]).span.bytes, nonce: nonce(1), aad: ([9] as [UInt8]).span.bytes)
    let tag = Array((sealed.suffix(16) + [UInt8](repeating: 0, count: 17)).prefix(count))
    let fault = failure { () throws(CryptoError) in
      _ = try cipher.open(sealed[12..<15].span.bytes, nonce: nonce(1), tag: tag, aad: ([9] as [UInt8]).span.bytes)
    }
    #expect(fault == (count == 16 ? nil : .badLength("tag")))
  }

  @Test(arguments: 0...28) func aCombinedValueHasAtLeast28Bytes(_ count: Int) throws {
    let sealed = [UInt8](repeating: 0, count: count)
    let cipher = try cipher()
    let fault = failure { () throws(CryptoError) in
      _ = try cipher.openCombined(sealed.span.bytes, aad: [UInt8]().span.bytes)
    }
    #expect(fault == (count < 28 ? .badLength("sealed value") : .authenticationFailed))
  }

  @Test func nothingIsSealedAndOpened() throws {
    let cipher = try cipher()
    let empty: [UInt8] = []
    let sealed = try cipher.sealCombined(empty.span.bytes, nonce: nonce(0), aad: empty.span.bytes)
    #expect(sealed.count == 28)
    #expect(try cipher.openCombined(sealed.span.bytes, aad: empty.span.bytes) == .empty)
    // The tag depends on the additional data alone.
    let other = try cipher.sealCombined(empty.span.bytes, nonce: nonce(0), aad: ([0] as [UInt8]).span.bytes)
    #expect(other != sealed)
  }

  @Test func everyBitOfASealedValueCounts() throws {
    let cipher = try cipher()
    let aad: [UInt8] = [4, 5, 6]
    let plaintext: [UInt8] = Array(0..<21)
    let sealed = try cipher.sealCombined(plaintext.span.bytes, nonce: nonce(3), aad: aad.span.bytes)
    for bit in 0..<sealed.count * 8 {
      var altered = sealed
      altered[bit / 8] ^= 1 << UInt8(bit % 8)
      let fault = failure { () throws(CryptoError) in
        _ = try cipher.openCombined(altered.span.bytes, aad: aad.span.bytes)
      }
      #expect(fault == .authenticationFailed, "bit \(bit)")
    }
    for bit in 0..<aad.count * 8 {
      var altered = aad
      altered[bit / 8] ^= 1 << UInt8(bit % 8)
      let fault = failure { () throws(CryptoError) in
        _ = try cipher.openCombined(sealed.span.bytes, aad: altered.span.bytes)
      }
      #expect(fault == .authenticationFailed, "bit \(bit) of the additional data")
    }
    // After all these failures the object still opens what is right.
    #expect(try cipher.openCombined(sealed.span.bytes, aad: aad.span.bytes) == SecretValue(plaintext))
  }

  @Test func openedIntoABufferOnlyWhatIsAuthenticStays() throws {
    let cipher = try cipher()
    let plaintext: [UInt8] = Array(1...40)
    let aad: [UInt8] = [1]
    var sealed = try cipher.sealCombined(plaintext.span.bytes, nonce: nonce(9), aad: aad.span.bytes)
    let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 16)
    defer { output.deallocate() }
    output.initializeMemory(as: UInt8.self, repeating: 0xEE)
    #expect(try cipher.openCombined(sealed.span.bytes, aad: aad.span.bytes, into: output) == 40)
    #expect(Array(output) == plaintext + [UInt8](repeating: 0xEE, count: 24))
    sealed[67] ^= 1
    let fault = failure { () throws(CryptoError) in
      _ = try cipher.openCombined(sealed.span.bytes, aad: aad.span.bytes, into: output)
    }
    #expect(fault == .authenticationFailed)
    #expect(Array(output) == [UInt8](repeating: 0, count: 40) + [UInt8](repeating: 0xEE, count: 24))
  }

  @Test func manyOperationsUnderOneObjectEqualFreshObjects() throws {
    let shared = try cipher()
    var generator = SeededGenerator(seed: 7)
    for round in 0..<300 {
      let plaintext = (0..<Int.random(in: 0...200, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      let aad = (0..<Int.random(in: 0...40, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator)
      }
      let nonce = (0..<12).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let fresh = try cipher()
      let sealed = try shared.sealCombined(plaintext.span.bytes, nonce: nonce, aad: aad.span.bytes)
      let expected = try fresh.sealCombined(plaintext.span.bytes, nonce: nonce, aad: aad.span.bytes)
      #expect(sealed == expected, "round \(round)")
      // Sealing and opening take turns, and a failed opening stands between them.
      if round % 3 == 0 {
        #expect(
          failure { () throws(CryptoError) in
            _ = try shared.openCombined(sealed.span.bytes, aad: ([1, 2] as [UInt8]).span.bytes)
          }
            != nil)
      }
      #expect(try shared.openCombined(sealed.span.bytes, aad: aad.span.bytes) == SecretValue(plaintext))
    }
  }

  // OpenSSL takes lengths of 31 bits, so input beyond 1 GiB goes in pieces: here with pieces that fit a test.
  @Test(arguments: [1, 7, 15, 16, 17, 64]) func piecesOfAnySizeGiveTheSameBytes(_ piece: Int) throws {
    let whole = try cipher()
    let pieces = try cipher(pieceByteCount: piece)
    for count in [0, 1, piece - 1, piece, piece + 1, 2 * piece, 2 * piece + 1, 10 * piece + 3] {
      let plaintext = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 31) }
      let aad = (0..<count + 1).map { UInt8(truncatingIfNeeded: $0 * 17) }
      let expected = try whole.sealCombined(plaintext.span.bytes, nonce: nonce(9), aad: aad.span.bytes)
      let sealed = try pieces.sealCombined(plaintext.span.bytes, nonce: nonce(9), aad: aad.span.bytes)
      #expect(sealed == expected, "\(count) bytes")
      #expect(
        try pieces.openCombined(sealed.span.bytes, aad: aad.span.bytes) == SecretValue(plaintext), "\(count) bytes")
    }
  }

  // The bytes that would have been the plaintext stood in memory of ours until the tag was compared.
  @Test func whatDoesNotAuthenticateLeavesNoPlaintext() throws {
    let needle = MemoryScan(randomByteCount: 48)
    let cipher = try cipher()
    let empty: [UInt8] = []
    var sealed: [UInt8] = try {
      let plaintext = SecretBytes(byteCount: 48) {
        needle.write(to: $0); return 48
      }
      return try plaintext.withBytes { try cipher.sealCombined($0, nonce: nonce(1), aad: empty.span.bytes) }
    }()
    #expect(needle.count() == 0)
    do {
      let opened = try cipher.openCombined(sealed.span.bytes, aad: empty.span.bytes)
      #expect(needle.count() == 1)
      withExtendedLifetime(opened) {}
    }
    #expect(needle.count() == 0)
    sealed[sealed.count - 1] ^= 1
    #expect(
      failure { () throws(CryptoError) in _ = try cipher.openCombined(sealed.span.bytes, aad: empty.span.bytes) }
        == .authenticationFailed)
    #expect(needle.count() == 0)
  }

  @Test func theKeyScheduleIsWipedWithTheObject() throws {
    // OpenSSL keeps the first two round keys as they came: the key itself.
    let needle = MemoryScan(randomByteCount: 32)
    let secret = SecretBytes(byteCount: 32) {
      needle.write(to: $0); return 32
    }
    let before = needle.count()
    #expect(before == 1)
    do {
      let cipher = try AES256GCM(key: secret)
      let empty: [UInt8] = []
      let sealed = try cipher.sealCombined(empty.span.bytes, nonce: nonce(1), aad: empty.span.bytes)
      #expect(sealed.count == 28)
    }
    #expect(needle.count() == before)
  }
}
