import SeifBytes
import SeifCrypto
import SeifRecords
import SeifTestSupport
import Testing

@testable import SeifFormats

@Suite struct VerificationTests {
  static let passphrase = SecretValue(utf8: "correct horse battery staple")

  private func faults(_ file: SecretValue, _ passphrase: SecretValue? = Self.passphrase) -> [String] {
    StrictVerification.verify(FormatInput(file), passphrase: passphrase.map { SecretBytes(copying: $0) })
      .filter { $0.outcome == .fault }.map(\.rule)
  }

  private func write(_ records: Records, _ change: (inout WritingOptions) -> Void = { _ in }) throws -> SecretValue {
    var options = WritingOptions(exportedAt: Timestamp(seconds: 1_789_000_000))
    change(&options)
    return try AuthBackupWriter().write(records, options: options, passphrase: SecretBytes(copying: Self.passphrase))
  }

  @Test func whatIsWrittenIsStrict() throws {
    let records = try FullRecords.make()
    // The unusable entries of the full records are what is wrong with them.
    #expect(faults(try write(records)) == ["entries"])
    var good = records
    good.unusable = []
    #expect(faults(try write(good)) == [])
    let vault = try Vault2FAWriter().write(
      good, options: WritingOptions(exportedAt: Timestamp(seconds: 0)),
      passphrase: SecretBytes(copying: Self.passphrase))
    // A vault's unknown keys are kept, and no part of the format.
    #expect(faults(vault) == ["body", "entry-keys"])
    good.opaque = []
    for index in good.accounts.indices { good.accounts[index].info.opaque = [] }
    let plain = try Vault2FAWriter().write(
      good, options: WritingOptions(exportedAt: Timestamp(seconds: 0)),
      passphrase: SecretBytes(copying: Self.passphrase))
    #expect(faults(plain) == [])
    let sealed = try TwoFacWriter().write(
      good, options: WritingOptions(exportedAt: Timestamp(seconds: 0)),
      passphrase: SecretBytes(copying: Self.passphrase))
    #expect(faults(sealed) == [])
  }

  @Test func withoutThePassphraseTheBodyIsNotChecked() throws {
    let file = try write(Records()) { $0.testCost = Argon2idCost(uncheckedMemoryKiB: 8, passes: 1, lanes: 1) }
    let findings = StrictVerification.verify(FormatInput(file), passphrase: nil)
    #expect(findings.filter { $0.outcome == .fault }.map(\.rule) == ["cost"])
    #expect(
      findings.filter { $0.outcome == .notChecked }.map(\.rule) == ["opens", "wrong-passphrase", "body", "entries"])
  }

  @Test func eachRuleOfTheHeaderFindsItsFault() throws {
    let small: (inout WritingOptions) -> Void = {
      $0.testCost = Argon2idCost(uncheckedMemoryKiB: 8, passes: 1, lanes: 1)
    }
    let text = try #require(try write(Records(), small).exposedText())
    func changed(_ old: String, _ new: String) -> SecretValue {
      let bytes = Array(text.utf8)
      let wanted = Array(old.utf8)
      guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: wanted) }) else { return .empty }
      return SecretValue(Array(bytes[..<start]) + Array(new.utf8) + Array(bytes[(start + wanted.count)...]))
    }
    #expect(faults(changed("{", "{\"hint\":\"x\",")) == ["keys", "cost"])
    #expect(faults(changed("Argon2id", "argon2id")) == ["kdf", "cost"])
    #expect(faults(changed("\"passes\": 1", "\"passes\": 2")) == ["cost", "opens"])
    #expect(faults(changed("\"lanes\": 1", "\"lanes\": 0")) == ["readable"])
    #expect(faults(SecretValue(utf8: text), SecretValue(utf8: "a wrong passphrase")) == ["cost", "opens"])
  }

  @Test(arguments: ["authbackup-v1-android.json", "authbackup-v2.json"])
  func bodiesOfOtherWritersAreJudgedByTheirKeys(file: String) throws {
    for vector in try FormatVector.load(file) {
      let found = StrictVerification.verify(
        FormatInput(vector.file), passphrase: SecretBytes(copying: vector.passphrase))
      let broken = Set(found.filter { $0.outcome == .fault }.map(\.rule))
      #expect(broken.contains("tag") == (file == "authbackup-v1-android.json"), "\(vector.name)")
      #expect(broken.contains("body") == (vector.json["plaintextCanonical"]?.bool == false), "\(vector.name)")
      #expect(!broken.contains("wrong-passphrase") && !broken.contains("opens"), "\(vector.name)")
      if vector.name == "minimal-entries" { #expect(broken.contains("entry-keys")) }
      if vector.name == "canonical-all-types", file == "authbackup-v2.json" { #expect(broken == []) }
    }
  }

  @Test func inspectionNeedsNoPassphraseAndNamesWhatLiesInClear() throws {
    let sealed = try #require(TwoFacVectorTests.list("files").first { $0["name"]?.string == "v2-encrypted" })
    let file = try FormatRegistry.read(FormatInput(try #require(sealed["text"]?.secret)))
    let inspection = Inspection(file, guessesPerSecond: 50)
    #expect(inspection.header.clearLabels.first == "Example:alice@example.com")
    #expect(inspection.inClear.contains("issuer and name of each account"))
    #expect(inspection.notBound.contains("labels"))
    #expect(inspection.weaknesses.contains { $0.hasPrefix("200 rounds") })
    #expect(inspection.secondsToGuess(outOf: 1000) == 10)
    let v2 = try FormatRegistry.read(FormatInput(try write(Records())))
    let good = Inspection(v2)
    #expect(good.weaknesses == [])
    #expect(good.bound.contains("memoryKiB"))
    #expect(good.keyDerivation == "Argon2id, 65536 KiB, 3 passes, 1 lane")
    #expect(try Inspection.deriveOnce(v2.header))
    let weak = try FormatRegistry.read(
      FormatInput(try write(Records()) { $0.testCost = Argon2idCost(uncheckedMemoryKiB: 8, passes: 1, lanes: 1) }))
    #expect(Inspection(weak).weaknesses.count == 1)
  }
}
