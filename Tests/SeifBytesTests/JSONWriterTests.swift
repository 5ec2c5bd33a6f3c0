import SeifBytes
import SeifTestSupport
import Testing

@Suite struct JSONWriterTests {
  func text(_ body: (inout JSONWriter) -> Void, indent: Int = 0) -> String {
    var writer = JSONWriter(indent: indent)
    body(&writer)
    return writer.finish().exposedText() ?? ""
  }

  func opaque(_ key: String, _ value: String) -> OpaqueMember {
    OpaqueMember(key: key, value: SecretValue(utf8: value))
  }

  @Test func opaqueMembersStandAmongTheOthersInTheOrderOfBytes() {
    func object(_ members: [OpaqueMember]) -> String {
      text { writer in
        writer.beginObject(opaque: members)
        writer.key("b")
        writer.integer(1)
        writer.key("d")
        writer.beginArray()
        writer.endArray()
        writer.endObject()
      }
    }
    #expect(object([]) == #"{"b":1,"d":[]}"#)
    #expect(object([opaque("a", "0")]) == #"{"a":0,"b":1,"d":[]}"#)
    #expect(
      object([opaque("z", "{}"), opaque("c", "\"x\""), opaque("a", "0"), opaque("B", "null")])
        == #"{"B":null,"a":0,"b":1,"c":"x","d":[],"z":{}}"#)
    #expect(
      object([opaque("d\u{0}", "1"), opaque("\u{E9}", "2"), opaque("e\u{301}", "3"), opaque("", "4")])
        == "{\"\":4,\"b\":1,\"d\":[],\"d\\u0000\":1,\"e\u{301}\":3,\"\u{E9}\":2}")
    // UTF-8's order, not UTF-16's: U+FF5E stands before U+1F600.
    #expect(
      object([opaque("\u{1F600}", "1"), opaque("\u{FF5E}", "2")]) == "{\"b\":1,\"d\":[],\"\u{FF5E}\":2,\"\u{1F600}\":1}"
    )
  }

  // A strict reader, ours first of all, would refuse the file.
  @Test func noKeyIsWrittenTwice() {
    let written = text { writer in
      writer.beginObject(opaque: [
        opaque("a", "0"), opaque("b", "9"), opaque("c", "1"), opaque("c", "2"), opaque("b", "8"),
      ])
      writer.key("b")
      writer.integer(1)
      writer.endObject()
    }
    #expect(written == #"{"a":0,"b":1,"c":2}"#)
    #expect(
      text {
        $0.beginObject(opaque: [opaque("a", "1"), opaque("a", "2")]); $0.endObject()
      } == #"{"a":2}"#)
  }

  @Test func theLayoutForPeopleHasALineForEachValue() {
    func write(_ writer: inout JSONWriter) {
      writer.beginObject(opaque: [opaque("o", #"{"x":[1,2]}"#)])
      writer.key("a")
      writer.beginArray()
      writer.integer(-1)
      writer.beginObject()
      writer.endObject()
      writer.beginArray()
      writer.endArray()
      writer.beginArray()
      writer.null()
      writer.endArray()
      writer.endArray()
      writer.key("z")
      writer.string("s")
      writer.endObject()
    }
    #expect(text({ write(&$0) }) == #"{"a":[-1,{},[],[null]],"o":{"x":[1,2]},"z":"s"}"#)
    #expect(
      text({ write(&$0) }, indent: 2) == """
        {
          "a": [
            -1,
            {},
            [],
            [
              null
            ]
          ],
          "o": {"x":[1,2]},
          "z": "s"
        }
        """)
  }

  @Test func stringsAreEscapedAsLittleAsTheyMayBe() throws {
    let all = String(String.UnicodeScalarView((0..<0x180).compactMap { Unicode.Scalar($0 as Int) }))
    let samples = [all, "\u{2028}\u{2029}\u{FEFF}\u{FFFF}\u{10FFFF}", "/</script>", "👩‍👩‍👧e\u{301}"]
    let input = samples.map { Base16.encode(Array($0.utf8)) }.joined(separator: "\n")
    let lines = try Python.lines(
      """
      import sys, json
      for line in sys.stdin:
          print(json.dumps(bytes.fromhex(line.strip()).decode(), ensure_ascii=False).encode().hex())
      """, input: Array(input.utf8))
    for (sample, line) in zip(samples, lines) {
      let expected = try Base16.decode(String(line))
      #expect(Array(text { $0.string(sample) }.utf8) == expected)
      #expect(Array(text { $0.string(SecretValue(utf8: sample)) }.utf8) == expected)
    }
    #expect(text { $0.string("\u{7F}\u{1F}\u{0}") } == "\"\u{7F}\\u001f\\u0000\"")
  }

  @Test func integersAreWrittenWhole() {
    #expect(text { $0.integer(.min) } == "-9223372036854775808")
    #expect(text { $0.integer(.max) } == "9223372036854775807")
    #expect(text { $0.bool(true) } + text { $0.bool(false) } + text { $0.null() } == "truefalsenull")
  }
}

@Suite struct JSONCanonicalTests {
  /// Documents from a seed, as Python writes them in its own ways, each with its canonical form.
  static let script = """
    import sys, json, random
    r = random.Random(20260917)
    alphabet = ['a', 'b', 'K', '\\u00e9', 'e\\u0301', '\\u007f', '\\u0000', '\\u001f', '"', '\\\\', '/', '\\n', '\\u2028',
                '\\uff5e', '\\U0001f600', '\\U0010ffff', '\\u05d0', ' ']
    def text():
        return ''.join(r.choice(alphabet) for _ in range(r.randrange(6)))
    def value(depth):
        k = r.randrange(8 if depth < 6 else 6)
        if k == 0: return None
        if k == 1: return r.random() < .5
        if k == 2: return r.choice([0, 1, -1, 2**53 + 1, 2**63 - 1, -2**63, 2**64, -10**30, r.randrange(-10**9, 10**9)])
        if k in (3, 4, 5): return text()
        if k == 6: return [value(depth + 1) for _ in range(r.randrange(5))]
        return {text(): value(depth + 1) for _ in range(r.randrange(r.choice([5, 40])))}
    # By UTF-8 bytes: Python sorts by code points, which is the same order.
    for i in range(1500):
        v = value(0)
        out = json.dumps(v, ensure_ascii=r.random() < .5, indent=r.choice([None, 1, 4]))
        print(out.encode().hex(), json.dumps(v, sort_keys=True, separators=(',', ':'), ensure_ascii=False).encode().hex())
    """

  @Test func theCanonicalTextIsPythonsSortedOneAndReadsBackAsItself() throws {
    let lines = try Python.lines(Self.script)
    #expect(lines.count == 1500)
    var wrong: [Substring] = []
    for line in lines {
      let parts = line.split(separator: " ").map(String.init)
      let document = try json(Base16.decode(parts[0]))
      let canonical = document.root.canonical.exposedBytes()
      if try canonical != Base16.decode(parts[1]) { wrong.append(line) }
      if try json(canonical).root.canonical.exposedBytes() != canonical { wrong.append(line) }
    }
    #expect(wrong.isEmpty, "\(wrong.prefix(3))")
  }

  @Test func numbersKeepTheirDigits() throws {
    for number in ["1.0", "-0", "-0.0", "1e5", "1E+05", "0.10", "123456789012345678901234567890", "1e400"] {
      #expect(try json("[ \(number) ]").root.canonical.exposedText() == "[\(number)]")
    }
  }
}

@Suite struct JSONFuzzTests {
  // Python's reader with its leniences taken away: constants, duplicate keys, halves of pairs, other white space, depth.
  static let judge = """
    import sys, json, re
    class Bad(Exception): pass
    def pairs(items):
        keys = [k for k, _ in items]
        if len(set(keys)) != len(keys): raise Bad()
        return dict(items)
    def constant(_): raise Bad()
    def depth(v):
        if isinstance(v, dict): return 1 + max([depth(x) for x in v.values()], default=0)
        if isinstance(v, list): return 1 + max([depth(x) for x in v], default=0)
        return 0
    out = []
    for line in sys.stdin:
        data = bytes.fromhex(line.strip())
        try:
            text = data.decode('utf-8')
            if text.startswith('\\ufeff'): raise Bad()
            v = json.loads(text, object_pairs_hook=pairs, parse_constant=constant, parse_float=lambda s: s)
            json.dumps(v, ensure_ascii=False).encode('utf-8')
            out.append('0' if depth(v) > 32 else '1')
        except (ValueError, Bad, RecursionError):
            out.append('0')
    print(''.join(out))
    """

  static let seeds = [
    #"{"a":1,"b":[true,false,null],"c":{"d":"e\u00e9\ud83d\ude00\n"},"é":-1.5e+10}"#,
    #"[[],{},"",0,-0,1E5,"\\\"\/\b\f\r\t",[[[1]]],{"k":{"k":{"k":[]}}}]"#,
    #"{"kdf":{"name":"argon2id","memoryKiB":65536},"salt":"AAECAwQFBgcICQoLDA0ODw==","x":[1,2,3]}"#,
    #" {"a" : "\u0061" , "\u0062" : [ 9223372036854775807 , -9223372036854775808 ] } "#,
  ].map { Array($0.utf8) }

  @Test func mutatedTextsAreJudgedAsByPythonAndNeverTrap() throws {
    var generator = SeededGenerator(seed: 4627)
    let tokens = [
      "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "\\ud800", "\\udc00", "0", "-", ".", "e", "\"a\":", " ",
      "\u{FEFF}", "é", "true", "\n", "\t",
    ]
    var texts: [[UInt8]] = []
    for _ in 0..<20_000 {
      var text = Self.seeds[Int.random(in: 0..<Self.seeds.count, using: &generator)]
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let position = Int.random(in: 0..<max(1, text.count), using: &generator)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0 where !text.isEmpty: text[min(position, text.count - 1)] = UInt8.random(in: 0...255, using: &generator)
        case 1 where !text.isEmpty: text.remove(at: min(position, text.count - 1))
        case 2:
          let token = Array(tokens[Int.random(in: 0..<tokens.count, using: &generator)].utf8)
          text.insert(contentsOf: token, at: min(position, text.count))
        case 3: text.removeSubrange(min(position, text.count)...)
        case 4:
          let end = min(text.count, position + 20)
          text.insert(contentsOf: text[min(position, text.count)..<end], at: min(position, text.count))
        default:
          let token = Array(tokens[Int.random(in: 0..<tokens.count, using: &generator)].utf8)
          let end = min(text.count, position + token.count)
          text.replaceSubrange(min(position, text.count)..<end, with: token)
        }
      }
      texts.append(text)
    }
    let verdicts = try Python.run(
      Self.judge, input: Array(texts.map { Base16.encode($0) }.joined(separator: "\n").utf8))
    #expect(verdicts.count == texts.count + 1)
    var wrong: [String] = []
    var taken = 0
    for (text, verdict) in zip(texts, verdicts) {
      let ours = refusal(text) == nil
      if ours { taken += 1 }
      if ours != (verdict == 0x31) { wrong.append(Base16.encode(text)) }
      // The foreign policy takes all that the strict one takes, and everything inside can be asked for.
      guard let document = try? json(text, .foreign) else {
        #expect(!ours)
        continue
      }
      let canonical = document.root.canonical.exposedBytes()
      #expect(try json(canonical).root.canonical.exposedBytes() == canonical)
    }
    #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(5))")
    // Neither all nor none, or the comparison would say little.
    #expect((1000...15_000).contains(taken))
  }
}
