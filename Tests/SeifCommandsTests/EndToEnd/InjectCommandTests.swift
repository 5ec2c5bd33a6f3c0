import SeifCommandLine
import Glibc
import Testing

@testable import SeifCommands

/// `seif inject`: templates filled, or nothing written.
@Suite struct InjectCommandTests {
  let home: Home

  init() throws { home = try Fixture.withVault() }

  private func inject(
    _ words: String..., input: String = "", reveals: Bool = false
  ) throws -> Terminal.Result {
    try home.seif(list: ["inject"] + words, passphrase: Canary.vaultPassphrase, input: input, reveals: reveals)
  }

  @Test func referencesAreFilledAndTheRestStaysByteByByte() throws {
    let result = try inject(
      input: "user = {{ seif://Example%20Forge/username }}\r\n{{ other }}\n\t{{seif://Everyday%20plastic/expiry}}{}",
      reveals: true)
    #expect(result.exitCode == 0)
    #expect(result.output == "user = ana\r\n{{ other }}\n\t2029-04{}")
    #expect(result.errors == "")
  }

  @Test func theFileIsPrivateWholeAndNeverReplacedUnasked() throws {
    try home.write("p = {{ seif://Example%20Forge/password }}\n", as: "template")
    let path = home.file("out-in-clear")
    let words = ["inject", "-i", home.file("template"), "-o", path]
    #expect(try home.seif(list: words, passphrase: Canary.vaultPassphrase).exitCode == 0)
    #expect(try home.read("out-in-clear") == "p = \(Canary.password)\n")
    #expect(home.mode("out-in-clear") == 0o600)
    #expect(try home.seif(list: words, passphrase: Canary.vaultPassphrase).exitCode == 73)
    #expect(try home.seif(list: words + ["--force"], passphrase: Canary.vaultPassphrase).exitCode == 0)
  }

  @Test func aFaultIsNamedByItsPlaceAndNothingIsWritten() throws {
    let names = try home.names()
    let broken = try inject("-o", home.file("out"), input: "a\nb {{ seif://Keys/no tes }}")
    #expect(broken.exitCode == 65)
    #expect(broken.errors.hasPrefix("seif: standard input, line 2, column 6: }} has to follow the reference"))
    let missing = try inject("-o", home.file("out"), input: "{{ seif://Keys/notes }} {{ seif://Keys/password }}")
    #expect(missing.exitCode == 66)
    #expect(
      missing.errors == """
        seif: a reference has no value. Nothing was written.
          seif://Keys/password: what fits has no such field

        """)
    #expect(try home.names() == names)
  }

  @Test func everyFieldOfEveryKindHasItsName() throws {
    let fields: [(String, String)] = [
      ("seif://Keys/notes", Canary.note), ("seif://Everyday%20plastic/number", Canary.cardNumber),
      ("seif://Everyday%20plastic/cvc", "123"), ("seif://Everyday%20plastic/holder", "ANA EXAMPLE"),
      ("seif://Example%20Forge/url", "https://forge.example.org"), ("seif://example/password", Canary.password),
      ("seif://GitHub:ana@example.com/secret", Canary.timedSeed), ("seif://Steam/username", "steamy"),
    ]
    for (reference, value) in fields {
      #expect(try inject(input: "<{{ \(reference) }}>", reveals: true).output == "<\(value)>", "\(reference)")
    }
  }
}
