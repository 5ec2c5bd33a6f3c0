import SeifBytes
import SeifTestSupport
import Testing

@Suite struct TimestampTests {
  // One moment of every 61st day from year 0 to 9999, against Python's calendar (which has no year 0).
  @Test func aWideSweepIsPythonsCalendar() throws {
    let lines = try Python.lines(
      """
      from datetime import datetime, timedelta, timezone
      epoch = datetime(1970, 1, 1, tzinfo=timezone.utc)
      t = datetime(1, 1, 1, tzinfo=timezone.utc)
      step = timedelta(days=60, hours=21, minutes=41, seconds=37, milliseconds=499)
      end = datetime(9999, 10, 1, tzinfo=timezone.utc)
      while t < end:
          print(round((t - epoch) / timedelta(milliseconds=1)), t.isoformat(timespec="milliseconds").replace("+00:00", "Z"))
          t += step
      """)
    #expect(lines.count > 59_000)
    var wrong = 0
    for line in lines {
      let parts = line.split(separator: " ")
      guard let milliseconds = Int64(parts[0]) else { continue }
      let moment = Timestamp(milliseconds: milliseconds)
      let isRight =
        moment.rfc3339Milliseconds == parts[1] && Timestamp(rfc3339: String(parts[1])) == moment
        && Timestamp(rfc3339: moment.rfc3339) == moment.wholeSeconds
      if !isRight { wrong += 1 }
    }
    #expect(wrong == 0)
  }

  @Test func theEdgesOfTheCalendar() {
    for (text, milliseconds) in [
      ("0000-01-01T00:00:00Z", Timestamp.range.lowerBound), ("0000-02-29T00:00:00Z", -62_162_121_600_000),
      ("0000-03-01T00:00:00Z", -62_162_035_200_000), ("1970-01-01T00:00:00Z", 0), ("1969-12-31T23:59:59.999Z", -1),
      ("2000-02-29T12:00:00Z", 951_825_600_000), ("9999-12-31T23:59:59.999Z", Timestamp.range.upperBound),
    ] {
      #expect(Timestamp(rfc3339: text)?.milliseconds == milliseconds, "\(text)")
      let moment = Timestamp(milliseconds: milliseconds)
      #expect((text.contains(".") ? moment.rfc3339Milliseconds : moment.rfc3339) == text)
    }
    #expect(Timestamp(milliseconds: -1).seconds == -1)
    #expect(Timestamp(milliseconds: -1000).seconds == -1)
    #expect(Timestamp(milliseconds: -1001).seconds == -2)
    #expect(Timestamp(milliseconds: .min).milliseconds == Timestamp.range.lowerBound)
    #expect(Timestamp(milliseconds: .max).milliseconds == Timestamp.range.upperBound)
    #expect(Timestamp(seconds: .min).milliseconds == Timestamp.range.lowerBound)
    #expect(Timestamp(seconds: .max).milliseconds == Timestamp.range.upperBound)
  }

