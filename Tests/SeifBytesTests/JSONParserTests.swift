import SeifTestSupport
import Testing

@testable import SeifBytes

func json(_ bytes: [UInt8], _ policy: JSONPolicy = .strict) throws(JSONError) -> JSONDocument {
  try JSONDocument(parsing: SecretValue(bytes), policy: policy)
}

func json(_ text: String, _ policy: JSONPolicy = .strict) throws(JSONError) -> JSONDocument {
  try json(Array(text.utf8), policy)
}

func refusal(_ bytes: [UInt8], _ policy: JSONPolicy = .strict) -> JSONError? {
  do throws(JSONError) {
    _ = try json(bytes, policy)
    return nil
  } catch { return error }
}

func refusal(_ text: String, _ policy: JSONPolicy = .strict) -> JSONError? { refusal(Array(text.utf8), policy) }

@Suite struct JSONStrictnessTests {
  struct Refused: Sendable {
    let text: String
    let code: JSONError.Code
    let offset: Int
    init(_ text: String, _ code: JSONError.Code, _ offset: Int) {
      (self.text, self.code, self.offset) = (text, code, offset)
    }
  }

  static let refused: [Refused] = [
    .init("", .empty, 0), .init(" \n", .empty, 2), .init("\u{FEFF}{}", .byteOrderMark, 0),
    .init("{", .unexpectedEnd, 1), .init("[", .unexpectedEnd, 1), .init("[1", .unexpectedEnd, 2),
    .init("[1,", .unexpectedEnd, 3), .init("{\"a\"", .unexpectedEnd, 4), .init("{\"a\":", .unexpectedEnd, 5),
    .init("{\"a\":1", .unexpectedEnd, 6), .init("{\"a\":1,", .unexpectedEnd, 7), .init("\"", .unexpectedEnd, 1),
    .init("\"a", .unexpectedEnd, 2), .init("\"\\", .unexpectedEnd, 1), .init("tru", .unexpectedEnd, 3),
    .init("]", .unexpectedByte, 0), .init("}", .unexpectedByte, 0), .init(",", .unexpectedByte, 0),
    .init(":", .unexpectedByte, 0), .init("[,1]", .unexpectedByte, 1), .init("[1,]", .unexpectedByte, 3),
    .init("[1,,2]", .unexpectedByte, 3), .init("[1 2]", .unexpectedByte, 3), .init("[1}", .unexpectedByte, 2),
    .init("{]", .unexpectedByte, 1), .init("{,}", .unexpectedByte, 1), .init("{\"a\":1,}", .unexpectedByte, 7),
    .init("{\"a\" 1}", .unexpectedByte, 5), .init("{\"a\",1}", .unexpectedByte, 4), .init("{a:1}", .unexpectedByte, 1),
    .init("{1:1}", .unexpectedByte, 1), .init("{'a':1}", .unexpectedByte, 1), .init("{\"a\":}", .unexpectedByte, 5),
    .init("{\"a\":1:2}", .unexpectedByte, 6), .init("[1:2]", .unexpectedByte, 2), .init("'a'", .unexpectedByte, 0),
    .init("True", .unexpectedByte, 0), .init("nil", .unexpectedByte, 1), .init("NaN", .unexpectedByte, 0),
    .init("Infinity", .unexpectedByte, 0), .init("-Infinity", .badNumber, 0), .init("+1", .unexpectedByte, 0),
    .init(".5", .unexpectedByte, 0), .init("//\n1", .unexpectedByte, 0), .init("[1/**/]", .unexpectedByte, 2),
    .init("\u{A0}1", .unexpectedByte, 0), .init("\u{0B}1", .unexpectedByte, 0), .init("\u{0}", .unexpectedByte, 0),
    .init("1 2", .trailingBytes, 2), .init("{}{}", .trailingBytes, 2), .init("truex", .trailingBytes, 4),
    .init("0x1", .trailingBytes, 1), .init("1\u{0}", .trailingBytes, 1), .init("[]]", .trailingBytes, 2),
    .init("1_000", .trailingBytes, 1), .init("1\u{FEFF}", .trailingBytes, 1),
    .init("-", .badNumber, 0), .init("01", .badNumber, 0), .init("-01", .badNumber, 0), .init("00", .badNumber, 0),
    .init("[1,02]", .badNumber, 3), .init("1.", .badNumber, 0), .init("1.e5", .badNumber, 0),
    .init("1e", .badNumber, 0), .init("1e+", .badNumber, 0), .init("-a", .badNumber, 0), .init("--1", .badNumber, 0),
    .init("\"\t\"", .controlCharacter, 1), .init("\"a\n\"", .controlCharacter, 2),
    .init("\"\u{0}\"", .controlCharacter, 1), .init("\"\u{1F}\"", .controlCharacter, 1),
    .init("{\"a\r\":1}", .controlCharacter, 3),
    .init("\"\\a\"", .badEscape, 1), .init("\"\\'\"", .badEscape, 1), .init("\"\\U0041\"", .badEscape, 1),
    .init("\"\\u004\"", .badEscape, 1), .init("\"\\u00g0\"", .badEscape, 1), .init("\"\\u+041\"", .badEscape, 1),
    .init("\"\\u\"", .badEscape, 1), .init("\"x\\x41\"", .badEscape, 2), .init("\"\\\u{0}\"", .badEscape, 1),
    .init("\"\\ud800\"", .loneSurrogate, 1), .init("\"\\udc00\"", .loneSurrogate, 1),
    .init("\"\\ud800\\u0041\"", .loneSurrogate, 1), .init("\"\\ud800\\ud800\\udc00\"", .loneSurrogate, 1),
    .init("\"\\udc00\\ud800\"", .loneSurrogate, 1), .init("\"\\ud83d\\ude00\\ude00\"", .loneSurrogate, 13),
    .init("{\"\\udfff\":1}", .loneSurrogate, 2),
    .init("{\"a\":1,\"a\":2}", .duplicateKey, 8), .init("{\"a\":1,\"\\u0061\":2}", .duplicateKey, 8),
    .init("{\"\\u0061\":1,\"a\":2}", .duplicateKey, 13), .init("{\"\":1,\"\":2}", .duplicateKey, 7),
    .init("[{\"b\":{},\"a\":{\"k\":1,\"k\":1}}]", .duplicateKey, 21),
    .init("{\"\\ud83d\\ude00\":1,\"\u{1F600}\":1}", .duplicateKey, 19), .init("{\"\\/\":1,\"/\":1}", .duplicateKey, 9),
  ]

