import FoundationEssentials
import SeifBytes
import SeifCrypto
import SeifFormats
import SeifTestSupport
import Testing

/// Cases that other programs' users reported, of the kind backup.
@Suite(.enabled(if: TestData.shared != nil)) struct ReportedCaseTests {
  static func input(_ id: String) throws -> (input: JSONValue, expect: JSONValue) {
    let shared = try #require(TestData.shared)
    let cases = try TestData.json(shared.appending(path: "cases/reports.json")).root
    let found = try #require(cases.elements.first { $0["id"]?.string == id })
    return (try #require(found["input"]), try #require(found["expect"]))
  }

  private func failure(_ body: () throws(FormatError) -> Void) -> FormatError? {
    do throws(FormatError) {
      try body()
      return nil
    } catch {
      return error
    }
  }

  private func open(_ file: SecretValue, _ passphrase: SecretValue) throws(FormatError) -> OpenedBackup {
    try FormatRegistry.read(FormatInput(file)).openTryingForms(passphrase: SecretBytes(copying: passphrase))
  }

  private func check(_ backup: OpenedBackup, _ expect: JSONValue) {
    let hash = backup.body.withBytes { Digest.sha256($0) }
    #expect(Base16.encode(hash) == expect["plaintext_sha256"]?.string)
  }

  @Test func aPassphraseInEitherNormalFormOpens() throws {
    let (input, expect) = try Self.input("s-backup-01")
    let file = try #require(input["file"]?.canonical)
    for key in ["passphrase_as_nfc_hex", "passphrase_as_nfd_hex"] {
      check(try open(file, SecretValue(try #require(input[key]?.hexBytes))), expect)
    }
    let other = SecretValue(utf8: "CORECT cal baterie capsă")
    #expect(failure { () throws(FormatError) in _ = try open(file, other) } == .cannotOpen)
  }

  @Test func exactlyOneLineEndIsNoPartOfAPassphrase() throws {
    // Taking it off is the front end's; here the bytes without it open, and any others don't.
    let (input, expect) = try Self.input("s-backup-02")
    let file = try #require(input["file"]?.canonical)
    for variant in try #require(input["stdin_variants_hex"]).elements {
      var bytes = try #require(variant.hexBytes)
      if bytes.last == 0x0A { bytes.removeLast() }
      if bytes.last == 0x0D { bytes.removeLast() }
      check(try open(file, SecretValue(bytes)), expect)
    }
    for wrong in try #require(input["stdin_wrong_hex"]).elements {
      let bytes = SecretValue(try #require(wrong.hexBytes))
      #expect(failure { () throws(FormatError) in _ = try open(file, bytes) } == .cannotOpen)
    }
  }

  @Test func costsOutOfRangeAreRefusedBeforeAnyDerivation() throws {
    for file in try #require(try Self.input("s-backup-03").input["files"]).elements {
      let error = failure { () throws(FormatError) in _ = try FormatRegistry.read(FormatInput(file.canonical)) }
      switch error {
      case .costRefused(let cost): #expect(["memoryKiB", "passes", "lanes"].contains(cost.field))
      case .badHeader(let field, .wrongType): #expect(field == "memoryKiB")
      default: Issue.record("\(String(describing: error))")
      }
    }
  }

  @Test func aLoweredWorkFactorDoesNotOpen() throws {
    let (input, expect) = try Self.input("s-backup-04")
    let passphrase = try #require(input["passphrase"]?.secret)
    check(try open(try #require(input["good"]?.canonical), passphrase), expect)
    let edited = try #require(input["rounds_edited"]?.canonical)
    #expect(failure { () throws(FormatError) in _ = try open(edited, passphrase) } == .cannotOpen)
  }

  @Test func aCutFileAndAWrongPassphraseAreToldApart() throws {
    let (input, _) = try Self.input("s-backup-05")
    let passphrase = try #require(input["passphrase"]?.secret)
    let full = try #require(input["full"]?.secret)
    _ = try open(full, passphrase)
    let wrong = try #require(input["wrong_passphrase"]?.secret)
    #expect(failure { () throws(FormatError) in _ = try open(full, wrong) } == .cannotOpen)
    for key in ["cut_at_60_percent", "empty", "only_brace", "null", "html"] {
      let file = try #require(input[key]?.secret)
      switch failure({ () throws(FormatError) in _ = try FormatRegistry.read(FormatInput(file)) }) {
      case .unreadable, .unknownFormat: break
      case let other: Issue.record("\(key): \(String(describing: other))")
      }
    }
  }
}
