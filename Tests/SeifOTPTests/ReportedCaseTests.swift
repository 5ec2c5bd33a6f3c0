import FoundationEssentials
import SeifBytes
import SeifOTP
import SeifTestSupport
import Testing

/// Faults that users of other programs reported, each with the right answer.
@Suite(.enabled(if: TestData.shared != nil)) struct ReportedCaseTests {
  private let moment = Timestamp(seconds: 1_767_225_615)

  private func cases(_ kind: String) throws -> [JSONValue] {
    let file = try #require(TestData.shared).appending(path: "cases/reports.json")
    return try TestData.json(file).root.elements.filter { $0["kind"]?.string == kind }
  }

  private func key(_ value: JSONValue) throws -> SecretValue {
    let text = try #require(value["secret_base32"]?.secret)
    return try text.withBytes { (text) throws(EncodingError) in try Base32.decodeLeniently(text) }
  }

  @Test func keyURIsGiveTheFieldsAndCodesOfTheReports() throws {
    var checked = 0
    for report in try cases("uri") {
      guard let fields = report["expect"]?["fields"], let uri = report["input"]?.secret else { continue }
      for dialect in [KeyURI.Dialect.backup, .list] {
        let read = try KeyURI(parsing: uri, dialect: dialect)
        try expect(read, is: fields)
        let code = try OneTimePassword.code(read.parameters, at: moment).text
        #expect(code == fields["code_at_1767225615"]?.string)
        #expect(code != report["expect"]?["wrong_if"]?.string)
        #expect(try KeyURI(parsing: read.write(), dialect: dialect) == read)
      }
      checked += 1
    }
    #expect(checked == 8)
  }

  @Test func impossibleDigitsAreRefusedByNameWithoutTheSecret() throws {
    let report = try #require(try cases("uri").first { $0["id"]?.string == "s-uri-07" })
    let uris = Array(report["input"]?["uris"]?.elements ?? JSONElements.none)
    #expect(uris.count == 6)
    for uri in uris {
      let text = try #require(uri.secret)
      for dialect in [KeyURI.Dialect.backup, .list] {
        let error = try #require(throws: KeyURIError.self) { try KeyURI(parsing: text, dialect: dialect) }
        #expect(error.part == .digits && error.description.contains("digits"))
        #expect(!error.description.contains("CK4TT6L63WOXVEVCPLVKO3YRRGCZKOJM"))
      }
    }
  }

  @Test func writtenURIsEscapeEverythingThatBreaksReaders() throws {
    let report = try #require(try cases("uri").first { $0["id"]?.string == "s-uri-10" })
    let input = try #require(report["input"])
    let uri = KeyURI(
      issuer: try #require(input["issuer"]?.string), account: try #require(input["account"]?.string),
      parameters: try OTPParameters(kind: .totp(period: 30), secret: try key(input)))
    let written = uri.write().text
    let wanted = Array(report["expect"]?["uri_contains"]?.elements ?? JSONElements.none).compactMap(\.string)
    let unwanted = Array(report["expect"]?["uri_must_not_contain"]?.elements ?? JSONElements.none).compactMap(\.string)
    #expect(wanted.count == 1 && wanted.allSatisfy { written.contains($0) })
    #expect(unwanted.count == 5 && unwanted.allSatisfy { !written.contains($0) })
    #expect(try KeyURI(parsing: uri.write()) == uri)
    #expect(
      try OneTimePassword.code(uri.parameters, at: moment).text == report["expect"]?["code_at_1767225615"]?.string)
  }

  @Test func codesAreThoseOfTheReports() throws {
    var checked = 0
    for report in try cases("code") {
      let (input, wanted) = (try #require(report["input"]), try #require(report["expect"]))
      checked += 1
      if let uri = input["uri"]?.secret {
        try countsThroughItsCodes(uri, wanted)
        continue
      }
      let secret = try key(input)
      let digits = Int(try #require(input["digits"]?.int64))
      for (name, expected) in wanted.members {
        guard let (kind, algorithm, time) = try parameters(name.text, input) else { continue }
        let made = try OneTimePassword.code(
          OTPParameters(kind: kind, secret: secret, algorithm: algorithm, digits: digits), at: time)
        #expect(made.text == expected.string ?? expected["code"]?.string, "\(report["id"]?.string ?? "") \(name.text)")
        if let left = expected["seconds_left"]?.int64 { #expect(made.secondsLeft.map { Int64($0) } == left) }
      }
    }
    #expect(checked == 7)
  }

  /// What a key of the expectation stands for: an algorithm, a period, a counter or a time, as the input lists it.
  private func parameters(_ name: String, _ input: JSONValue) throws -> (OTPParameters.Kind, OTPAlgorithm, Timestamp)? {
    let time = Timestamp(seconds: input["time"]?.int64 ?? 0)
    let period = Int(input["period"]?.int64 ?? 30)
    if name == "code" { return (.totp(period: period), .sha1, time) }
    if let algorithm = OTPAlgorithm(name: name) { return (.totp(period: period), algorithm, time) }
    guard let number = Int64(name) else { return nil }
    if input["periods"] != nil { return (.totp(period: Int(number)), .sha1, time) }
    if input["counters"] != nil { return (.hotp(counter: number), .sha1, time) }
    return (.totp(period: period), .sha1, Timestamp(seconds: number))
  }

  private func countsThroughItsCodes(_ uri: SecretValue, _ wanted: JSONValue) throws {
    var read = try KeyURI(parsing: uri)
    let codes = Array(wanted["codes"]?.elements ?? JSONElements.none).compactMap(\.string)
    #expect(codes.count == 3)
    for expected in codes {
      #expect(try OneTimePassword.code(read.parameters, at: moment).text == expected)
      read = KeyURI(issuer: read.issuer, account: read.account, parameters: try read.parameters.advanced())
    }
    #expect(read.parameters.counter == wanted["counter_after"]?.int64)
    #expect(read.write().text.hasSuffix(try #require(wanted["exported_uri_has"]?.string)))
  }
}
