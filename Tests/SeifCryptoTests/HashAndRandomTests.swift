import SeifBytes
import SeifTestSupport
import Synchronization
import Testing

@testable import SeifCrypto

@Suite struct HMACTests {
  // Lengths around the block and the digest, and far beyond; OpenSSL against Python's hashlib.
  static let lengths = [0, 1, 19, 20, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1000]

  @Test(arguments: [(HashFunction.md5, "md5"), (.sha1, "sha1"), (.sha256, "sha256"), (.sha512, "sha512")])
  func everyLengthOfKeyAndMessageGivesPythonsCode(_ function: HashFunction, _ name: String) throws {
    let lines = try Python.lines(
      """
      import hmac, hashlib
      data = bytes(i * 7 % 256 for i in range(1000))
      lengths = \(Self.lengths)
      for a in lengths:
          print(hashlib.new("\(name)", data[:a]).hexdigest())
          for b in lengths:
              print(hmac.new(data[:a], data[:b], "\(name)").hexdigest())
      """)
    let data = (0..<1000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    var index = 0
    for a in Self.lengths {
      let key = Array(data.prefix(a))
      #expect(try Base16.decode(String(lines[index])) == Digest.hash(function, key.span.bytes), "\(a)")
      index += 1
      for b in Self.lengths {
        let message = Array(data.prefix(b))
        let expected = try Base16.decode(String(lines[index]))
        index += 1
        #expect(HMAC.code(function, key: key.span.bytes, message: message.span.bytes) == expected, "\(a), \(b)")
        let secret = HMAC.secretCode(function, key: key.span.bytes, message: message.span.bytes)
        #expect(secret == SecretValue(expected), "\(a), \(b)")
      }
    }
    #expect(index == lines.count)
  }

  @Test func oneObjectForManyMessagesGivesTheCodeOfEach() throws {
    for keyLength in Self.lengths {
      let key = [UInt8](repeating: 0x5A, count: keyLength)
      let keyed = try HMACSHA256(key: SecretBytes(copying: key.span.bytes))
      for length in Self.lengths + Self.lengths.reversed() {
        let message = [UInt8](repeating: UInt8(truncatingIfNeeded: length), count: length)
        let expected = HMAC.code(.sha256, key: key.span.bytes, message: message.span.bytes)
        #expect(keyed.code(message.span.bytes) == expected, "\(keyLength), \(length)")
      }
    }
  }
}

@Suite struct RandomSourceTests {
  /// A source that gives out these numbers, most significant byte first, one for each call.
  func source(_ numbers: [UInt32]) -> (RandomSource, used: () -> Int) {
    let position = Box()
    let source = RandomSource { buffer in
      let number = position.next().map { numbers[$0 % numbers.count] } ?? 0
      for (offset, shift) in [24, 16, 8, 0].enumerated() where offset < buffer.count {
        buffer[offset] = UInt8(truncatingIfNeeded: number >> UInt32(shift))
      }
    }
    return (source, { position.count })
  }

  final class Box: Sendable {
    private let value = Mutex(0)
    var count: Int { value.withLock { $0 } }
    func next() -> Int? {
      value.withLock {
        $0 += 1
        return $0 - 1
      }
    }
  }

  @Test(arguments: [1, 2, 3, 5, 6, 7, 10, 7776, 1 << 31, (1 << 31) + 1, UInt32.max - 1, .max])
  func numbersThatWouldFavourSmallRemaindersAreDrawnAgain(_ bound: UInt32) {
    // The greatest multiple of the bound that 32 bits can hold begins what is drawn again.
    let limit = UInt32.max - UInt32.max % bound
    let (last, lastUsed) = source([limit - 1])
    #expect(last.makeNumber(below: bound) == bound - 1)
    #expect(lastUsed() == 1)
    let (edge, edgeUsed) = source([limit, .max, 0])
    #expect(edge.makeNumber(below: bound) == 0)
    #expect(edgeUsed() == 3)
    let (zero, _) = source([0])
    #expect(zero.makeNumber(below: bound) == 0)
  }

  @Test func everyNumberBelowTheBoundComesOut() {
    var counts = [UInt32: Int]()
    for _ in 0..<6000 { counts[RandomSource.system.makeNumber(below: 6), default: 0] += 1 }
    #expect(Set(counts.keys) == Set(0..<6))
    // 1000 expected each; 200 off is 7 standard deviations.
    #expect(counts.values.allSatisfy { (800...1200).contains($0) })
  }

  @Test func whatIsDrawnHasItsLengthAndIsNeverTheSame() {
    let source = RandomSource.system
    #expect(source.makeBytes(0) == [])
    #expect(source.makeBytes(12).count == 12)
    #expect(Set((0..<10_000).map { _ in source.makeBytes(12) }).count == 10_000)
    let first = source.makeSecret(byteCount: 32)
    let second = source.makeSecret(byteCount: 32)
    #expect(first.byteCount == 32)
    let isSame = first.withBytes { a in second.withBytes { b in constantTimeEqual(a, b) } }
    #expect(!isSame)
    #expect(Set((0..<1000).map { _ in source.makeUUID() }).count == 1000)
  }

  @Test func aUUIDHasItsVersionAndVariant() {
    for filler in [UInt8(0), 0xFF] {
      let uuid = RandomSource { $0.initializeMemory(as: UInt8.self, repeating: filler) }.makeUUID()
      #expect(
        uuid.description
          == (filler == 0 ? "00000000-0000-4000-8000-000000000000" : "ffffffff-ffff-4fff-bfff-ffffffffffff"))
    }
  }
}
