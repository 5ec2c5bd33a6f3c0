import SeifCommandLine
import SeifBytes
import Testing

@testable import SeifCommands

@Suite struct ReferenceTests {
  private func fault(_ text: String) -> Reference.Fault.Code? {
    do throws(Reference.Fault) {
      _ = try Reference(text)
      return nil
    } catch { return error.code }
  }

  @Test func aReferenceIsAnItemAndAField() throws {
    let reference = try Reference("seif://GitHub:you@example.com/password")
    #expect(reference.item == "GitHub:you@example.com")
    #expect(reference.field.known == .password)
    #expect(try Reference("seif://x/totp").field.known == .code)
    #expect(try Reference("seif://x/API%20key").field == FieldName("API key"))
    #expect(try Reference("seif://M%C3%BCller%2FSohn%20%26%20Co/url").item == "Müller/Sohn & Co")
  }

  @Test func everythingElseIsRefusedForItsReason() {
    #expect(fault("SEIF://a/b") == .scheme)
    #expect(fault("seif:/a/b") == .scheme)
    #expect(fault("seif://") == .noItem)
    #expect(fault("seif://a") == .noField)
    #expect(fault("seif://a/") == .noField)
    #expect(fault("seif:///b") == .noItem)
    #expect(fault("seif://a/b/c") == .tooManyParts)
    #expect(fault("seif://a b/c") == .character)
    #expect(fault("seif://ü/c") == .character)
    #expect(fault("seif://a/b?c") == .character)
    #expect(fault("seif://a/b#c") == .character)
    #expect(fault("seif://a%2/c") == .escape)
    #expect(fault("seif://a%zz/c") == .escape)
    #expect(fault("seif://a%FF/c") == .notText)
    #expect(fault("seif://a%00/c") == .notText)
    #expect(fault("seif://" + String(repeating: "a", count: 2048) + "/b") == .tooLong)
    #expect(fault("seif://" + String(repeating: "a", count: 2039) + "/b") == nil)
  }

  private func template(_ text: String) throws -> Template { try Template(SecretValue(utf8: text)) }

  private func filled(_ text: String) throws -> String? {
    // EXPOSE: made up here.
    try template(text).filled { SecretValue(utf8: "<\($0.item)|\($0.description.utf8.count)>") }.exposedText()
  }

  @Test func bracesWithAReferenceAreFilledAndOthersAreText() throws {
    #expect(try filled("a{{seif://x/url}}b{{\t seif://yy/url }}\n") == "a<x|12>b<yy|13>\n")
    #expect(try filled("{{ name }} {{{ }} {{ seif:/ }}") == "{{ name }} {{{ }} {{ seif:/ }}")
    #expect(try filled("{{{ seif://x/url }}}") == "{<x|12>}")
    #expect(try filled("seif://x/url") == "seif://x/url")
    #expect(try filled("") == "")
    let bytes: [UInt8] = [0xFF, 0, 0x0A, 0x7B, 0x7B]
    #expect(try Template(SecretValue(bytes)).filled { _ in .empty } == SecretValue(bytes))
  }

  @Test(arguments: [
    ("\nä {{ seif://x/url", 2, 6), ("{{ seif://x/url }", 1, 4), ("{{ seif://x/y z }}", 1, 4),
    ("x\n\n {{seif://x/url\n}}", 3, 4),
  ])
  func whatIsNotClosedIsRefusedAtItsPlace(_ text: String, _ line: Int, _ column: Int) {
    #expect(throws: Template.Fault(code: .notClosed, line: line, column: column, what: "")) { try template(text) }
  }

  @Test func aBrokenReferenceInBracesIsRefusedAtItsPlace() {
    #expect(throws: Template.Fault(code: .reference(.noField), line: 1, column: 6, what: "")) {
      try template("12{{ seif://x }}")
    }
    #expect(throws: Template.Fault(code: .tooMany, line: 1, column: 1024 * 18 + 4, what: "")) {
      try template(String(repeating: "{{ seif://x/url }}", count: 1025))
    }
  }

  @Test func variablesAreTakenWholeOrWithBracesAndNothingInBetween() throws {
    func plan(_ entries: [String], _ given: [(String, String)] = []) throws(CommandFailure) -> EnvironmentPlan {
      try EnvironmentPlan(
        inherited: entries.map { Array($0.utf8) }, given: given.map { ($0.0, SecretValue(utf8: $0.1)) })
    }
    let taken = try plan(["A=seif://x/password", "B=u:{{ seif://y/code }}@h", "C=plain", "D", "E=seif"])
    #expect(taken.variables.map(\.name) == ["A", "B"])
    #expect(taken.references.map(\.item) == ["x", "y"])
    #expect(throws: CommandFailure.self) { try plan(["A=http://seif://x/password"]) }
    #expect(throws: CommandFailure.self) { try plan(["A=seif://x/password "]) }
    #expect(try plan(["A=seif://x/password"], [("A", "seif://y/url")]).references.map(\.item) == ["y"])
  }

  private func file(_ text: String) throws -> [String] {
    let world = try World(input: text)
    // EXPOSE: made up here.
    return try EnvironmentFile.read("-", world.context).map { "\($0.name)=\($0.value.exposedText() ?? "?")" }
  }

  @Test func aFileOfVariablesIsReadLineByLine() throws {
    #expect(
      try file("# c\n\n  # d\r\nA=1\r\nB_2= x = y # z\nC=\"a b\"\nD='x\"y'\nE=\n_f=$HOME\\n")
        == ["A=1", "B_2= x = y # z", "C=a b", "D=x\"y", "E=", "_f=$HOME\\n"])
  }

  @Test(arguments: [
    "A", "=1", "1A=x", "A B=x", "export A=1", "A =1", "A=\"x", "A='x'y'", "A=\"x\"y", "A=\"", "A=1\nA=2", "A=\0",
    "Ä=1", String(repeating: "\n", count: 5000),
  ])
  func aLineThatIsNoVariableIsRefused(_ text: String) throws {
    #expect(throws: CommandFailure.self) { try file(text) }
  }
}
