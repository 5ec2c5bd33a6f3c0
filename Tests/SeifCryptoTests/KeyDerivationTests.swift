import SeifBytes
import SeifTestSupport
import Testing

@testable import SeifCrypto

@Suite struct HKDFTests {
  func derive(_ key: [UInt8], _ salt: [UInt8], _ info: [UInt8], _ count: Int) throws -> SecretBytes {
    try HKDF.deriveKey(from: SecretBytes(copying: key.span.bytes), salt: salt, info: info, byteCount: count)
  }

  // RFC 5869, appendix A.1 to A.3.
  @Test func theVectorsOfTheRFC() throws {
    let first = try derive(
      [UInt8](repeating: 0x0B, count: 22), Array(0...0x0C), Array(0xF0...0xF9), 42)
    try expectEqual(
      first,
      Base16.decode(
        "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"))
    let second = try derive(Array(0...0x4F), Array(0x60...0xAF), Array(0xB0...0xFF), 82)
    try expectEqual(
      second,
      Base16.decode(
        "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c"
          + "59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71"
          + "cc30c58179ec3e87c14c01d5c1f3434f1d87"))
    let third = try derive([UInt8](repeating: 0x0B, count: 22), [], [], 42)
    try expectEqual(
      third,
      Base16.decode(
        "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"))
  }

  @Test func aLongerKeyBeginsWithTheShorterOne() throws {
    let longest = try derive([1, 2, 3], [4], [5], 8160)
    for count in [1, 31, 32, 33, 63, 64, 65, 8159] {
      let key = try derive([1, 2, 3], [4], [5], count)
      #expect(key.byteCount == count)
      let isSame = longest.withBytes { long in key.withBytes { constantTimeEqual(long.extracting(0..<count), $0) } }
      #expect(isSame)
    }
  }

  @Test(arguments: [Int.min, -1, 0, 8161, .max]) func impossibleLengthsAreRefused(_ count: Int) {
    #expect(throws: CryptoError.badLength("derived key")) { _ = try derive([1], [], [], count) }
  }

  // The extracted key and both blocks of this derivation, computed elsewhere and held inverted: none may be left.
  @Test func neitherTheExtractedKeyNorABlockIsLeft() throws {
    let prk = try Base16.decode("0ba1ef5180a20f455bab98ec8b99679d0717ffeb861d7a9bce1f6ec4c7dd1289")
    let first = try Base16.decode("14ab2abca8e7ce18a861c2345178716ecb1ed46dd63cfd74b6d93ec9ffa544d9")
    let second = try Base16.decode("d02962d4bb1b7a7d2a7a4f4172b874908077ba3e559f20d14f30014f4092c762")
    let needles = [prk, first, second].map { MemoryScan(inverted: $0) }
    do {
      let key = try derive(Array(0..<64), Array("a salt of this test".utf8), Array("wipe".utf8), 40)
      // The last 24 bytes of the second block are beyond the key, but in its pages until they are unmapped.
      #expect(needles.map { $0.count() } == [0, 1, 1])
      #expect(key.byteCount == 40)
    }
    #expect(needles.map { $0.count() } == [0, 0, 0])
  }
}

@Suite struct PBKDF2Tests {
  func derive(
    _ rounds: Int, byteCount: Int = 32, function: HashFunction = .sha256, passphrase: String = "password"
  ) throws(CryptoError) -> SecretBytes {
    try PBKDF2.deriveKey(
      passphrase: SecretBytes(copying: SecretValue(utf8: passphrase)), salt: Array("salt".utf8), rounds: rounds,
      byteCount: byteCount, function: function)
  }

  // RFC 6070; the last with SHA-256 as RFC 7914 §11 has it for another passphrase is in Wycheproof's file.
  @Test func theVectorsOfTheRFC() throws {
    let one = try derive(1, byteCount: 20, function: .sha1)
    try expectEqual(one, Base16.decode("0c60c80f961f0e71f3a9b524af6012062fe037a6"))
    let many = try derive(4096, byteCount: 20, function: .sha1)
    try expectEqual(many, Base16.decode("4b007901b765489abead49d926f721d065a429c1"))
  }

  @Test func anEmptyPassphraseIsOne() throws {
    let expected = try Python.lines(
      "import hashlib; print(hashlib.pbkdf2_hmac('sha256', b'', b'salt', 3).hex())")
    let key = try derive(3, passphrase: "")
    try expectEqual(key, Base16.decode(String(expected.first ?? "")))
  }

  @Test func theRoundsOfAFileAreHeldToTheirRange() throws {
    func isTaken(_ rounds: Int64?, _ allowed: ClosedRange<Int64> = PBKDF2.allowedRounds) -> Bool {
      (try? PBKDF2.checkedRounds(rounds, allowed: allowed)).map(Int64.init) == rounds && rounds != nil
    }
    #expect(isTaken(1))
    #expect(!isTaken(0))
    #expect(isTaken(10_000_000))
    #expect(!isTaken(10_000_001))
    for rounds in [nil, Int64.min, -1, Int64(Int32.max) + 1, 1 << 32, (1 << 32) + 1, .max] { #expect(!isTaken(rounds)) }
    #expect(isTaken(Int64(Int32.max), 1...Int64.max))
    #expect(!isTaken(Int64(Int32.max) + 1, 1...Int64.max))
    #expect(throws: CostError(field: "rounds", value: 0, allowed: 1...10_000_000)) { try PBKDF2.checkedRounds(0) }
    #expect(throws: CostError(field: "iterations", value: nil, allowed: 1...9)) {
      try PBKDF2.checkedRounds(nil, field: "iterations", allowed: 1...9)
    }
  }

  @Test func roundsAndLengthsThatDoNotFitTheLibraryAreRefusedAndNotCut() {
    func fault(_ rounds: Int, _ byteCount: Int) -> CryptoError? {
      do throws(CryptoError) {
        _ = try derive(rounds, byteCount: byteCount)
        return nil
      } catch { return error }
    }
    for rounds in [Int.min, -1, 0, 1 << 31, 1 << 32, (1 << 32) + 1, .max] {
      let error = CostError(field: "rounds", value: Int64(rounds), allowed: PBKDF2.allowedRounds)
      #expect(fault(rounds, 32) == .costOutOfRange(error))
    }
    for byteCount in [Int.min, -1, 0, 1 << 31, 1 << 32, .max] {
      #expect(fault(1, byteCount) == .badLength("derived key"))
    }
    #expect(fault(1, 1) == nil)
  }
}
