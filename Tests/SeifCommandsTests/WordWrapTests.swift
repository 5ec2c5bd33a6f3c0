import SeifCommandLine
import Testing

@testable import SeifCommands

@Suite struct WordWrapTests {
  @Test(arguments: [
    ("one two three", 13, 0, 0, "one two three"), ("one two three", 12, 0, 0, "one two\nthree"),
    ("one two three", 12, 2, 2, "one two\n  three"), ("one two three", 3, 0, 2, "one\n  two\n  three"),
    ("/a/long/path/of/words x", 8, 0, 0, "/a/long/path/of/words\nx"), ("    item more", 8, 0, 4, "    item\n    more"),
    ("+ 9 new   = 0 already", 14, 0, 0, "+ 9 new   = 0\nalready"), ("", 4, 0, 0, ""),
    ("école 学校 学校", 10, 0, 0, "école 学校\n学校"),
  ])
  func linesBreakAtWordsAlone(text: String, columns: Int, start: Int, indent: Int, wrapped: String) {
    #expect(WordWrap.wrapped(text, to: columns, after: start, indent: indent) == wrapped)
  }

  /// A command that a person may copy.
  @Test(arguments: [
    ("Make one up: seif generate --words 6", 20, "Make one up:\nseif generate --words 6"),
    (
      "If so: seif keys remove tpm2, then seif keys add tpm2", 24,
      "If so:\nseif keys remove tpm2,\nthen seif keys add tpm2"
    ),
    ("`seif undo` puts it back", 14, "`seif undo`\nputs it back"),
    ("seif unlock starts it anew", 18, "seif unlock starts\nit anew"),
    ("On Debian: apt install a b c.", 18, "On Debian:\napt install a b c."),
    ("a (seif help code) b", 17, "a\n(seif help code)\nb"), ("what seif is", 9, "what seif\nis"),
    ("an open ` stays", 10, "an open `\nstays"),
  ])
  func commandsStayOnALine(text: String, columns: Int, wrapped: String) {
    #expect(WordWrap.wrapped(text, to: columns) == wrapped)
  }

  @Test func aNextStepThatDoesNotFitHasALineOfItsOwn() throws {
    let world = try World(
      style: TerminalStyle(
        isTerminal: true, columns: 20, hasColour: false, isUTF8: true, isAccessible: false, canRedraw: false))
    world.context.talk.hint("seif open --reveal FILE")
    #expect(world.errors == "Next:\nseif open --reveal FILE\n")
  }

  @Test func whatIsSaidFitsATerminalAndIsOneLineElsewhere() throws {
    let text = "the kernel says that the clock isn't synchronised; codes may be refused"
    let narrow = try World(
      style: TerminalStyle(
        isTerminal: true, columns: 40, hasColour: false, isUTF8: true, isAccessible: false, canRedraw: false))
    narrow.context.talk.warn(text)
    narrow.context.talk.fail(CommandFailure(.busy, text, hint: "Wait.", details: ["x"]))
    #expect(
      narrow.errors == """
        ! the kernel says that the clock isn't
          synchronised; codes may be refused
        seif: the kernel says that the clock
          isn't synchronised; codes may be
          refused. Wait.
          x

        """)
    let pipe = try World()
    pipe.context.talk.warn(text)
    #expect(pipe.errors == "! \(text)\n")
  }
}
