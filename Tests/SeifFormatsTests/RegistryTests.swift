import SeifBytes
import SeifCrypto
import SeifFormats
import SeifRecords
import SeifTestSupport
import Testing

@Suite struct RegistryTests {
  private func failure(_ bytes: [UInt8]) -> FormatError? {
    do throws(FormatError) {
      _ = try FormatRegistry.read(FormatInput(SecretValue(bytes)))
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    (Array("".utf8), ContentGuess.empty), (Array(" \n".utf8), .empty), (Array("null".utf8), .json),
    (Array("{}".utf8), .json), (Array("[{\"name\":\"x\"}]".utf8), .json),
    (Array("<!DOCTYPE html><html><body>Sign in</body></html>".utf8), .html),
    (Array("<?xml version=\"1.0\"?>".utf8), .xml),
    ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], .png), ([0xFF, 0xD8, 0xFF, 0xE0], .jpeg),
    ([0x50, 0x4B, 0x03, 0x04], .zip), ([0x1F, 0x8B, 8], .gzip), (Array("SQLite format 3\u{0}".utf8), .sqlite),
    ([0x03, 0xD9, 0xA2, 0x9A, 0x67], .keePass), (Array("%PDF-1.7".utf8), .pdf),
    (Array("age-encryption.org/v1\n".utf8), .age), ([0xFF, 0xFE, 0x7B, 0], .utf16Text),
    (Array("name,password\n".utf8), .text), ([0, 1, 2, 3, 0xFF], .binary),
  ])
  func whatIsNoBackupIsGuessedAt(bytes: [UInt8], guess: ContentGuess) {
    #expect(failure(bytes) == .unknownFormat(guess))
  }

  @Test func aCharacterCutByTheLimitOfTheGuessIsStillText() {
    for shift in 0..<4 {
      let text = String(repeating: "x", count: shift) + String(repeating: "\u{1F511}", count: 600)
      #expect(failure(Array(text.utf8)) == .unknownFormat(.text))
    }
  }

  @Test func whatBeginsLikeABackupAndEndsEarlyIsDamaged() {
    for text in ["{", "{\"format\":\"authbackup\",", "[1,"] {
      guard case .unreadable = failure(Array(text.utf8)) else {
        Issue.record("\(text)")
        continue
      }
    }
  }

  @Test func aFileOfTwoFormatsMustBeNamed() throws {
    let text = "{\"format\":\"authbackup\",\"schema\":\"seif-records\",\"version\":1}"
    let input = FormatInput(SecretValue(utf8: text))
    #expect(FormatRegistry.identify(input) == [.authbackup, .json])
    #expect(failure(Array(text.utf8)) == .ambiguousFormat([.authbackup, .json]))
    var options = ReadingOptions.standard
    options.format = .json
    #expect(try FormatRegistry.read(input, options: options).header.format == .json)
    options.format = .twofac
    #expect(throws: FormatError.otherFormat) { try FormatRegistry.read(input, options: options) }
  }

  @Test func everyFormatHasAReaderAndAWriter() throws {
    for identifier in FormatIdentifier.allCases where identifier != .seifvault {
      #expect(FormatRegistry.format(identifier)?.identifier == identifier)
      #expect(FormatRegistry.writer(for: identifier)?.identifier == identifier)
    }
    #expect(FormatRegistry.writer(for: .authbackup)?.version == 2)
    #expect(FormatRegistry.writer(for: .twofac)?.version == 2)
    #expect(FormatRegistry.writer(for: .twofac)?.isSealed == true)
    #expect(FormatRegistry.writer(for: .twofac, version: 3, isSealed: false)?.isSealed == false)
    #expect(FormatRegistry.writer(for: .twofac, version: 4) == nil)
  }

  @Test func passphrasesAreTriedAsTheyCameThenComposedThenDecomposed() throws {
    for sealedUnder in ["casă de bani veche".decomposed, "cas\u{103} de bani veche"] {
      var options = WritingOptions(exportedAt: Timestamp(seconds: 0))
      options.testCost = Argon2idCost(uncheckedMemoryKiB: 8, passes: 1, lanes: 1)
      let file = try AuthBackupWriter().write(
        Records(), options: options, passphrase: SecretBytes(copying: SecretValue(utf8: sealedUnder)))
      let read = try FormatRegistry.read(FormatInput(file))
      for typed in ["casa\u{306} de bani veche", "cas\u{103} de bani veche"] {
        _ = try read.openTryingForms(passphrase: SecretBytes(copying: SecretValue(utf8: typed)))
      }
      #expect(throws: FormatError.cannotOpen) {
        try read.openTryingForms(passphrase: SecretBytes(copying: SecretValue(utf8: "Cas\u{103} de bani veche")))
      }
      #expect(throws: FormatError.passphraseRequired) {
        try read.openTryingForms(passphrase: SecretBytes(copying: .empty))
      }
      #expect(throws: FormatError.passphraseRequired) { try read.openTryingForms(passphrase: nil) }
    }
  }

  @Test func twoFacTakesThePasskeyAsTypedAlone() throws {
    let vector = try #require(
      TwoFacVectorTests.list("refuse_entries").first { $0["name"]?.string == "passkey-in-another-normal-form" })
    let sealed =
      "{\"schemaVersion\":2,\"createdAt\":1,\"encrypted\":true,\"encryptedAccounts\":[{\"accountLabel\":\"\","
      + "\"salt\":\"\(vector["salt"]?.string ?? "")\",\"encryptedURI\":\"\(vector["encryptedURI"]?.string ?? "")\"}]}"
    let file = try FormatRegistry.read(FormatInput(SecretValue(utf8: sealed)))
    #expect(throws: FormatError.cannotOpen) {
      try file.openTryingForms(passphrase: SecretBytes(copying: try #require(vector["passkey"]?.secret)))
    }
  }
}

extension String {
  fileprivate var decomposed: String { Normalization.nfd(self) }
}
