import SeifBytes
import SeifOTP
import SeifRecords
import SeifTestSupport
import Testing

@testable import SeifFormats

@Suite struct TwoFacURITests {
  private func account(_ json: JSONValue) throws -> Account {
    let algorithm = OTPAlgorithm(name: json["algorithm"]?.string ?? "SHA1") ?? .sha1
    let kind: OTPParameters.Kind =
      json["type"]?.string == "hotp"
      ? .hotp(counter: json["counter"]?.int64 ?? 0) : .totp(period: Int(json["period"]?.int64 ?? 30))
    let secret = try #require(json["secret"]?.withString { try? Base32.decodeLeniently($0) } ?? nil)
    return Account(
      issuer: json["issuer"]?.string ?? "", account: json["account"]?.string ?? "",
      otp: try OTPParameters(kind: kind, secret: secret, algorithm: algorithm, digits: Int(json["digits"]?.int64 ?? 6)))
  }

  @Test(arguments: TwoFacVectorTests.list("write").indices)
  func urisAreWrittenAsTheAppDoes(index: Int) throws {
    let vector = TwoFacVectorTests.list("write")[index]
    // Our secrets are base32, so the last vector's can't be.
    guard vector["because"]?.string != "secret changes" else { return }
    let account = try account(try #require(vector["account"]))
    let uri = TwoFacURI.write(issuer: account.issuer, account: account.account, account.otp)
    #expect(uri?.exposedText() == vector["uri"]?.string)
    let read = TwoFacURI.readNames(
      label: TwoFacURI.escaped("\(account.issuer):\(account.account)"), issuer: TwoFacURI.escaped(account.issuer))
    let isSame = read == TwoFacURI.Names(issuer: account.issuer, account: account.account)
    #expect(isSame == vector["twofac_reads_it_back"]?.bool, "\(vector["accountLabel"]?.string ?? "")")
    // What doesn't survive is written altered, and that is named; nothing is altered that does.
    let portable = try #require(TwoFacURI.portableNames(issuer: account.issuer, account: account.account))
    #expect(portable.changed.isEmpty == isSame)
    let again = TwoFacURI.readNames(
      label: TwoFacURI.escaped("\(portable.names.issuer):\(portable.names.account)"),
      issuer: TwoFacURI.escaped(portable.names.issuer))
    #expect(again == portable.names)
  }

  @Test(arguments: TwoFacVectorTests.list("uris").indices)
  func urisAreReadAsTheFormatSays(index: Int) throws {
    let vector = TwoFacVectorTests.list("uris")[index]
    let text = try #require(vector["uri"]?.string)
    let read = try? KeyURI(parsing: SecretValue(utf8: text))
    guard let app = vector["twofac"] else { return }
    let names = vector["fully_decoded"] ?? app
    if vector["unusable"] != nil {
      // The general parser undoes the escapes of `===`; the app has no such secret either way.
      #expect(read == nil || text.contains("MFRGG%3D%3D%3D"), "\(text)")
      return
    }
    guard let read else {
      // Stricter than the app, which takes the last of two, and SHA1, 6, 30 or 0 for what it can't read.
      let stricter = [
        "period=60&period=90", "algorithm=MD5", "digits=eight", "digits=99999999999", "hotp/Example:alice?",
      ]
      #expect(stricter.contains { text.contains($0) }, "\(text)")
      return
    }
    #expect(utf8Equal(read.issuer, names["issuer"]?.string ?? ""), "\(text)")
    // The app trims white space around an account; here only spaces behind the colon are skipped.
    #expect(read.account.trimmedEnd == names["account"]?.string, "\(text)")
    if !text.contains("SHA-256") { #expect(read.parameters.algorithm.name == app["algorithm"]?.string, "\(text)") }
  }

  @Test func steamAndNamelessAccountsAreNamedAsLost() throws {
    let secret = SecretValue([1, 2, 3, 4, 5])
    var records = Records()
    records.accounts = [
      Account(issuer: "Steam", account: "me", otp: try OTPParameters(kind: .steam, secret: secret)),
      Account(issuer: "", account: "", otp: try OTPParameters(kind: .totp(period: 30), secret: secret)),
      Account(issuer: "", account: "me", otp: try OTPParameters(kind: .totp(period: 30), secret: secret)),
    ]
    let losses = TwoFacWriter().losses(of: records)
    #expect(
      losses == [
        Loss(kind: .accounts, index: 0), Loss(kind: .accounts, index: 1),
        Loss(kind: .accounts, index: 2, field: "issuer"),
      ])
    let written = try TwoFacWriter(version: 1).write(
      records, options: WritingOptions(exportedAt: Timestamp(seconds: 1)), passphrase: nil)
    let backup = try FormatRegistry.read(FormatInput(written)).open(passphrases: [])
    #expect(backup.records.accounts.map(\.issuer) == ["me"])
    records.accounts.removeAll()
    #expect(throws: FormatError.nothingToWrite) {
      try TwoFacWriter().write(
        records, options: WritingOptions(exportedAt: Timestamp(seconds: 1)),
        passphrase: SecretBytes(copying: SecretValue(utf8: "a passkey")))
    }
  }
}

extension String {
  fileprivate var trimmedEnd: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
