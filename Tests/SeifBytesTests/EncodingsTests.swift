import SeifTestSupport
import Testing

@testable import SeifBytes

func base64(_ text: String, lineBreaks: Bool = false) throws(EncodingError) -> [UInt8] {
  try SecretValue(utf8: text).withBytes { (bytes) throws(EncodingError) in
    try Base64.decode(bytes, lineBreaks: lineBreaks).exposedBytes()
  }
}

func base32(_ text: String) throws(EncodingError) -> [UInt8] {
  try SecretValue(utf8: text).withBytes { (bytes) throws(EncodingError) in
    try Base32.decodeLeniently(bytes).exposedBytes()
  }
}

func base32Text(_ bytes: [UInt8]) -> String { Base32.encode(SecretValue(bytes)).exposedText() ?? "" }

func fault<R>(_ body: () throws(EncodingError) -> R) -> EncodingError? {
  do throws(EncodingError) {
    _ = try body()
    return nil
  } catch { return error }
}

@Suite struct Base16Tests {
  @Test func theVectorsOfTheRFC() throws {
    for (plain, text) in [
      ("", ""), ("f", "66"), ("fo", "666F"), ("foo", "666F6F"), ("foob", "666F6F62"), ("fooba", "666F6F6261"),
      ("foobar", "666F6F626172"),
    ] {
      #expect(Base16.encode(Array(plain.utf8)) == text.lowercased())
      #expect(try Base16.decode(text) == Array(plain.utf8))
      #expect(try Base16.decode(text.lowercased()) == Array(plain.utf8))
    }
  }

  @Test func everyByteAtEveryLengthComesBack() throws {
    for length in 0...66 {
      let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 83 + length) }
      #expect(try Base16.decode(Base16.encode(bytes)) == bytes)
    }
    let all = (0...255).map { UInt8($0) }
    #expect(try Base16.decode(Base16.encode(all)) == all)
  }

  @Test func anyOtherCharacterIsRefusedAtItsPlace() {
    for character in (0...127).map({ Character(Unicode.Scalar(UInt8($0))) }) + ["é", "０", "١"] {
      let isDigit = character.isASCII && character.isHexDigit
      for position in 0..<4 {
        var text = Array("0aF9")
        text[position] = character
        let result = fault { () throws(EncodingError) in try Base16.decode(String(text)) }
        if isDigit {
          #expect(result == nil)
        } else if String(character).utf8.count == 2 || String(character).utf8.count == 1 {
          #expect(result != nil, "\(character)")
          if character.isASCII { #expect(result == EncodingError(code: .character, offset: position)) }
        }
      }
    }
    #expect(fault { () throws(EncodingError) in try Base16.decode("abc") } == EncodingError(code: .length, offset: 3))
  }
}

@Suite struct Base32Tests {
  @Test func theVectorsOfTheRFC() throws {
    for (plain, text) in [
      ("f", "MY======"), ("fo", "MZXQ===="), ("foo", "MZXW6==="), ("foob", "MZXW6YQ="), ("fooba", "MZXW6YTB"),
      ("foobar", "MZXW6YTBOI======"),
    ] {
      #expect(base32Text(Array(plain.utf8)) == text.filter { $0 != "=" })
      #expect(try base32(text) == Array(plain.utf8))
      #expect(try base32(text.lowercased().filter { $0 != "=" }) == Array(plain.utf8))
    }
    #expect(base32Text([]) == "")
  }

