import SeifBytes
import SeifCrypto
import SeifOTP
import Testing

/// Parameters that mean nothing here, written behind those that do.
@Suite struct OtherParameterTests {
  static func parameter(_ name: String, _ value: String) -> KeyURI.OtherParameter {
    KeyURI.OtherParameter(name: name, value: SecretValue(utf8: value))
  }

  private func uri(
    _ others: [KeyURI.OtherParameter], account: String = "b", dialect: KeyURI.Dialect = .backup
  ) throws -> KeyURI {
    let otp = try OTPParameters(kind: .totp(period: 30), secret: SecretValue([1, 2, 3, 4, 5]))
    return try KeyURI(issuer: "A", account: account, parameters: otp, otherParameters: others, dialect: dialect)
  }

  private func failure(_ body: () throws -> KeyURI) -> KeyURIError.Part? {
    do {
      _ = try body()
      return nil
    } catch {
      return (error as? KeyURIError)?.part
    }
  }

  @Test(arguments: [KeyURI.Dialect.backup, .list])
  func whatIsWrittenIsReadAgain(dialect: KeyURI.Dialect) throws {
    let others = [
      Self.parameter("image", "https://example.com/i.png?a=1&b=2#f"), Self.parameter("lé", "x y+z"),
      Self.parameter("", ""), Self.parameter("bare", ""), Self.parameter("pin", "1"), Self.parameter("a=b&c", "%41%FF"),
    ]
    let written = try uri(others, dialect: dialect).write()
    let read = try KeyURI(parsing: written, dialect: dialect)
    #expect(read.otherParameters == others)
    #expect(try read == uri([]))
    #expect(
      written.exposedText()?.hasSuffix(
        "&period=30&image=https%3A%2F%2Fexample.com%2Fi.png%3Fa%3D1%26b%3D2%23f&l%C3%A9=x%20y%2Bz&=&bare=&pin=1"
          + "&a%3Db%26c=%2541%25FF") == true)
  }

  @Test(arguments: [
    "secret", "issuer", "algorithm", "digits", "period", "counter", "encoder", "steam", "Secret", "ISSUER", "Steam",
  ])
  func aNameWithAMeaningIsRefusedInAnyCase(name: String) {
    for dialect in [KeyURI.Dialect.backup, .list] {
      #expect(failure { try uri([Self.parameter(name, "steam")], dialect: dialect) } == .duplicateParameter)
    }
  }

  @Test func aParameterThatWouldChangeTheAccountIsRefused() {
    #expect(failure { try uri([Self.parameter("account", " x:y")], account: "x:y") } == .duplicateParameter)
    #expect(failure { try uri([Self.parameter("account", "c")], account: " x:y") } == .duplicateParameter)
    #expect(failure { try uri([Self.parameter("account", "c")], account: "x:y") } == nil)
  }

  @Test func aNameTwiceIsWrittenForListsAlone() throws {
    let twice = [Self.parameter("tags", "x"), Self.parameter("tags", "y")]
    #expect(failure { try uri(twice) } == .duplicateParameter)
    let written = try uri(twice, dialect: .list).write()
    #expect(try KeyURI(parsing: written, dialect: .list).otherParameters == twice)
    // To a reader that minds no case these are one.
    let pins = [Self.parameter("pin", "1"), Self.parameter("PIN", "2")]
    #expect(failure { try uri(pins) } == nil)
    #expect(failure { try uri(pins, dialect: .list) } == .duplicateParameter)
  }

  @Test func whatNoReaderTakesIsRefused() throws {
    let many = (0..<KeyURI.maximumParameterCount).map { Self.parameter("p\($0)", "") }
    #expect(failure { try uri(many) } == .tooManyParameters)
    // Those that have a meaning count too: secret, issuer, algorithm, digits and period.
    #expect(failure { try uri(Array(many.dropLast(4))) } == .tooManyParameters)
    #expect(failure { try uri(Array(many.dropLast(5))) } == nil)
    let long = String(repeating: "/", count: KeyURI.maximumByteCount / 3)
    #expect(failure { try uri([Self.parameter("x", long)]) } == .tooLong)
    let noText = KeyURI.OtherParameter(name: "x", value: SecretValue([0x61, 0xFF]))
    #expect(failure { try uri([noText]) } == .text)
  }

  @Test func whatWasReadIsWrittenWithoutThem() throws {
    let read = try KeyURI(parsing: try uri([Self.parameter("image", "x")]).write())
    #expect(try read.write() == uri([]).write())
  }

  @Test func otherKindsKeepTheirsAndTheirPINs() throws {
    func motp(_ others: [KeyURI.OtherParameter], pin: String? = "1234") throws(KeyURIError) -> OtherKeyURI {
      try OtherKeyURI(
        kind: .motp, issuer: "A", account: "b", secret: SecretValue(utf8: "00ff"),
        pin: pin.map { SecretValue(utf8: $0) },
        otherParameters: others)
    }
    let others = [Self.parameter("image", "x y"), Self.parameter("image", "z")]
    guard case .other(let read) = try ForeignKeyURI(parsing: try motp(others).write()) else {
      Issue.record("another kind")
      return
    }
    #expect(read.otherParameters == others && read.pin == SecretValue(utf8: "1234"))
    #expect(throws: KeyURIError(.duplicateParameter)) { try motp([Self.parameter("PIN", "GEZA")]) }
    // Without a PIN it would become one.
    #expect(throws: KeyURIError(.duplicateParameter)) { try motp([Self.parameter("pin", "GEZA")], pin: nil) }
    #expect(throws: KeyURIError(.secret)) {
      try OtherKeyURI(
        kind: .motp, issuer: "", account: "", secret: .empty, pin: nil, otherParameters: [])
    }
  }

  @Test func aPINThatCannotBeReadIsKeptAsItIs() throws {
    let text = SecretValue(utf8: "motp://A:b?secret=00ff&pin=75%2086")
    guard case .other(let read) = try ForeignKeyURI(parsing: text) else {
      Issue.record("another kind")
      return
    }
    #expect(read.pin == nil && read.warnings.contains(.pinUnreadable))
    #expect(read.otherParameters == [Self.parameter("pin", "75 86")])
    let again = try OtherKeyURI(
      kind: .motp, issuer: "A", account: "b", secret: read.secret, pin: nil, otherParameters: read.otherParameters)
    guard case .other(let second) = try ForeignKeyURI(parsing: again.write()) else { return }
    #expect(second.otherParameters == read.otherParameters && second.pin == nil)
  }

  @Test func anyTextsComeBack() throws {
    var random = SeededGenerator(state: 7)
    let pieces = ["%", "%3", "%C3", "%41", "&", "=", "#", "+", " ", "é", "e\u{301}", "🔑", "\u{0}", "\n", "a", "/", "?"]
    func text() -> String {
      (0..<Int.random(in: 0...5, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
    }
    for round in 0..<500 {
      // A number before each keeps them apart.
      let others = (0..<3).map { Self.parameter("\($0)" + text(), text()) }
      for dialect in [KeyURI.Dialect.backup, .list] {
        let read = try KeyURI(parsing: try uri(others, dialect: dialect).write(), dialect: dialect)
        #expect(read.otherParameters == others, "round \(round)")
      }
    }
  }
}