  @Test(arguments: refused) func whatIsNotStrictJSONIsRefusedAtItsPlace(_ row: Refused) {
    #expect(refusal(row.text) == JSONError(code: row.code, offset: row.offset), "\(row.text)")
  }

  @Test(arguments: [
    "0", "-0", "1", "-1.5e+10", "1E5", "1e400", "0.0", "[]", "{}", " [ ] ", "\t\n\r {\"a\" : [ 1 , 2 ] } ", "\"\"",
    "\"\u{7F}\"", "\"\u{2028}\"", "\"\u{FEFF}\"", "\"\\u0000\"", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\uDE00\"",
    "true", "false", "null", "[[],{},[{}]]",
    // The same for people and for String, and yet different keys.
    "{\"\u{E9}\":1,\"e\u{301}\":2}", "{\"K\":1,\"\u{212A}\":2}", "{\"a\":1,\"A\":2,\"a \":3}",
    "{\"a\":{\"a\":{\"a\":1}}}",
    "\"\u{10FFFF}\"", "{\"\u{0E9}\":1}",
  ]) func whatIsStrictJSONIsTaken(_ text: String) {
    #expect(refusal(text) == nil)
  }

  @Test(
    arguments: [
      ([0xFF], 1), ([0x80], 1), ([0xC3], 1), ([0xC0, 0x80], 1), ([0xC1, 0xBF], 1), ([0xE0, 0x80, 0x80], 1),
      ([0xED, 0xA0, 0x80], 1), ([0xED, 0xBF, 0xBF], 1), ([0xF0, 0x80, 0x80, 0x80], 1), ([0xF4, 0x90, 0x80, 0x80], 1),
      ([0xF5, 0x80, 0x80, 0x80], 1), ([0xF8, 0x88, 0x80, 0x80, 0x80], 1), ([0x61, 0xE2, 0x82], 2),
      ([0xE2, 0x28, 0xA1], 1), ([0xC3, 0xA9, 0xA9], 3),
    ] as [([UInt8], Int)]) func bytesThatAreNotUTF8AreRefusedByBothPolicies(_ bytes: [UInt8], _ offset: Int)
  {
    for policy in [JSONPolicy.strict, .foreign] {
      #expect(refusal([0x22] + bytes + [0x22], policy) == JSONError(code: .notUTF8, offset: offset), "\(bytes)")
    }
    #expect(refusal([0x7B] + [0x22] + bytes + [0x22, 0x3A, 0x31, 0x7D])?.code == .notUTF8)
  }