  @Test func everyLengthComesBackAndIsPythonsText() throws {
    let lines = try Python.lines(
      """
      import base64
      for n in range(1, 67):
          print(base64.b32encode(bytes((i * 83 + n) % 256 for i in range(n))).decode().rstrip("="))
      """)
    for length in 1...66 {
      let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 83 + length) }
      #expect(base32Text(bytes) == lines[length - 1])
      #expect(try base32(base32Text(bytes)) == bytes)
    }
  }

  @Test func whatPeopleTypeBetweenTheLettersIsPassedOver() throws {
    let expected = Array("foobar".utf8)
    for text in [
      "mzxw 6ytb oi", "MZXW-6YTB-OI", " MZXW\t6YTB\r\nOI\n", "MZXW\u{A0}6YTB\u{A0}OI", "=MZXW6YTBOI", "MZ==XW6YTBOI==",
    ] { #expect(try base32(text) == expected, "\(text)") }
  }

  @Test func everyOtherCharacterIsRefusedAtItsPlace() {
    let passed: Set<Character> = [" ", "\t", "\n", "\r", "-", "="]
    let others = ["é", "İ", "ı", "\u{2003}", "\u{200B}", "Ａ", "\u{C2}"] as [Character]
    for character in (0...127).map({ Character(Unicode.Scalar(UInt8($0))) }) + others {
      let isLetter = character.isASCII && (character.isLetter || ("2"..."7").contains(character))
      let result = fault { () throws(EncodingError) in try base32("MZXW\(character)6YTB") }
      let expected = isLetter || passed.contains(character) ? nil : EncodingError(code: .character, offset: 4)
      #expect(result == expected, "\(character.unicodeScalars.map(\.value))")
    }
    // 0, 1, 8 and 9 look like letters; which ones, nobody knows.
    for digit in ["0", "1", "8", "9"] {
      #expect(fault { () throws(EncodingError) in try base32("MZXW\(digit)6YTB") } != nil)
    }
  }

  @Test func nothingIsNoSecret() {
    for text in ["", " ", "====", "A", "-\u{A0}"] {
      #expect(fault { () throws(EncodingError) in try base32(text) }?.code == .length, "\(text)")
    }
    // Half of a no-break space at the end.
    let half = SecretValue([0x4D, 0x5A, 0xC2])
    let result = fault { () throws(EncodingError) in
      try half.withBytes { (bytes) throws(EncodingError) in try Base32.decodeLeniently(bytes) }
    }
    #expect(result == EncodingError(code: .character, offset: 2))
  }
}

@Suite struct Base64Tests {
  @Test func theVectorsOfTheRFC() throws {
    for (plain, text) in [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
      ("foobar", "Zm9vYmFy"),
    ] {
      #expect(Base64.encode(Array(plain.utf8)) == text)
      #expect(try base64(text) == Array(plain.utf8))
    }
  }

