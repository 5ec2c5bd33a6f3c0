import SeifBytes
import SeifCrypto
import SeifOTP
import SeifRecords
import SeifTestSupport
import Testing

@testable import SeifFormats

/// Parameters of Key URIs that mean nothing here.
@Suite struct URIParameterTests {
  static let key = "uriParameters"
  static let query = "image=https%3A%2F%2Fexample.com%2Fi.png&lock=true&bare="
  static let json = "[[\"image\",\"https://example.com/i.png\"],[\"lock\",\"true\"],[\"bare\",\"\"]]"

  private func list(_ lines: [String]) throws -> OpenedBackup {
    try FormatRegistry.read(FormatInput(SecretValue(utf8: lines.joined(separator: "\n")))).open(passphrases: [])
  }

  private func totp(_ query: String) -> String {
    "otpauth://totp/A:b?secret=GEZDGNBVGY3TQOJQ&issuer=A&algorithm=SHA1&digits=6&period=30" + query
  }

  private func record(_ value: String) throws -> Records {
    var records = try list([totp("")]).records
    records.accounts[0].info.opaque = [OpaqueMember(key: Self.key, value: SecretValue(utf8: value))]
    records.accounts[0].info.sortIndex = 0
    return records
  }

  @Test func theyStandInTheRecord() throws {
    let backup = try list([totp("&" + Self.query), "motp://C:d?secret=00ff&pin=GEZDGNA&image=x", totp("")])
    let expected = [OpaqueMember(key: Self.key, value: SecretValue(utf8: Self.json))]
    #expect(backup.records.accounts.map(\.info.opaque) == [expected, []])
    #expect(backup.records.otherAccounts[0].info.opaque.map(\.value) == [SecretValue(utf8: "[[\"image\",\"x\"]]")])
    #expect(backup.problems.isEmpty && backup.notices.isEmpty)
  }

  static let writers: [any BackupWriter] = FormatRegistry.writers.filter { $0.identifier != .uriList }

  @Test(arguments: writers.indices)
  func everyFormatCarriesThem(index: Int) throws {
    let writer = Self.writers[index]
    let records = try record(Self.json)
    let lost = writer.losses(of: records).compactMap(\.field)
    #expect(!lost.contains(Self.key), "\(writer.identifier) \(writer.version)")
    let backup = try RoundTripTests.through(writer, records)
    #expect(backup.records.accounts[0].info.opaque == records.accounts[0].info.opaque, "\(writer.identifier)")
    #expect(backup.problems.isEmpty && backup.notices.isEmpty)
  }

  @Test func listsAndVault2FAWriteThemIntoTheURI() throws {
    let lines = [totp("&" + Self.query), "motp://C:d?secret=00ff&issuer=C&pin=GEZDGNA&image=x&image=y"]
    let backup = try list(lines)
    #expect(URIListWriter().losses(of: backup.records).isEmpty)
    let written = try URIListWriter().write(backup.records, options: RoundTripTests.options, passphrase: nil)
    #expect(written.exposedText() == lines.map { $0 + "\n" }.joined())
    let vault = try RoundTripTests.through(Vault2FAWriter(), backup.records)
    let root = try JSONDocument(parsing: vault.body, policy: .strict).root
    for entry in try #require(root["accounts"]).elements {
      #expect(entry["uri"]?.string == lines[0] && entry[Self.key] == nil)
    }
    #expect(try RoundTripTests.through(Vault2FAWriter(), vault.records).body == vault.body)
  }

  @Test func twoFacHasThemBehindItsOwn() throws {
    let written = try TwoFacWriter(version: 1).write(
      try record(Self.json), options: RoundTripTests.options, passphrase: nil)
    #expect(
      written.exposedText()?.contains("otpauth://totp/A%3Ab?secret=GEZDGNBVGY3TQOJQ&issuer=A&\(Self.query)\"") == true)
  }

  /// Not a list of pairs, a name with a meaning, a name twice, more than a URI may have.
  @Test(arguments: [
    "5", "[]", "[[\"a\"]]", "[[\"a\",\"b\",\"c\"]]", "[[\"a\",1]]", "{\"a\":\"b\"}", "[[\"secret\",\"AAAA\"]]",
    "[[\"Issuer\",\"x\"]]", "[[\"account\",\" b\"],[\"account\",\"c\"]]",
    "[[\"x\",\"\(String(repeating: "/", count: 30_000))\"]]",
  ])
  func whatAURICannotHoldStaysAMemberOrIsNamed(value: String) throws {
    let records = try record(value)
    for writer in FormatRegistry.writers {
      let lost = writer.losses(of: records).filter { $0.field == Self.key }
      let mustLose = [.uriList, .twofac].contains(writer.identifier)
      #expect(lost == (mustLose ? [Loss(kind: .accounts, index: 0, field: Self.key)] : []), "\(writer.identifier)")
      let backup = try RoundTripTests.through(writer, records)
      #expect(backup.records.accounts[0].info.opaque == (mustLose ? [] : records.accounts[0].info.opaque))
      #expect(backup.records.accounts.map(\.otp) == records.accounts.map(\.otp) && backup.problems.isEmpty)
    }
  }

  @Test func aNameTwiceFitsIntoListsAlone() throws {
    let records = try record("[[\"tags\",\"x\"],[\"tags\",\"y\"]]")
    #expect(!URIListWriter().losses(of: records).contains { $0.field == Self.key })
    #expect(TwoFacWriter().losses(of: records).contains { $0.field == Self.key })
    for writer in [URIListWriter(), Vault2FAWriter()] as [any BackupWriter] {
      let backup = try RoundTripTests.through(writer, records)
      #expect(backup.records.accounts[0].info.opaque == records.accounts[0].info.opaque)
    }
  }

  @Test func whatCannotBeKeptIsAProblemOfItsField() throws {
    let body = """
      {"accounts":[{"uri":"\(totp("&x=1"))","uriParameters":7},{"uri":"\(totp("&x=1"))","uriParameters":[["y","2"]]}]}
      """
    let vault = try Vault2FAWriter().seal(
      SecretValue(utf8: body), options: RoundTripTests.options,
      passphrase: SecretBytes(copying: RoundTripTests.passphrase))
    let backup = try FormatRegistry.read(FormatInput(vault)).open(passphrases: [RoundTripTests.passphrase])
    let problem = EntryProblem(list: "accounts", index: 0, field: Self.key, reason: "not-kept")
    #expect(backup.problems == [problem])
    #expect(backup.records.accounts[0].info.opaque == [OpaqueMember(key: Self.key, value: SecretValue(utf8: "7"))])
    #expect(backup.records.accounts[1].info.opaque.map(\.value) == [SecretValue(utf8: "[[\"y\",\"2\"],[\"x\",\"1\"]]")])
    let bytes = Array(totp("&x=").utf8) + [0xFF]
    let text = try FormatRegistry.read(FormatInput(SecretValue(bytes))).open(passphrases: [])
    #expect(text.problems == [problem] && text.records.accounts.map(\.account) == ["b"])
  }

  @Test func withoutRevealTheyAreLeftOut() throws {
    let document = NeutralJSON.write(
      source: SourceFacts(format: "vault"), records: try record(Self.json), reveal: false)
    #expect(document.exposedText()?.contains("example.com") == false)
  }
}