  @Test(arguments: [[0xFE, 0xFF, 0, 0x31], [0xFF, 0xFE, 0x31, 0], [0, 0, 0, 0x31]] as [[UInt8]])
  func otherEncodingsOfUnicodeAreRefused(_ bytes: [UInt8]) {
    #expect(refusal(bytes) != nil)
    #expect(refusal(bytes, .foreign) != nil)
  }
}

@Suite struct JSONLimitTests {
  func policy(bytes: Int = 1 << 20, depth: Int = 32, values: Int = 1 << 20) -> JSONPolicy {
    JSONPolicy(isStrict: true, maximumByteCount: bytes, maximumDepth: depth, maximumValueCount: values)
  }

  @Test func depthIsTakenAtItsLimitAndRefusedBeyond() {
    for depth in [0, 1, 2, 31, 32, 33, 512] {
      let limit = policy(depth: depth)
      let arrays = String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth)
      #expect(refusal(arrays, limit) == nil)
      let objects = String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth)
      #expect(refusal(objects, limit) == nil)
      #expect(refusal("[" + arrays + "]", limit) == JSONError(code: .tooDeep, offset: depth))
      #expect(refusal("{\"a\":" + objects + "}", limit) == JSONError(code: .tooDeep, offset: depth * 5))
    }
    // Beside each other isn't in each other.
    #expect(refusal("[[],[],{},[]]", policy(depth: 2)) == nil)
    #expect(JSONPolicy.strict.maximumDepth == 32 && JSONPolicy.foreign.maximumDepth == 64)
    #expect(policy(depth: .max).maximumDepth == 512)
  }

  @Test func valuesAndKeysAreCounted() {
    #expect(refusal("[1,2,3]", policy(values: 4)) == nil)
    #expect(refusal("[1,2,3]", policy(values: 3)) == JSONError(code: .tooManyValues, offset: 5))
    #expect(refusal("{\"a\":1}", policy(values: 3)) == nil)
    #expect(refusal("{\"a\":1}", policy(values: 2)) == JSONError(code: .tooManyValues, offset: 5))
    #expect(refusal("{\"a\":1}", policy(values: 1)) == JSONError(code: .tooManyValues, offset: 2))
    #expect(refusal("1", policy(values: 0)) == JSONError(code: .tooManyValues, offset: 0))
  }

  @Test func sizeIsTakenAtItsLimitAndRefusedBeyond() {
    #expect(refusal("[1]", policy(bytes: 3)) == nil)
    #expect(refusal("[1] ", policy(bytes: 3)) == JSONError(code: .tooLarge, offset: 3))
    #expect(refusal("[1]", policy(bytes: -1))?.code == .tooLarge)
    #expect(policy(bytes: .max).maximumByteCount < Int(UInt32.max))
  }

  // Each would take minutes if anything in it were quadratic, or end the process if anything recursed.
  @Test func longAndDeepTextsAreReadInOnePass() throws {
    let million = 1 << 20
    #expect(refusal([UInt8](repeating: 0x5B, count: million))?.code == .tooDeep)
    #expect(refusal([UInt8](repeating: 0x22, count: million))?.code == .trailingBytes)
    #expect(refusal([UInt8](repeating: 0x2D, count: million))?.code == .badNumber)
    #expect(refusal([UInt8](repeating: 0x20, count: million))?.code == .empty)
    #expect(refusal("\"" + String(repeating: "\\\\", count: million / 2))?.code == .unexpectedEnd)
    #expect(try json(String(repeating: "9", count: million)).root.integer == .outOfRange(isNegative: false))
    #expect(
      try json("[" + String(repeating: "1,", count: million / 2) + "1]").root.elements.map { $0.int64 }.count == million
        / 2 + 1)
  }

  @Test(arguments: [false, true]) func aHundredThousandKeysAreComparedInOnePass(_ escaped: Bool) throws {
    func name(_ number: Int) -> String { (escaped ? "\\u0061" : "a") + String(1_000_000 + number) }
    let members = (0..<100_000).map { "\"\(name($0))\":\($0)" }
    let document = try json("{" + members.joined(separator: ",") + "}")
    #expect(document.root.members.reduce(0) { count, _ in count + 1 } == 100_000)
    #expect(document.root["a1099999"]?.int64 == 99_999)
    #expect(refusal("{" + (members + ["\"a1050000\":1"]).joined(separator: ",") + "}")?.code == .duplicateKey)
  }

  @Test func duplicatesAreFoundOnBothSidesOfEveryTableSize() throws {
    for count in 1...70 {
      let members = (0..<count).map { "\"k\($0)\":0" }
      #expect(refusal("{" + members.joined(separator: ",") + "}") == nil)
      for twice in [0, count / 2, count - 1] {
        let text = "{" + members.joined(separator: ",") + ",\"\\u006b\(twice)\":1}"
        #expect(refusal(text)?.code == .duplicateKey, "\(count), \(twice)")
        let plain = "{" + members.joined(separator: ",") + ",\"k\(twice)\":1}"
        #expect(refusal(plain)?.code == .duplicateKey, "\(count), \(twice)")
        let document = try json(plain, .foreign)
        #expect(document.warnings.map(\.code) == [.duplicateKey])
        #expect(document.root["k\(twice)"]?.int64 == 1)
      }
    }
  }
}

