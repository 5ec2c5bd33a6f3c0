import SeifBytes
import SeifOTP
import SeifTestSupport
import Testing

@Suite struct KeyURITests {
  static let secretText = "JBSWY3DPEHPK3PXP"

  @Test func vectorsAreReadAndRefusedAsTheySay() throws {
    let rows = Array(try TestData.vectors("otp.json").root["uris"]?.elements ?? JSONElements.none)
    #expect(rows.count == 81)
    for row in rows {
      let uri = try #require(row["uri"]?.secret)
      guard row["accepted"]?.bool == true, let expected = row["account"] else {
        let error = try #require(throws: KeyURIError.self) { try KeyURI(parsing: uri) }
        let reason = try #require(row["reason"]?.string)
        let name = reason == "duplicate parameter" ? "duplicateParameter" : reason
        #expect(error.part.rawValue == name)
        continue
      }
      let read = try KeyURI(parsing: uri)
      try expect(read, is: expected)
      // What was read is written in the canonical form, and that form is read as the same.
      #expect(try KeyURI(parsing: read.write()) == read)
      #expect(try KeyURI(parsing: read.write()).write() == read.write())
    }
  }

  @Test func vectorsOfSecretsHoldInsideURIs() throws {
    let rows = Array(try TestData.vectors("otp.json").root["secrets"]?.elements ?? JSONElements.none)
    #expect(rows.count == 70)
    for row in rows {
      let text = try #require(row["text"]?.string)
      let uri = SecretValue(utf8: "otpauth://totp/a?secret=\(escaped(text))")
      for dialect in [KeyURI.Dialect.backup, .list] {
        if row["accepted"]?.bool == true {
          #expect(try KeyURI(parsing: uri, dialect: dialect).parameters.secret.hex == row["hex"]?.string)
        } else {
          #expect(throws: KeyURIError(.secret)) { try KeyURI(parsing: uri, dialect: dialect) }
        }
      }
    }
  }

  @Test func urisOfVaultsSurviveReadingAndWriting() throws {
    var (count, unchanged) = (0, 0)
    for vector in try TestData.vectors("vault2fa-v1.json").root.elements {
      guard let plaintext = vector["plaintext"]?.secret else { continue }
      let body = try JSONDocument(parsing: plaintext, policy: .lenientForTests)
      for account in body.root["accounts"]?.elements ?? JSONElements.none {
        let uri = try #require(account["uri"]?.secret)
        let read = try KeyURI(parsing: uri)
        #expect(try KeyURI(parsing: read.write()) == read)
        if read.write() == uri { unchanged += 1 }
        count += 1
      }
    }
    #expect(count > 50 && unchanged > 10)
  }

