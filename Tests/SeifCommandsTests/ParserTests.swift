import SeifCommandLine
import Testing

@testable import SeifCommands

/// How arguments are told apart.
@Suite struct ParserTests {
  static let output = Option.value("output", "OUT", short: "o", "where to write")
  static let tag = Option.value("tag", "TAG", repeats: true, "with this tag")
  static let count = Option.value("count", "N", "how many")
  static let json = Option.flag("json", "one JSON document")
  static let options = [output, tag, count, json]

  private func parse(_ words: String...) throws(UsageError) -> ParsedArguments {
    try ArgumentParser.parse(words, options: Self.options)
  }

  private func fault(_ words: String...) -> String? {
    do {
      _ = try ArgumentParser.parse(words, options: Self.options)
      return nil
    } catch { return error.message }
  }

  @Test func aValueFollowsOrStandsBehindAnEqualsSign() throws {
    #expect(try parse("--output", "a").value(Self.output) == "a")
    #expect(try parse("--output=a=b").value(Self.output) == "a=b")
    #expect(try parse("--output=").value(Self.output) == "")
    #expect(try parse("-o", "a").value(Self.output) == "a")
    #expect(try parse("-o", "-").value(Self.output) == "-")
    #expect(try parse("--output", "-").value(Self.output) == "-")
    #expect(try parse().value(Self.output) == nil)
  }

  @Test func aForgottenValueDoesNotSwallowAnOption() {
    #expect(fault("--output", "--json") == "-o, --output OUT needs its value")
    #expect(fault("-o", "--") == "-o, --output OUT needs its value")
    #expect(fault("--output") == "-o, --output OUT needs its value")
    #expect(fault("--output=--json") == nil)
  }

  @Test func optionsAndArgumentsMix() throws {
    var arguments = try parse("one", "--json", "two", "-o", "x", "-")
    #expect(arguments.flag(Self.json))
    #expect(try arguments.positional("FILE") == "one")
    #expect(arguments.optionalPositional() == "two")
    #expect(arguments.remainingPositionals() == ["-"])
    #expect(arguments.optionalPositional() == nil)
    #expect(throws: UsageError("FILE is missing")) { try arguments.positional("FILE") }
  }

  @Test func twoDashesEndOptions() throws {
    var arguments = try parse("a", "--", "--json", "-o", "--")
    #expect(!arguments.flag(Self.json))
    #expect(arguments.remainingPositionals() == ["a", "--json", "-o", "--"])
    var command = try parse("a", "--", "ls", "-l")
    #expect(command.takeAfterSeparator() == ["ls", "-l"])
    #expect(command.remainingPositionals() == ["a"])
    #expect(command.takeAfterSeparator() == nil)
    var empty = try parse("a", "--")
    #expect(empty.takeAfterSeparator() == [])
    var taken = try parse("a", "--", "b")
    #expect(try taken.positional("A") == "a")
    #expect(try taken.positional("B") == "b")
    #expect(taken.takeAfterSeparator() == [])
  }

  @Test func valuesThatRepeatAreKeptInOrderAndOthersRefused() throws {
    #expect(try parse("--tag", "b", "--tag=a").values(Self.tag) == ["b", "a"])
    #expect(fault("--output", "a", "-o", "b") == "--output is given twice")
    #expect(fault("--json", "--json") == nil)
  }

  @Test func anUnknownOptionIsNamedWithoutItsValue() {
    #expect(fault("--passwrod=hunter2") == "there is no option --passwrod")
    #expect(fault("--jsno") == "there is no option --jsno. Did you mean --json?")
    #expect(fault("-xsecret") == "there is no option -x")
    #expect(fault("-oFILE") == "there is no option -o")
    #expect(fault("--out", "x") == "there is no option --out")
    #expect(fault("--json=yes") == "--json takes no value")
  }

  @Test(arguments: [("7", 7), ("0", 0), ("-3", -3), ("007", 7)])
  func wholeNumbersAreRead(text: String, number: Int) throws {
    #expect(try parse("--count=\(text)").integer(Self.count, in: -3...7) == number)
  }

  @Test(arguments: ["8", "-4", "", "-", "+3", "1e0", "3 ", "٣", "99999999999999999999", "0x1"])
  func anythingElseIsWrongUse(text: String) throws {
    let arguments = try parse("--count=\(text)")
    #expect(throws: UsageError("--count takes a whole number from -3 to 7")) {
      try arguments.integer(Self.count, in: -3...7)
    }
  }

  enum Kind: String, CaseIterable { case codes, cards }

  @Test func oneOfAFixedSetOfWords() throws {
    #expect(try parse("--output=cards").choice(Self.output, of: Kind.self) == .cards)
    let arguments = try parse("--output=code")
    #expect(throws: UsageError("--output takes one of: codes, cards. Did you mean codes?")) {
      _ = try arguments.choice(Self.output, of: Kind.self)
    }
  }

  // MARK: - Suggestions

  @Test(arguments: [
    ("opne", "open"), ("convrt", "convert"), ("covnret", "convert"), ("OPEN", "open"),
    ("backupcreate", "backup create"),
  ])
  func aWordWithinTwoEditsIsSuggested(typed: String, meant: String) {
    #expect(Suggestion.nearest(to: typed, among: ["init", "open", "convert", "backup create"]) == meant)
  }

  @Test(arguments: ["xyz", "", "op", "conv", "zz"])
  func nothingFartherIsSuggested(typed: String) {
    #expect(Suggestion.nearest(to: typed, among: ["init", "open", "convert"]) == nil)
  }

  @Test(arguments: [
    ("rm", "remove"), ("ls", "list"), ("del", "remove"), ("cat", "show"), ("LS", "list"), ("otp", "code"),
    ("keys rm", "keys remove"), ("bin ls", "bin list"), ("passwd", "keys passphrase"), ("restore", "bin restore"),
    ("man", "help"),
  ])
  func aWordOfAnotherProgramLeadsToOurs(typed: String, meant: String) {
    #expect(OtherWords.command(for: typed, among: CommandTable.all.map { $0.name }) == meant)
  }

  @Test func noWordOfAnotherProgramIsACommandOfOurs() {
    for command in CommandTable.all where !command.name.contains(" ") {
      #expect(OtherWords.command(for: command.name, among: CommandTable.all.map { $0.name }) == nil, "\(command.name)")
    }
    // A group doesn't lead to what it doesn't have.
    #expect(OtherWords.command(for: "backup rm", among: CommandTable.all.map { $0.name }) == nil)
  }

  @Test func theNearestWinsAndDistancesAreSymmetric() {
    #expect(Suggestion.nearest(to: "lst", among: ["lost", "list", "last"]) == "lost")
    #expect(Suggestion.nearest(to: "lists", among: ["lost", "list"]) == "list")
    for (left, right, edits) in [("", "abc", 3), ("kitten", "sitting", 3), ("ab", "ba", 1), ("same", "same", 0)] {
      #expect(Suggestion.distance(Array(left), Array(right)) == edits)
      #expect(Suggestion.distance(Array(right), Array(left)) == edits)
    }
  }
}