@Suite struct JSONForeignPolicyTests {
  @Test func whatOthersWriteIsTakenWithAWarning() throws {
    let marked = try json("\u{FEFF}{\"a\":1}", .foreign)
    #expect(marked.warnings == [JSONWarning(code: .byteOrderMark, offset: 0)])
    #expect(marked.root["a"]?.int64 == 1)
    let twice = try json("{\"a\":1,\"b\":2,\"\\u0061\":3,\"a\":4}", .foreign)
    #expect(
      twice.warnings == [JSONWarning(code: .duplicateKey, offset: 14), JSONWarning(code: .duplicateKey, offset: 25)])
    #expect(twice.root["a"]?.int64 == 4)
    #expect(twice.root.canonical.exposedText() == "{\"a\":4,\"b\":2}")
    let half = try json("[\"a\\ud800b\",\"\\udc00\",\"\\ud800\\ud83d\\ude00\"]", .foreign)
    #expect(half.warnings.map(\.offset) == [3, 13, 22])
    #expect(half.root.elements.map { $0.string } == ["a\u{FFFD}b", "\u{FFFD}", "\u{FFFD}\u{1F600}"])
    #expect(half.root.elements.map { $0.secret?.exposedText() } == ["a\u{FFFD}b", "\u{FFFD}", "\u{FFFD}\u{1F600}"])
  }

  @Test func nothingElseIsTaken() {
    for row in JSONStrictnessTests.refused {
      let isMild = [.byteOrderMark, .duplicateKey, .loneSurrogate].contains(row.code)
      #expect((refusal(row.text, .foreign) == nil) == isMild, "\(row.text)")
    }
    #expect(refusal("\u{FEFF}", .foreign) == JSONError(code: .empty, offset: 3))
    #expect(refusal("\u{FEFF}\u{FEFF}1", .foreign)?.code == .unexpectedByte)
  }

  @Test func warningsAreBounded() throws {
    let document = try json("[" + Array(repeating: "\"\\ud800\"", count: 5000).joined(separator: ",") + "]", .foreign)
    #expect(document.warnings.count == 100)
  }
}

