import FoundationEssentials
import SeifBytes
import SeifOTP
import SeifTestSupport
import Testing

@Suite struct URIListTests {
  private func entries(_ text: String) throws -> [URIList.Entry] { try URIList.parse(SecretValue(utf8: text)) }

  private func standard(_ uri: String) throws -> KeyURI { try KeyURI(parsing: SecretValue(utf8: uri), dialect: .list) }

  @Test(.enabled(if: TestData.shared != nil), arguments: ["aegis-export", "aegis-export-2"])
  func listsOfOtherProgramsAreRead(name: String) throws {
    let folder = try #require(TestData.shared).appending(path: "samples/uri-list")
    let file = SecretValue([UInt8](try Data(contentsOf: folder.appending(path: "\(name).txt"))))
    let expected = try TestData.json(folder.appending(path: "\(name).txt.expected.json")).root
    let read = try URIList.parse(file)
    #expect(URIList.isList(file))
    let count = try #require(expected["entry_count"]?.int64)
    #expect(Int64(read.count) == count && count > 0)
    for (entry, wanted) in zip(read, Array(expected["entries"]?.elements ?? JSONElements.none)) {
      guard case .standard(let uri) = entry.content else {
        Issue.record("line \(entry.lineNumber) wasn't read")
        continue
      }
      try check(uri, wanted)
    }
  }

  @Test(.enabled(if: TestData.shared != nil)) func everyDialectGivesItsResultOrItsError() throws {
    let folder = try #require(TestData.shared).appending(path: "samples/uri-list")
    let expected = try TestData.json(folder.appending(path: "dialects.txt.expected.json")).root
    let cases = Array(expected["cases"]?.elements ?? JSONElements.none)
    let file = SecretValue([UInt8](try Data(contentsOf: folder.appending(path: "dialects.txt"))))
    let read = try URIList.parse(file)
    #expect(read.count == cases.count && cases.count == 37)
    let parts: [String: KeyURIError.Part] = [
      "no secret": .secret, "empty secret": .secret, "not base32 (characters 0, 1, 8, 9)": .secret,
      "digits out of range": .digits, "period out of range": .period, "algorithm not supported for TOTP": .algorithm,
      "negative counter": .counter, "unknown type": .type, "not an otpauth URI": .scheme,
    ]
    for (entry, wanted) in zip(read, cases) {
      switch entry.content {
      case .standard(let uri):
        let fields = try #require(wanted["expect"])
        try check(uri, fields)
        #expect(uri.imageAddress == fields["icon"]?.string)
      case .refused(let error):
        #expect(error.part == wanted["error"]?.string.flatMap { parts[$0] })
      case .other, .migration: Issue.record("line \(entry.lineNumber) was read as something else")
      }
    }
  }

  private func check(_ uri: KeyURI, _ wanted: JSONValue) throws {
    try expect(uri, is: wanted)
    let code = try OneTimePassword.code(uri.parameters, at: Timestamp(seconds: 1_700_000_000))
    #expect(code.text == wanted["check_code"]?.string)
    #expect(try KeyURI(parsing: uri.write()) == uri)
  }

  @Test func oneBadLineCostsNoOther() throws {
    let read = try entries(
      "\u{FEFF}# made by hand\r\n\r\n  otpauth://totp/a?secret=MFRGG\r\nhello\n\n#otpauth://totp/b?secret=MFRGG\n"
        + "otpauth://totp/c?secret=MFRGG&digits=0\notpauth-migration://offline?data=AA%3D%3D\nsteam://MFRGG")
    #expect(read.map(\.lineNumber) == [3, 4, 7, 8, 9])
    guard case .standard(let first) = read[0].content, case .refused(let second) = read[1].content,
      case .refused(let third) = read[2].content, case .migration(let fourth) = read[3].content,
      case .standard(let fifth) = read[4].content
    else {
      Issue.record("a line was read as something else")
      return
    }
    #expect(first.account == "a" && first.parameters.secret.text == "abc")
    #expect(second.part == .scheme && third.part == .digits)
    #expect(fourth.text == "otpauth-migration://offline?data=AA%3D%3D")
    #expect(fifth.parameters.kind == .steam && fifth.issuer == "Steam")
  }

