import SeifCommandLine
import SeifBytes
import Testing

@testable import SeifCommands

/// `seif generate` as it is run.
@Suite struct GenerateTests {
  @Test func aPasswordIsTheWholeOutputAndItsStrengthIsSaid() throws {
    let home = try Home()
    let result = try home.seif("generate")
    #expect(result.exitCode == 0)
    #expect(result.output.utf8.count == 21 && result.output.hasSuffix("\n"))
    #expect(result.errors == "strength 129 bits: one of 2^129, all as likely\n")
    let again = try home.seif("generate", "--quiet")
    #expect(again.errors == "")
    #expect(again.output != result.output)
    #expect(try home.names() == [])
  }

  @Test func phrasesClassesAndCountsAreAsAsked() throws {
    let home = try Home()
    let phrases = try home.seif("generate", "--words", "6", "--separator", ".", "--count", "3")
    let lines = phrases.output.split(separator: "\n")
    #expect(lines.count == 3 && Set(lines).count == 3)
    #expect(lines.allSatisfy { $0.split(separator: ".").count == 6 })
    #expect(phrases.errors == "strength 60 bits each: one of 2^60, all as likely\n")
    let pin = try home.seif("generate", "--length", "6", "--classes", "digit")
    #expect(pin.output.count == 7 && pin.output.dropLast().allSatisfy { $0.isASCII && $0.isNumber })
    #expect(pin.errors.hasPrefix("strength 19 bits"))
  }

  @Test func jsonHasTheValuesAndWholeBits() throws {
    let home = try Home()
    let root = try document(
      home.seif("generate", "--json", "--count", "2", "--length", "12", "--no-look-alikes").output, "seif-generated")
    #expect(root["kind"]?.string == "password")
    #expect(root["length"]?.int64 == 12)
    #expect(root["alphabet"]?.int64 == 83)
    #expect(root["bits"]?.int64 == 75)
    #expect(root["values"]?.elements.compactMap { $0.string?.utf8.count } == [12, 12])
  }

  @Test func oneIsCopiedAndNotShown() throws {
    let home = try Home()
    let server = try XServer()
    let result = try home.seif("generate", "--copy", "--for", "2", "--json", environment: server.environment)
    #expect(result.exitCode == 0)
    let root = try document(result.output, "seif-generated")
    #expect(root["values"] == nil)
    #expect(root["clearedAfterSeconds"]?.int64 == 2)
    let pasted = try home.run("xclip", "-o", "-selection", "clipboard", environment: server.environment)
    #expect(pasted.output.utf8.count == 20)
  }

  @Test func whatContradictsIsRefused() throws {
    let home = try Home()
    for words in [
      ["--length", "3"], ["--length", "129"], ["--words", "2"], ["--words", "6", "--length", "8"],
      ["--words", "6", "--classes", "digit"], ["--separator", "-"], ["--words", "6", "--separator", "ab"],
      ["--words", "6", "--separator", "a"], ["--classes", "digits"], ["--classes", ""], ["--count", "0"],
      ["--copy", "--count", "2"], ["--for", "3"],
    ] {
      #expect(try home.seif(list: ["generate"] + words).exitCode == 64, "\(words)")
    }
  }
}