  @Test func canonicalURIsAreTheFormatsOwn() throws {
    let secret = SecretValue(utf8: "12345678901234567890")
    let text = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
    func written(_ issuer: String, _ account: String, _ kind: OTPParameters.Kind) throws -> String {
      let parameters = try OTPParameters(kind: kind, secret: secret, algorithm: .sha256, digits: 8)
      return KeyURI(issuer: issuer, account: account, parameters: parameters).write().text
    }
    #expect(
      try written("Example", "you@example.com", .totp(period: 60))
        == "otpauth://totp/Example:you%40example.com?secret=\(text)&issuer=Example&algorithm=SHA256&digits=8&period=60")
    #expect(
      try written("", "", .hotp(counter: .max))
        == "otpauth://hotp/?secret=\(text)&algorithm=SHA256&digits=8&counter=9223372036854775807")
    #expect(try written("Steam", "a~b", .steam) == "otpauth://steam/Steam:a~b?secret=\(text)&issuer=Steam")
    #expect(try written("", "a:b", .steam) == "otpauth://steam/:a%3Ab?secret=\(text)")
    #expect(try written("A:B", "x", .steam) == "otpauth://steam/x?secret=\(text)&issuer=A%3AB")
    #expect(try written("A:B", "x:y", .steam) == "otpauth://steam/:x%3Ay?secret=\(text)&issuer=A%3AB")
    #expect(try written("A", " x", .steam) == "otpauth://steam/%20x?secret=\(text)&issuer=A")
    #expect(
      try written("A", " x:y", .steam) == "otpauth://steam/A:%20x%3Ay?secret=\(text)&issuer=A&account=%20x%3Ay")
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func everyIssuerAndAccountSurvivesWritingAndReading(seed: UInt64) throws {
    var generator = SeededGenerator(state: seed)
    let pieces = [
      ":", ":", " ", " ", "%", "+", "&", "=", "#", "?", "/", "\\", "\"", "%3A", "%20", "%FF", "a", "Z", "0", "-", ".",
      "~", "é", "e\u{301}", "🔑", "👩‍👩‍👧", "\u{0}", "\n", "\r\n", "\t", "\u{7F}", "\u{A0}", "\u{FEFF}", "\u{202E}", "中",
      "Steam",
    ]
    func name() -> String {
      (0..<Int.random(in: 0...6, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
    }
    for round in 0..<3000 {
      let kinds: [OTPParameters.Kind] = [
        .totp(period: .random(in: 1...86_400, using: &generator)),
        .hotp(counter: .random(in: 0...(.max), using: &generator)), .steam,
      ]
      let secret = (0..<Int.random(in: 1...70, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      let parameters = try OTPParameters(
        kind: kinds[round % 3], secret: SecretValue(secret),
        algorithm: OTPAlgorithm.allCases.randomElement(using: &generator) ?? .sha1,
        digits: .random(in: 1...10, using: &generator))
      let uri = KeyURI(issuer: name(), account: name(), parameters: parameters)
      let written = uri.write()
      #expect(written.withBytes { text in (0..<text.byteCount).allSatisfy { isWanted(text, at: $0) } })
      let read = try KeyURI(parsing: written)
      #expect(read == uri && read.warnings.allSatisfy { $0 == .unusualDigits }, "seed \(seed), round \(round)")
      #expect(read.otherParameters.isEmpty && read.write() == written)

      let listed = try KeyURI(parsing: written, dialect: .list)
      let trimmed = String(uri.issuer.unicodeScalars.trimming { $0 == " " })
      #expect(utf8Equal(listed.account, uri.account) && listed.parameters == parameters, "seed \(seed), round \(round)")
      #expect(utf8Equal(listed.issuer, trimmed), "seed \(seed), round \(round)")
    }
  }

  @Test func anAccountParameterOfOthersChangesNothing() throws {
    for uri in ["Foo:a?account=b", "Foo:a:b?account=c%3Ad", "Foo:a:b?account=a%3Ab", "Foo:a?account=%20%20a"] {
      let read = try KeyURI(parsing: SecretValue(utf8: "otpauth://totp/\(uri)&secret=\(Self.secretText)"))
      #expect(read.account == (uri.contains("a:b") ? "a:b" : "a"))
      #expect(read.otherParameters.map(\.name) == ["account"])
    }
  }

  @Test func parametersWithoutAMeaningAreKept() throws {
    let uri = try KeyURI(
      parsing: SecretValue(
        utf8:
          "otpauth://totp/a?image=https%3A%2F%2Fexample.com%2Fi.png&secret=\(Self.secretText)&l%C3%A9=x%20y&bare&pin=1")
    )
    #expect(uri.otherParameters.map(\.name) == ["image", "lé", "bare", "pin"])
    #expect(uri.otherParameters.map(\.value.text) == ["https://example.com/i.png", "x y", "", "1"])
    #expect(uri.imageAddress == "https://example.com/i.png")
    #expect(!uri.write().text.contains("example.com"))
  }

  @Test(arguments: [
    ("otpauth://totp/A:b?secret=\(secretText)&issuer=C", [KeyURIWarning.issuerDiffersFromLabel]),
    ("otpauth://totp/A:b?secret=\(secretText)&issuer=A", []),
    ("otpauth://totp/a?secret=MZ", [.secretHasLeftoverBits]), ("otpauth://totp/a?secret=MY", []),
    ("otpauth://totp/a?secret=KXC", [.secretHasLeftoverBits]), ("otpauth://totp/a?secret=mzxw%206ytb", []),
    ("otpauth://totp/a?secret=\(secretText)&digits=5", [.unusualDigits]),
    ("otpauth://steam/a?secret=\(secretText)&digits=5", []),
  ])
  func oddThingsAreWarnedOf(uri: String, warnings: [KeyURIWarning]) throws {
    #expect(try KeyURI(parsing: SecretValue(utf8: uri)).warnings == warnings)
  }

  @Test func limitsAreWhereTheyAreSaid() throws {
    let head = "otpauth://totp/a?secret=\(Self.secretText)"
    func read(_ text: String) throws(KeyURIError) { _ = try KeyURI(parsing: SecretValue(utf8: text)) }
    let rest = KeyURI.maximumByteCount - head.utf8.count - 3
    try read(head + "&x=" + String(repeating: "y", count: rest))
    #expect(throws: KeyURIError(.tooLong)) { try read(head + "&x=" + String(repeating: "y", count: rest + 1)) }
    try read(head + (1...255).map { "&p\($0)=" }.joined())
    #expect(throws: KeyURIError(.tooManyParameters)) { try read(head + (1...256).map { "&p\($0)=" }.joined()) }
    try read("otpauth://totp/a?secret=" + String(repeating: "A", count: 4096))
    #expect(throws: KeyURIError(.secret)) { try read("otpauth://totp/a?secret=" + String(repeating: "A", count: 4098)) }
    try read("otpauth://totp/a?secret=AA&period=86400&digits=10")
    #expect(throws: KeyURIError(.period)) { try read("otpauth://totp/a?secret=AA&period=86401") }
    #expect(throws: KeyURIError(.counter)) { try read("otpauth://hotp/a?secret=AA&counter=00000000000000000000") }
  }

  @Test func ofSeveralFaultsTheFirstOfTheOrderIsNamed() {
    let faults: [(KeyURIError.Part, String)] = [
      (.duplicateParameter, "&x&x"), (.secret, "&secret=0"), (.algorithm, "&algorithm=MD5"), (.digits, "&digits=0"),
      (.period, "&period=0"),
    ]
    for first in faults.indices {
      let rest = faults[first...].map(\.1).joined() + (first > 1 ? "&secret=AA" : "")
      #expect(throws: KeyURIError(faults[first].0)) {
        try KeyURI(parsing: SecretValue(utf8: "otpauth://totp/a?\(rest)"))
      }
    }
  }

  @Test func textThatIsNotUTF8IsRefused() {
    // A parameter whose name is escaped bytes that are no UTF-8 is text, though: escapes that mean nothing stay.
    for part in ["a\u{1}?secret=AA", "a?secret=AA&issuer=\u{1}", "a?secret=AA&\u{1}=x"] {
      let bytes = Array("otpauth://totp/\(part)".utf8).map { $0 == 1 ? 0xFF : $0 }
      for dialect in [KeyURI.Dialect.backup, .list] {
        #expect(throws: KeyURIError(.text)) { try KeyURI(parsing: SecretValue(bytes), dialect: dialect) }
      }
    }
  }

  @Test func anUnknownParameterTwiceIsRefusedInBackupsAlone() throws {
    let uri = SecretValue(utf8: "otpauth://totp/a?tags=x&secret=AA&%74ags=y")
    #expect(throws: KeyURIError(.duplicateParameter)) { try KeyURI(parsing: uri) }
    #expect(try KeyURI(parsing: uri, dialect: .list).otherParameters.map(\.value.text) == ["x", "y"])
    let twice = SecretValue(utf8: "otpauth://totp/a?secret=AA&issuer=x&ISSUER=y")
    #expect(throws: KeyURIError(.duplicateParameter)) { try KeyURI(parsing: twice, dialect: .list) }
  }

  @Test func everyCutOfAURIIsAnswered() throws {
    let whole = Array("otpauth://totp/Ex%C3%A9:a?secret=\(Self.secretText)&issuer=Ex%C3%A9&digits=6&period=30#f".utf8)
    var refused = 0
    for length in 0...whole.count {
      for dialect in [KeyURI.Dialect.backup, .list] {
        let cut = SecretValue(Array(whole.prefix(length)))
        if (try? KeyURI(parsing: cut, dialect: dialect)) == nil { refused += 1 }
      }
    }
    #expect(refused > 60 && refused < 2 * whole.count)
  }

  @Test func randomBytesNeverTrap() {
    var generator = SeededGenerator(state: 7)
    let alphabet = Array("%:/?#&=+ otpauthsecretissuer0123456789ABCF".utf8) + [0, 0x80, 0xC3, 0xFF]
    for _ in 0..<5000 {
      var bytes = Array("otpauth://totp/".utf8)
      for _ in 0..<Int.random(in: 0...40, using: &generator) {
        bytes.append(alphabet.randomElement(using: &generator) ?? 0)
      }
      bytes += Array("?secret=AA&".utf8)
      for _ in 0..<Int.random(in: 0...40, using: &generator) {
        bytes.append(alphabet.randomElement(using: &generator) ?? 0)
      }
      let value = SecretValue(bytes)
      for dialect in [KeyURI.Dialect.backup, .list] {
        guard let read = try? KeyURI(parsing: value, dialect: dialect) else { continue }
        #expect((try? KeyURI(parsing: read.write())) == read)
      }
    }
  }

  @Test func errorsAndWarningsHoldNothingOfTheText() throws {
    let rows = Array(try TestData.vectors("otp.json").root["uris"]?.elements ?? JSONElements.none)
    let secret = "JTUCF2FXAMMQBKQXVILYJMVNVNAV7BLY"
    for row in rows where row["accepted"]?.bool == false {
      let uri = try #require(row["uri"]?.secret)
      let error = try #require(throws: KeyURIError.self) { try KeyURI(parsing: uri) }
      var dumped = ""
      dump(error, to: &dumped)
      for text in ["\(error)", String(reflecting: error), dumped] { #expect(!text.contains(secret)) }
    }
    #expect(Set(KeyURIWarning.allCases.map(\.description)).count == KeyURIWarning.allCases.count)
    #expect(Set(KeyURIError.Part.allCases.map { KeyURIError($0).description }).count == KeyURIError.Part.allCases.count)
  }

  @Test func composedAndDecomposedNamesAreTwoNames() throws {
    let parameters = try OTPParameters(kind: .steam, secret: SecretValue([1]))
    let composed = KeyURI(issuer: "Caf\u{E9}", account: "x", parameters: parameters)
    let decomposed = KeyURI(issuer: "Cafe\u{301}", account: "x", parameters: parameters)
    #expect(composed != decomposed)
    #expect(composed.write() != decomposed.write())
  }

  private func isWanted(_ text: RawSpan, at offset: Int) -> Bool {
    let byte = unsafe text.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    return "-._~%:/?=&".utf8.contains(byte) || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
      || (0x61...0x7A).contains(byte)
  }
}

/// Checks a URI against the fields of a vector.
func expect(_ uri: KeyURI, is expected: JSONValue) throws {
  #expect(utf8Equal(uri.issuer, try #require(expected["issuer"]?.string)))
  #expect(utf8Equal(uri.account, try #require(expected["account"]?.string)))
  let parameters = uri.parameters
  if let hex = expected["secretHex"]?.string ?? expected["secret_hex"]?.string { #expect(parameters.secret.hex == hex) }
  if let text = expected["secret_base32"]?.string ?? expected["secret"]?.string {
    #expect(Base32.encode(parameters.secret).text == text)
  }
  #expect(parameters.algorithm.name == expected["algorithm"]?.string)
  #expect(Int64(parameters.digits) == expected["digits"]?.int64)
  let type =
    switch parameters.kind {
    case .totp: "totp"
    case .hotp: "hotp"
    case .steam: "steam"
    }
  #expect(type == expected["type"]?.string)
  if case .hotp = parameters.kind {
    #expect(parameters.counter == expected["counter"]?.int64 ?? expected["counter"]?.string.flatMap { Int64($0) })
  } else {
    #expect(parameters.period.map { Int64($0) } == expected["period"]?.int64)
  }
}

/// A text with all but letters and digits escaped.
func escaped(_ text: String) -> String {
  text.utf8.map { byte in
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
      ? String(UnicodeScalar(byte)) : "%" + Base16.encode([byte])
  }.joined()
}

extension String.UnicodeScalarView {
  func trimming(_ isOutside: (Unicode.Scalar) -> Bool) -> Self {
    var rest = Substring.UnicodeScalarView(self).drop(while: isOutside)
    while let last = rest.last, isOutside(last) { rest.removeLast() }
    return Self(rest)
  }
}