  @Test func offsetsAreTakenOffAndMayNotLeaveTheRange() {
    for (text, utc) in [
      ("2026-09-17T10:15:30+02:00", "2026-09-17T08:15:30Z"), ("2026-01-01T00:30:00+01:00", "2025-12-31T23:30:00Z"),
      ("2024-02-28T23:30:00-00:30", "2024-02-29T00:00:00Z"), ("2026-09-17T08:15:30-00:00", "2026-09-17T08:15:30Z"),
      ("2026-09-17T08:15:30+23:59", "2026-09-16T08:16:30Z"), ("2026-09-17t08:15:30z", "2026-09-17T08:15:30Z"),
    ] { #expect(Timestamp(rfc3339: text)?.rfc3339 == utc, "\(text)") }
    #expect(Timestamp(rfc3339: "0000-01-01T00:00:00+00:01") == nil)
    #expect(Timestamp(rfc3339: "0000-01-01T00:01:00+00:01") != nil)
    #expect(Timestamp(rfc3339: "9999-12-31T23:59:00-00:01") == nil)
  }

  @Test func fractionsAreCutToMilliseconds() {
    let digits = "123456789"
    for count in 0...9 {
      let fraction = count == 0 ? "" : "." + digits.prefix(count)
      let expected: Int64 = [0, 100, 120, 123][min(count, 3)]
      #expect(Timestamp(rfc3339: "1970-01-01T00:00:00\(fraction)Z")?.milliseconds == expected)
    }
    #expect(Timestamp(rfc3339: "1970-01-01T00:00:00.9999Z")?.milliseconds == 999)
    #expect(Timestamp(rfc3339: "1970-01-01T00:00:00.001Z")?.milliseconds == 1)
    #expect(Timestamp(rfc3339: "1970-01-01T00:00:00.1234567890Z") == nil)
    #expect(Timestamp(rfc3339: "1970-01-01T00:00:00.Z") == nil)
  }

  @Test(arguments: [
    "", "2026", "2026-09-17", "2026-09-17T08:15Z", "2026-09-17T08:15:30", "2026-09-17 08:15:30Z",
    "2026-09-17T08:15:60Z", "2026-09-17T24:00:00Z", "2026-09-17T08:60:00Z", "2026-13-01T00:00:00Z",
    "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-32T00:00:00Z", "2026-04-31T00:00:00Z",
    "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-09-17T08:15:30+24:00", "2026-09-17T08:15:30+01:60",
    "2026-09-17T08:15:30+0100", "2026-09-17T08:15:30+01", "2026-09-17T08:15:30ZZ", "2026-09-17T08:15:30Z ",
    " 2026-09-17T08:15:30Z", "-026-09-17T08:15:30Z", "+026-09-17T08:15:30Z", "10000-01-01T00:00:00Z",
    "2026-9-17T08:15:30Z", "2026-09-17T08:15:30,5Z", "2026-09-17T08:15:30Z\n", "2026-09-17T08:15:30Z\u{0}",
    "２026-09-17T08:15:30Z", "2026-09-17T08:15:30\u{661}Z", "2026-09-17T08:15:3\u{0}Z", "2026-09-17T08:15:30Z\u{301}",
    // One character that stands between "4" and "5" in String's order, so it once was a digit.
    "2026-09-17T08:15:30.1234\u{301}Z", "2026-09-17T08:15:30.1\u{20E3}Z", "2026-09-17T08:15:30.1234\u{FE0F}Z",
  ]) func anyOtherTextIsRefused(_ text: String) {
    #expect(Timestamp(rfc3339: text) == nil)
  }
}

@Suite struct NormalizationTests {
  /// Python and the standard library may know different versions of Unicode: a character that only one of them knows is
  /// left out, for the other can't judge it. How many that are is printed.
  @Test func everyCharacterThatPythonKnowsHasPythonsForms() throws {
    let lines = try Python.lines(
      """
      import unicodedata as u
      print(u.unidata_version)
      for i in range(0x110000):
          if 0xD800 <= i < 0xE000 or u.category(chr(i)) == "Cn":
              continue
          c = chr(i)
          a, b = u.normalize("NFC", c), u.normalize("NFD", c)
          if a != c or b != c:
              print("%x %s %s" % (i, a.encode().hex(), b.encode().hex()))
      """)
    print("Unicode of python3: \(lines[0]), \(lines.count - 1) characters that change")
    #expect(lines.count > 13_000)
    var changing: [UInt32: (String, String)] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: " ").map(String.init)
      let code = try #require(UInt32(parts[0], radix: 16))
      changing[code] = (
        String(decoding: try Base16.decode(parts[1]), as: UTF8.self),
        String(decoding: try Base16.decode(parts[2]), as: UTF8.self)
      )
    }
    var wrong: [UInt32] = []
    var unknown = 0
    for (code, (composed, decomposed)) in changing {
      let scalar = try #require(Unicode.Scalar(code))
      guard scalar.properties.age != nil else {
        unknown += 1
        continue
      }
      let text = String(Character(scalar))
      if !utf8Equal(Normalization.nfc(text), composed) || !utf8Equal(Normalization.nfd(text), decomposed) {
        wrong.append(code)
      }
    }
    #expect(wrong.isEmpty)
    print("skipped: \(unknown) characters that the standard library doesn't know yet")
  }

  @Test func charactersThatPythonLeavesAloneAreLeftAlone() throws {
    // One bit a code point: assigned and unchanged in both forms.
    let bits = try Python.run(
      """
      import sys, unicodedata as u
      out = bytearray(0x110000 // 8)
      for i in range(0x110000):
          if 0xD800 <= i < 0xE000: continue
          c = chr(i)
          if u.category(c) != "Cn" and u.normalize("NFC", c) == c and u.normalize("NFD", c) == c:
              out[i // 8] |= 1 << (i % 8)
      sys.stdout.buffer.write(out)
      """)
    #expect(bits.count == 0x110000 / 8)
    var wrong: [UInt32] = []
    var count = 0
    for code in UInt32(0)..<0x110000 where bits[Int(code / 8)] & 1 << UInt8(code % 8) != 0 {
      guard let scalar = Unicode.Scalar(code), scalar.properties.age != nil else { continue }
      // Private use and the great blocks of ideographs are all alike: every 61st of them.
      if code > 0x3400, code % 61 != 0 { continue }
      count += 1
      let text = String(Character(scalar))
      if !utf8Equal(Normalization.nfc(text), text) || !utf8Equal(Normalization.nfd(text), text) { wrong.append(code) }
    }
    #expect(count > 10_000)
    #expect(wrong.isEmpty)
  }

  @Test func sequencesHavePythonsForms() throws {
    // Hangul, marks in every order, stacked and excluded compositions, drawn with a fixed seed.
    let alphabet: [UInt32] = [
      0x41, 0x61, 0x65, 0x6F, 0x73, 0x1100, 0x1112, 0x1161, 0x1175, 0x11A7, 0x11A8, 0x11C2, 0xAC00, 0xAC01, 0xD7A3,
      0x300, 0x301, 0x302, 0x303, 0x304, 0x307, 0x308, 0x30A, 0x316, 0x323, 0x327, 0x328, 0x338, 0x344, 0x345, 0x1D165,
      0x1D158, 0xE9, 0x1EA5, 0x1E69, 0x212B, 0x2126, 0x958, 0x93C, 0x915, 0x5B0, 0x5BC, 0x5E9, 0xFB2C, 0x3B1, 0x1F82,
      0x200D, 0x34F, 0x1F600, 0x20, 0x0A, 0x0D, 0x09C7, 0x09BE, 0x1025, 0x102E, 0xF73, 0xF75, 0xF81, 0xF71, 0xF72,
      0xF80, 0x2F800,
    ]
    var generator = SeededGenerator(seed: 20260917)
    var texts: [String] = []
    for _ in 0..<20_000 {
      var scalars = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 1...9, using: &generator) {
        if let code = alphabet.randomElement(using: &generator), let scalar = Unicode.Scalar(code) {
          scalars.append(scalar)
        }
      }
      texts.append(String(scalars))
    }
    let input = texts.map { Base16.encode(Array($0.utf8)) }.joined(separator: "\n")
    let lines = try Python.lines(
      """
      import sys, unicodedata as u
      for line in sys.stdin:
          t = bytes.fromhex(line.strip()).decode()
          print(u.normalize("NFC", t).encode().hex(), u.normalize("NFD", t).encode().hex())
      """, input: Array(input.utf8))
    #expect(lines.count == texts.count)
    var wrong: [String] = []
    for (text, line) in zip(texts, lines) {
      let ours = [Normalization.nfc(text), Normalization.nfd(text)].map { Base16.encode(Array($0.utf8)) }
      if ours.joined(separator: " ") != line { wrong.append(Base16.encode(Array(text.utf8))) }
    }
    #expect(wrong.isEmpty, "\(wrong.prefix(5))")
  }

  @Test(arguments: [("\u{F73}", "\u{F72}"), ("\u{F75}", "\u{F74}"), ("\u{F81}", "\u{F80}")])
  func signsMadeOfMarksAreOrderedLikeMarks(_ sign: String, _ second: String) {
    let ordered = "\u{F40}\u{F71}\(second)\u{323}"
    for form in [Normalization.nfc, Normalization.nfd] {
      #expect(utf8Equal(form("\u{F40}\u{323}\(sign)"), ordered))
      #expect(utf8Equal(form("\u{F40}\(sign)\u{323}"), ordered))
    }
  }

  @Test func formsOfAPassphraseAreTriedOnceEachAsTheyCame() {
    func forms(_ bytes: [UInt8]) -> [[UInt8]] {
      Normalization.passphraseForms(SecretBytes(copying: bytes.span.bytes)).map { $0.exposedBytes() }
    }
    let (composed, decomposed) = (Array("caf\u{E9}".utf8), Array("cafe\u{301}".utf8))
    #expect(forms(Array("plain".utf8)) == [Array("plain".utf8)])
    #expect(forms([]) == [[]])
    #expect(forms(composed) == [composed, decomposed])
    #expect(forms(decomposed) == [decomposed, composed])
    // Neither form: half of each.
    let mixed = Array("\u{E9}e\u{301}".utf8)
    #expect(forms(mixed) == [mixed, Array("\u{E9}\u{E9}".utf8), Array("e\u{301}e\u{301}".utf8)])
    #expect(forms([0x61, 0xFF]) == [[0x61, 0xFF]])
    #expect(forms(Array("👩‍👩‍👧".utf8)) == [Array("👩‍👩‍👧".utf8)])
  }
}