  @Test func everyLengthComesBackAndIsPythonsText() throws {
    let lines = try Python.lines(
      """
      import base64
      for n in range(1, 67):
          print(base64.b64encode(bytes((i * 83 + n) % 256 for i in range(n))).decode())
      """)
    for length in 1...66 {
      let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 83 + length) }
      #expect(Base64.encode(bytes) == lines[length - 1])
      #expect(try base64(String(lines[length - 1])) == bytes)
    }
  }

  // Whatever is put at whatever place: either it is refused, or the bytes have that very text.
  @Test func oneSequenceOfBytesHasOneText() throws {
    var taken = 0
    for text in ["Zm9v", "Zm8=", "Zg==", "Zm9vYmFy", "Zm9vYmE=", "Zm9vYg=="] {
      for position in 0..<text.count {
        for byte in UInt8(0)...127 {
          var altered = Array(text.utf8)
          altered[position] = byte
          let string = String(decoding: altered, as: UTF8.self)
          do throws(EncodingError) {
            let bytes = try base64(string)
            taken += 1
            #expect(Base64.encode(bytes) == string)
          } catch {
            #expect((0...text.count).contains(error.offset))
          }
        }
      }
    }
    // Python's own count of canonical texts among these.
    let count = try Python.lines(
      """
      import base64
      n = 0
      for t in [b"Zm9v", b"Zm8=", b"Zg==", b"Zm9vYmFy", b"Zm9vYmE=", b"Zm9vYg=="]:
          for p in range(len(t)):
              for b in range(128):
                  x = t[:p] + bytes([b]) + t[p + 1:]
                  try:
                      n += base64.b64encode(base64.b64decode(x, validate=True)) == x
                  except ValueError:
                      pass
      print(n)
      """)
    #expect(count == ["\(taken)"])
  }

  @Test func eachFaultHasItsCodeAndPlace() {
    for (text, code, offset) in [
      ("Z", EncodingError.Code.length, 1), ("Zg", .length, 2), ("Zg=", .length, 3), ("Zg==\n", .length, 5),
      ("Zg===", .length, 5), ("Zh==", .strayBits, 1), ("Zm9=", .strayBits, 2), ("====", .padding, 0),
      ("Z===", .padding, 1), ("Zg=A", .padding, 2), ("Zg==Zg==", .padding, 2), ("Zm9-", .character, 3),
      ("Zm9_", .character, 3), ("Zm v", .character, 2), ("Zm\n9", .character, 2), ("\u{0}m9v", .character, 0),
      ("Zmé", .character, 2),
    ] {
      let result = fault { () throws(EncodingError) in try base64(text) }
      #expect(result == EncodingError(code: code, offset: offset), "\(text)")
    }
  }

  @Test func lineBreaksAreTakenOnlyOnRequestAndPlacesCountThem() throws {
    #expect(try base64("Zm9v\r\nYmFy\n", lineBreaks: true) == Array("foobar".utf8))
    #expect(try base64("\nZ\nm\n9\nv", lineBreaks: true) == Array("foo".utf8))
    for (text, code, offset) in [
      ("Zm9v\r\nYm!y\n", EncodingError.Code.character, 8), ("Zm9v\nZh==", .strayBits, 6), ("Zm9v\nZ", .length, 6),
      ("Zm9v Zg==", .length, 9),
    ] {
      let result = fault { () throws(EncodingError) in try base64(text, lineBreaks: true) }
      #expect(result == EncodingError(code: code, offset: offset), "\(text)")
    }
  }
}

@Suite struct UUIDTests {
  @Test func theTextIsTheDigitsOfTheBytesInTheirOrder() throws {
    // Each byte has each value at each place once.
    for start in 0..<256 {
      let bytes = (0..<16).map { UInt8(truncatingIfNeeded: start + 31 * $0) }
      let uuid = try #require(UUID(bytes: bytes))
      #expect(uuid.bytes == bytes)
      #expect(uuid.description.filter { $0 != "-" } == Base16.encode(bytes))
      #expect(uuid.description.split(separator: "-").map(\.count) == [8, 4, 4, 4, 12])
      let random = try #require(UUID(random: bytes)).bytes
      #expect(random[6] == bytes[6] & 0x0F | 0x40)
      #expect(random[8] == bytes[8] & 0x3F | 0x80)
      #expect(random[..<6] == bytes[..<6] && random[9...] == bytes[9...] && random[7] == bytes[7])
    }
  }

  @Test func itIsReadInAnyCaseAndWrittenInLowerCase() throws {
    let text = "0123aBcD-4567-89AB-cdef-0123456789ab"
    let uuid = try #require(UUID(text))
    #expect(uuid.description == text.lowercased())
    #expect(UUID(uuid.description) == uuid)
    #expect(UUID(bytes: uuid.bytes) == uuid)
  }

  @Test func anyOtherTextIsRefused() {
    let text = Array("0123abcd-4567-89ab-cdef-0123456789ab")
    for position in text.indices {
      for character in ["g", "-", " ", "\u{0}", "é", "０"] as [Character] where text[position] != character {
        var altered = text
        altered[position] = character
        #expect(UUID(String(altered)) == nil)
      }
      var shorter = text
      shorter.remove(at: position)
      #expect(UUID(String(shorter)) == nil)
    }
    for other in [
      "", "{0123abcd-4567-89ab-cdef-0123456789ab}", "0123abcd456789abcdef0123456789ab", String(text) + "\n",
    ] {
      #expect(UUID(other) == nil)
    }
    for count in 0...40 where count != 16 {
      #expect(UUID(bytes: [UInt8](repeating: 0, count: count)) == nil)
      #expect(UUID(random: [UInt8](repeating: 0, count: count)) == nil)
    }
  }
}
