import SeifServer
import Testing

@Suite struct CBORTests {
  @Test func valuesOfEachKindAreRead() throws {
    #expect(try CBORReader.read([0x00]) == .integer(0))
    #expect(try CBORReader.read([0x18, 0x18]) == .integer(24))
    #expect(try CBORReader.read([0x39, 0x01, 0x00]) == .integer(-257))
    #expect(try CBORReader.read([0x3B, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]) == .integer(.min))
    #expect(try CBORReader.read([0x43, 1, 2, 3]) == .bytes([1, 2, 3]))
    #expect(try CBORReader.read([0x62, 0xC3, 0xA9]) == .text("é"))
    #expect(try CBORReader.read([0x82, 0xF4, 0xF6]) == .array([.bool(false), .null]))
    let map = try #require(try CBORReader.read([0xA2, 0x01, 0x02, 0x61, 0x61, 0xF5]).map)
    #expect(map[.integer(1)] == .integer(2))
    #expect(map["a"] == .bool(true))
  }

  static let refused: [(String, [UInt8], CBORError.Code)] = [
    ("nothing", [], .truncated),
    ("a byte behind the end", [0x00, 0x00], .trailing),
    ("a long form of a small number", [0x18, 0x17], .notShortest),
    ("two bytes for one", [0x19, 0x00, 0xFF], .notShortest),
    ("four bytes for two", [0x1A, 0x00, 0x00, 0xFF, 0xFF], .notShortest),
    ("eight bytes for four", [0x1B, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF], .notShortest),
    ("a length in a long form", [0x58, 0x01, 0x00], .notShortest),
    ("an indefinite string", [0x5F, 0x41, 0x00, 0xFF], .indefinite),
    ("an indefinite array", [0x9F, 0xFF], .indefinite),
    ("an indefinite map", [0xBF, 0xFF], .indefinite),
    ("a tag", [0xC0, 0x00], .unsupported),
    ("a float", [0xFA, 0, 0, 0, 0], .unsupported),
    ("undefined", [0xF7], .unsupported),
    ("a simple value of two bytes", [0xF8, 0x20], .unsupported),
    ("a reserved length", [0x1C], .unsupported),
    ("a number of 64 bits", [0x1B, 0xFF, 0, 0, 0, 0, 0, 0, 0], .unsupported),
    ("a string longer than what is left", [0x42, 0x00], .truncated),
    ("a string of 2^64 - 1 bytes", [0x5B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .truncated),
    ("an array of more than there can be", [0x9A, 0xFF, 0xFF, 0xFF, 0xFF], .tooMany),
    ("a map longer than what is left", [0xA2, 0x00, 0x00], .truncated),
    ("65 elements", [0x98, 65] + [UInt8](repeating: 0, count: 65), .tooMany),
    ("64 elements and the array about them", [0x98, 64] + [UInt8](repeating: 0, count: 64), .tooMany),
    ("five arrays in an array", [0x81, 0x81, 0x81, 0x81, 0x81, 0x00], .tooDeep),
    ("a key twice", [0xA2, 0x01, 0x00, 0x01, 0x00], .duplicateKey),
    ("a key of bytes", [0xA1, 0x41, 0x00, 0x00], .badKey),
    ("text that isn't UTF-8", [0x61, 0xFF], .notUTF8),
  ]

  @Test(arguments: refused) func whatIsNotStrictIsRefused(_ name: String, _ bytes: [UInt8], _ code: CBORError.Code) {
    let error = #expect(throws: CBORError.self) { try CBORReader.read(bytes) }
    #expect(error?.code == code, "\(name)")
  }

  @Test func fourLevelsAnd64ValuesAreTaken() throws {
    #expect(throws: Never.self) { try CBORReader.read([0x81, 0x81, 0x81, 0x81, 0x00]) }
    #expect(throws: Never.self) { try CBORReader.read([0x98, 63] + [UInt8](repeating: 0, count: 63)) }
  }

  @Test func everyCutOfAnObjectIsTruncated() throws {
    let bytes = try SoftwareAuthenticator().create("c").attestationObject
    #expect(throws: Never.self) { try CBORReader.read(bytes) }
    for length in 0..<bytes.count {
      let error = #expect(throws: CBORError.self) { try CBORReader.read(Array(bytes.prefix(length))) }
      #expect(error?.code == .truncated)
    }
  }

  @Test func noByteInTheReachOfARandomOneTraps() {
    var seed: UInt64 = 5
    for _ in 0..<20_000 {
      var bytes: [UInt8] = []
      for _ in 0..<24 {
        seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        bytes.append(UInt8(truncatingIfNeeded: seed >> 33))
      }
      _ = try? CBORReader.read(bytes)
    }
  }
}