@Suite struct JSONValueTests {
  @Test func integersAreThoseOf64BitsAndNeverFloats() throws {
    for (text, integer) in [
      ("0", JSONValue.Integer.value(0)), ("-1", .value(-1)), ("9007199254740993", .value(9_007_199_254_740_993)),
      ("9223372036854775807", .value(.max)), ("-9223372036854775808", .value(.min)),
      ("9223372036854775808", .outOfRange(isNegative: false)), ("-9223372036854775809", .outOfRange(isNegative: true)),
      ("18446744073709551616", .outOfRange(isNegative: false)),
      ("92233720368547758070", .outOfRange(isNegative: false)),
      ("-18446744073709551616", .outOfRange(isNegative: true)),
      ("100000000000000000000000000000000", .outOfRange(isNegative: false)),
    ] {
      let value = try json(text).root
      #expect(value.integer == integer, "\(text)")
      if case .value(let number) = integer { #expect(value.int64 == number) } else { #expect(value.int64 == nil) }
    }
    for text in ["-0", "1.0", "1e5", "0e0", "-0.0", "true", "null", "\"1\"", "[]", "{}"] {
      #expect(try json(text).root.integer == nil, "\(text)")
    }
  }

  @Test func aValueOfAnotherKindIsNil() throws {
    let values = try json("[null,true,1,\"s\",[0],{\"k\":0}]").root.elements.map { $0 }
    #expect(values.map(\.kind) == [.null, .bool, .number, .string, .array, .object])
    #expect(values.map(\.bool) == [nil, true, nil, nil, nil, nil])
    #expect(values.map(\.int64) == [nil, nil, 1, nil, nil, nil])
    #expect(values.map(\.string) == [nil, nil, nil, "s", nil, nil])
    #expect(values.map { $0.secret?.exposedText() } == [nil, nil, nil, "s", nil, nil])
    #expect(values.map { $0.elements.map(\.offset) } == [[], [], [], [], [18], []])
    #expect(values.map { $0.members.map(\.key.text) } == [[], [], [], [], [], ["k"]])
    #expect(values.map { $0["k"]?.int64 } == [nil, nil, nil, nil, nil, 0])
    #expect(values.map(\.offset) == [1, 6, 11, 14, 17, 21])
    #expect(values.map { $0.withString { $0.byteCount } } == [nil, nil, nil, 1, nil, nil])
    #expect(try json("false").root.bool == false)
  }

  @Test func keysAreComparedByTheirBytes() throws {
    let object = try json("{\"e\u{301}\":1,\"\\u00e9\":2,\"\\ud83d\\ude00\":3,\"\":4}").root
    #expect(object["\u{E9}"]?.int64 == 2)
    #expect(object["e\u{301}"]?.int64 == 1)
    #expect(object["\u{1F600}"]?.int64 == 3)
    #expect(object[""]?.int64 == 4)
    #expect(object["e"] == nil || object["e"]?.int64 == nil)
    #expect(object.members.map { Array($0.key.text.utf8).count } == [3, 2, 4, 0])
  }

  @Test func everyEscapeIsTakenOut() throws {
    let text = try json("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000\\u00E9\\u20ac\\uD83D\\uDE00x\"").root
    let expected = "\"\\/\u{8}\u{C}\n\r\t\u{0}\u{E9}\u{20AC}\u{1F600}x"
    #expect(utf8Equal(text.string ?? "", expected))
    #expect(text.secret == SecretValue(utf8: expected))
    #expect(text.withString { SecretValue(copying: $0) } == SecretValue(utf8: expected))
  }
}

@Suite struct JSONMemoryTests {
  // The document's bytes, and so much a value; a growing array has up to three times that for a moment.
  @Test func aValueTakesSixteenBytes() {
    #expect(MemoryLayout<JSONNode>.stride == 16)
  }
}
