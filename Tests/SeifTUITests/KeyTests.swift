import SeifTUI
import Testing

/// Keys out of bytes, and the table of what they do.
@Suite struct KeyTests {
  @Test(arguments: [
    ("a", [Key.character("a")]), ("\r", [.enter]), ("\n", [.enter]), ("\t", [.tab]), ("\u{7F}", [.backspace]),
    ("\u{1B}[A", [.up]), ("\u{1B}OB", [.down]), ("\u{1B}[1;5C", [.right]), ("\u{1B}[D", [.left]),
    ("\u{1B}[H", [.home]), ("\u{1B}[4~", [.end]), ("\u{1B}[5~", [.pageUp]), ("\u{1B}[6~", [.pageDown]),
    ("\u{1B}[3~", [.delete]), ("\u{1B}[Z", [.backTab]), ("\u{C}", [.control("l")]), ("ș", [.character("ș")]),
    ("日j", [.character("日"), .character("j")]), ("\u{1B}[<0;1;1Mq", [.character("q")]), ("\u{1B}xq", [.character("q")]),
    ("\u{1B}[200~a\rd\u{1B}[201~b", [.pasted("a"), .pasted("d"), .character("b")]), ("\u{1B}\u{1B}[A", [.escape, .up]),
  ])
  func bytesAreKeys(text: String, keys: [Key]) {
    var decoder = KeyDecoder()
    #expect(decoder.keys(Array(text.utf8)) == keys)
    // In pieces it is the same.
    decoder = KeyDecoder()
    #expect(text.utf8.flatMap { decoder.keys([$0]) } == keys)
    #expect(!decoder.isPending)
  }

  @Test func anEscapeThatNothingFollowsIsAKey() {
    var decoder = KeyDecoder()
    #expect(decoder.keys([0x1B]) == [] && decoder.isPending)
    #expect(decoder.flush() == [.escape] && !decoder.isPending)
    _ = decoder.keys(Array("\u{1B}[1".utf8))
    #expect(decoder.flush() == [])
  }

  @Test func aPasteThatIsCutStaysOneToItsEnd() {
    var decoder = KeyDecoder()
    #expect(decoder.keys(Array("\u{1B}[200~ab\u{1B}[20".utf8)) == [.pasted("a"), .pasted("b")])
    decoder.forget()
    #expect(decoder.isPasting)
    #expect(decoder.keys(Array("1~q".utf8)) == [.character("q")] && !decoder.isPasting)
    // Of a key that has begun nothing stays.
    _ = decoder.keys([0x1B])
    decoder.forget()
    #expect(decoder.keys(Array("[A".utf8)) == [.character("["), .character("A")])
  }

  @Test func anyBytesAreTaken() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      var decoder = KeyDecoder()
      let bytes = (0..<Int.random(in: 0...80, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      _ = decoder.keys(bytes)
      _ = decoder.flush()
      // Whatever came, a paste has an end.
      _ = decoder.keys(Array("\u{1B}[201~".utf8))
      #expect(decoder.keys([0x71]) == [.character("q")], "\(bytes)")
    }
    var decoder = KeyDecoder()
    _ = decoder.keys([0x1B, 0x5B] + [UInt8](repeating: 0x31, count: 100))
    #expect(!decoder.isPending || decoder.flush() == [])
  }

  @Test func everyActionHasItsLineAndEveryKeyOneAction() {
    let table = KeyTable.standard
    #expect(Set(table.rows.map(\.action)) == Set(Action.allCases) && table.rows.count == Action.allCases.count)
    let keys = table.rows.flatMap(\.keys)
    #expect(Set(keys).count == keys.count)
    for key in keys { #expect(Key(name: key.name) == key) }
  }

  @Test func aFileChangesKeys() throws {
    let table = try KeyTable.standard.changed(by: "# mine\n\nlock Ctrl+K\n right l Right\r\nquit Q\n")
    #expect(table.action(.control("k")) == .lock && table.action(.character("l")) == .right)
    #expect(table.action(.character("Q")) == .quit && table.action(.character("q")) == nil)
    #expect(table.keys(.lock) == [.control("k")])
    // A key that is taken leaves the action that had it.
    let other = try KeyTable.standard.changed(by: "sort d\n")
    #expect(other.keys(.remove) == [] && other.action(.character("d")) == .sort)
  }

  @Test(arguments: [
    ("fly x", KeyTable.Fault.noAction(line: 1)), ("\nlock", .noKey(line: 2)), ("lock Hyper+x", .noKey(line: 1)),
    ("lock x\nsort x", .taken(line: 2)), ("lock Ctrl+C", .taken(line: 1)),
    ("lock Ctrl+M", .taken(line: 1)), ("\nlock ctrl+i", .taken(line: 2)), ("sort q", .missing(.quit)),
    ("lock \u{1B}", .noKey(line: 1)),
  ])
  func aFaultNamesItsLine(text: String, fault: KeyTable.Fault) {
    #expect(throws: fault) { try KeyTable.standard.changed(by: text) }
  }
}
