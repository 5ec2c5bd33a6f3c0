import SeifBytes
import SeifCrypto
import SeifOTP
import SeifRecords
import SeifTestSupport
import Testing

@testable import SeifFormats

/// What a hostile file can hold much of must cost in proportion to it. With a step for each pair the lists below take
/// longer than their limit, which is there for nothing else; one file's issuers are bounded by a URI's length, so that
/// test only holds the result.
@Suite struct LargeInputTests {
  @Test(.timeLimit(.minutes(15))) func manyUnusableEntriesOfANeutralDocument() throws {
    let count = 300_000
    var text = SecretBuffer(capacity: count * 40)
    text.append(utf8: "{\"schema\":\"seif-records\",\"version\":1,\"notes\":[{\"text\":\"a\"},7],\"unusable\":[")
    for number in 0..<count {
      text.append(utf8: (number > 0 ? "," : "") + "{\"kind\":\"\(number % 2 == 0 ? "notes" : "cards")\",\"entry\":1}")
    }
    text.append(utf8: "]}")
    let backup = try FormatRegistry.read(FormatInput(text.finish())).open(passphrases: [])
    #expect(backup.records.unusable.count == count + 1)
    // Each kind has positions of its own, which go on from the entries in its list.
    #expect(backup.problems.prefix(5).map(\.index) == [1, 2, 0, 3, 1])
    #expect(backup.problems.last == EntryProblem(list: "cards", index: count / 2 - 1, reason: "unusable-in-source"))
  }

  @Test(.timeLimit(.minutes(15))) func anIssuerRepeatedManyTimesInAnAccount() throws {
    let secret = "GEZDGNBVGY3TQOJQ"
    let repeated = String(repeating: "é%3A", count: 10_000)
    let uri = "\"otpauth://totp/\(repeated)me?secret=\(secret)&issuer=%C3%A9\""
    let list = [String](repeating: uri, count: 50).joined(separator: ",")
    let file = "{\"schemaVersion\":1,\"createdAt\":1,\"accounts\":[\(list)]}"
    let backup = try FormatRegistry.read(FormatInput(SecretValue(utf8: file))).open(passphrases: [])
    #expect(backup.records.accounts.count == 50)
    #expect(backup.records.accounts.allSatisfy { $0.account == "me" && $0.issuer == "é" })
  }

  @Test(.timeLimit(.minutes(15))) func manyLossesOfANeutralDocument() throws {
    var records = Records()
    let vault = DocumentVault(
      id: "0A0A0A0A-0a0a-0a0a-0a0a-0a0a0a0a0a0a", kind: .server,
      masterKey: SecretValue([UInt8](repeating: 7, count: 32)))
    records.documents = [DocumentVault](repeating: vault, count: 150_000)
    let losses = NeutralJSONWriter().losses(of: records)
    let text = NeutralJSON.write(source: SourceFacts(format: "vault"), records: records, losses: losses, reveal: true)
    let root = try JSONDocument(parsing: text, policy: .strict).root
    #expect(try #require(root["lost"]).elements.map { $0["index"]?.int64 } == (0..<150_000).map { $0 })
  }

  @Test(.timeLimit(.minutes(15))) func manyMembersUnderNamesOfOurOwn() throws {
    var records = Records()
    // Not out of a file, where no key stands twice; a caller may give any.
    records.opaque = (0..<150_000).map { OpaqueMember(key: "version", value: SecretValue(utf8: "\($0)")) }
    let otp = try OTPParameters(kind: .totp(period: 30), secret: SecretValue([1, 2, 3, 4, 5]))
    records.accounts = [Account(issuer: "A", account: "b", otp: otp)]
    records.accounts[0].info.opaque = (0..<150_000).map {
      OpaqueMember(key: "title", value: SecretValue(utf8: "\($0)"))
    }
    let (kept, losses) = ForeignMembers.removed(from: records)
    #expect(kept.opaque.isEmpty && losses.count == 150_000 + 149_999)
    #expect(kept.accounts[0].info.opaque == [OpaqueMember(key: "title", value: SecretValue(utf8: "149999"))])
  }

  @Test(.timeLimit(.minutes(15))) func manySpacesAroundAName() throws {
    let spaces = String(repeating: " \u{2003}", count: 200_000)
    let names = try #require(TwoFacURI.portableNames(issuer: "A", account: spaces + "b c" + spaces))
    #expect(names.names == TwoFacURI.Names(issuer: "A", account: "b c") && names.changed == ["account"])
    #expect(TwoFacURI.portableNames(issuer: "", account: spaces) == nil)
  }
}