  @Test func aListIsKnownByItsFirstLine() {
    for text in [
      "otpauth://totp/a?secret=AA", "\u{FEFF}\n\r\n# x\n OTPAUTH://totp/a", "motp://a", "steam://AA",
      "otpauth-migration://offline?data=",
    ] { #expect(URIList.isList(SecretValue(utf8: text))) }
    for text in ["", "\n\n", "# otpauth://", "hello\notpauth://totp/a", "{}", "otpauth:"] {
      #expect(!URIList.isList(SecretValue(utf8: text)))
    }
  }

  @Test func emptyFilesHaveNoEntries() throws {
    for text in ["", "\u{FEFF}", "\n", "\r\n \n", "# only this"] { #expect(try entries(text).isEmpty) }
  }

  @Test func entriesAndLinesHaveTheirLimits() throws {
    let line = "steam://MFRGG\n"
    #expect(try entries(String(repeating: line, count: 100_000)).count == 100_000)
    #expect(throws: URIList.ListError.tooManyEntries) { try entries(String(repeating: line, count: 100_001)) }
    let long = "otpauth://totp/" + String(repeating: "a", count: KeyURI.maximumByteCount) + "?secret=MFRGG\n" + line
    let read = try entries(long)
    guard case .refused(let error) = read[0].content, case .standard = read[1].content else {
      Issue.record("the long line or the one after it was read as something else")
      return
    }
    #expect(error.part == .tooLong)
  }

  @Test func aWrittenListIsReadAgain() throws {
    let first = try standard("otpauth://totp/A:b?secret=MFRGG")
    let pin = SecretValue(utf8: "7586")
    let second = try OtherKeyURI(
      kind: .yandex, issuer: "Y: d", account: " x", secret: SecretValue([UInt8](1...16)), pin: pin)
    let third = try OtherKeyURI(
      kind: .motp, issuer: "", account: "a:b", secret: SecretValue(utf8: "00ffAB"), pin: SecretValue(utf8: "12ä"))
    let file = URIList.write([first.write(), second.write(), third.write()])
    #expect(file.text.utf8.filter { $0 == 0x0A }.count == 3)
    let read = try URIList.parse(file)
    guard read.count == 3, case .standard(let a) = read[0].content, case .other(let b) = read[1].content,
      case .other(let c) = read[2].content
    else {
      Issue.record("an entry was read as something else")
      return
    }
    #expect(a == first)
    #expect(b.kind == .yandex && b.issuer == "Y: d" && b.account == " x" && b.secret == second.secret && b.pin == pin)
    #expect(c.kind == .motp && c.issuer == "" && c.account == "a:b" && c.secret.text == "00ffAB")
    #expect(c.pin?.text == "12ä" && c.warnings.isEmpty && b.warnings.isEmpty)
  }

  @Test func mobileOTPIsReadUnderBothItsNames() throws {
    for uri in [
      "motp://Issuer:acc?secret=0123abcdEF", "otpauth://motp/Issuer:acc?secret=0123abcdEF&issuer=Issuer",
      "MOTP:///Issuer%3Aacc?secret=0123abcdEF",
    ] {
      guard case .other(let read) = try ForeignKeyURI(parsing: SecretValue(utf8: uri)) else {
        Issue.record("not read as Mobile-OTP")
        continue
      }
      #expect(read.kind == .motp && read.issuer == "Issuer" && read.account == "acc")
      #expect(read.secret.text == "0123abcdEF" && read.pin == nil && read.warnings == [.pinMissing])
      #expect(throws: KeyURIError.self) { try KeyURI(parsing: SecretValue(utf8: uri), dialect: .list) }
      #expect(throws: KeyURIError.self) { try KeyURI(parsing: SecretValue(utf8: uri)) }
    }
    #expect(throws: KeyURIError(.secret)) { try ForeignKeyURI(parsing: SecretValue(utf8: "motp://a?secret=")) }
    guard case .other(let odd) = try ForeignKeyURI(parsing: SecretValue(utf8: "motp://a?secret=xyz")) else { return }
    #expect(odd.warnings == [.secretNotHexadecimal, .pinMissing])
  }

  @Test func yandexSecretsHaveSixteenOrTwentySixBytes() throws {
    for count in [15, 16, 17, 25, 26, 27] {
      let secret = Base32.encode(SecretValue([UInt8](repeating: 5, count: count))).text
      let uri = SecretValue(
        utf8: "otpauth://yaotp/you?secret=\(secret)&pin=\(Base32.encode(SecretValue(utf8: "7586")).text)")
      if [16, 26].contains(count) {
        guard case .other(let read) = try ForeignKeyURI(parsing: uri) else { continue }
        #expect(read.kind == .yandex && read.secret.byteCount == 16 && read.pin?.text == "7586")
      } else {
        #expect(throws: KeyURIError(.secret)) { try ForeignKeyURI(parsing: uri) }
      }
    }
  }

  @Test func aPINThatIsNoBase32IsLeftOutAndSaid() throws {
    let secret = Base32.encode(SecretValue([UInt8](repeating: 5, count: 16))).text
    for pin in ["7586", "AE", "74"] {
      let uri = SecretValue(utf8: "otpauth://yaotp/you?secret=\(secret)&pin=\(pin)")
      guard case .other(let read) = try ForeignKeyURI(parsing: uri) else { continue }
      #expect(read.pin == nil && read.warnings.contains(.pinUnreadable) && read.warnings.contains(.pinMissing))
    }
  }

  @Test func steamHasItsManyForms() throws {
    for uri in [
      "otpauth://steam/x?secret=AA", "otpauth://totp/x?secret=AA&encoder=Steam", "otpauth://totp/x?secret=AA&steam",
      "otpauth://totp/Steam:x?secret=AA&digits=5", "steam://AA",
    ] { #expect(try standard(uri).parameters.kind == .steam) }
    #expect(try standard("otpauth://totp/Steam:x?secret=AA&digits=5").warnings == [.steamByIssuer])
    let six = try standard("otpauth://totp/Steam:x?secret=AA")
    #expect(six.parameters.kind == .totp(period: 30) && six.warnings == [.steamByNameOnly])
    for uri in ["otpauth://totp/x?secret=AA&encoder=Steam", "otpauth://totp/x?secret=AA&steam"] {
      #expect(try KeyURI(parsing: SecretValue(utf8: uri)).parameters.kind == .totp(period: 30))
    }
  }

  @Test func aCounterThatIsMissingIsZeroAndSaid() throws {
    let read = try standard("otpauth://hotp/a?secret=AA")
    #expect(read.parameters.counter == 0 && read.warnings == [.counterMissing])
    #expect(throws: KeyURIError(.counter)) { try standard("otpauth://hotp/a?secret=AA&counter=") }
  }

  @Test func plusIsASpaceInTheQueryOfLists() throws {
    let read = try standard("otpauth://totp/Air+Canada:a+b?secret=MF+RGG&issuer=Air+Canada")
    #expect(read.issuer == "Air Canada" && read.account == "a+b" && read.warnings.isEmpty)
    #expect(read.parameters.secret.text == "abc")
    #expect(try standard("otpauth://totp/a?secret=AA&issuer=C%2B%2B").issuer == "C++")
  }

  @Test func aHashIsTextInNamesAndEndsOtherValues() throws {
    let read = try standard("otpauth://totp/#1:b#2?issuer=#1&secret=MFRGG#end&digits=7#x")
    #expect(read.issuer == "#1" && read.account == "b#2" && read.parameters.digits == 7)
    #expect(read.parameters.secret.text == "abc")
  }
}
