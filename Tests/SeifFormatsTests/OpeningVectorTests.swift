import SeifBytes
import SeifCrypto
import SeifFormats
import SeifOTP
import SeifRecords
import SeifTestSupport
import Testing

@Suite struct OpeningVectorTests {
  static let authBackup = [
    "authbackup-v1.json", "authbackup-v1-android.json", "authbackup-v2.json", "authbackup-v2-whole.json",
  ]
  static let all: [(name: String, vector: FormatVector)] =
    (try? (authBackup + ["vault2fa-v1.json"]).flatMap { file in try FormatVector.load(file).map { (file, $0) } }) ?? []

  private func format(_ file: String) -> any BackupFormat {
    file.hasPrefix("vault2fa") ? Vault2FAFormat() : AuthBackupFormat()
  }

  @Test func everyVectorIsThere() {
    #expect(Self.all.count == 34 + 38 + 37 + 11 + 33)
  }

  @Test(arguments: Self.all.indices)
  func opensToTheSamePlaintext(index: Int) async throws {
    let (file, vector) = Self.all[index]
    let outcome = await OpenedVectors.outcome(vector, of: file)
    #expect(FormatRegistry.identify(FormatInput(vector.file)) == [format(file).identifier], "\(vector.name)")
    #expect(vector.acceptable.contains(outcome.name), "\(file) \(vector.name): \(outcome.name)")
    let backup = try #require(outcome.backup)
    #expect(backup.body.exposedBytes() == vector.json["plaintextHex"]?.hexBytes)
    let expected = Set(vector.expect?["problems"]?.elements.map { ProblemPlace($0) } ?? [])
    #expect(Set(backup.problems.map { ProblemPlace($0) }) == expected, "\(vector.name)")
    try checkCounts(vector, backup)
    try checkCodes(vector, backup)
  }

  private func checkCounts(_ vector: FormatVector, _ backup: OpenedBackup) throws {
    let counts = try #require(vector.expect?["counts"])
    for kind in RecordKind.allCases {
      let unusable = backup.records.unusable.filter { $0.kind == kind }.count
      #expect(
        Int64(backup.records.count(of: kind) + unusable) == counts[kind.rawValue]?.int64 ?? 0, "\(vector.name) \(kind)")
    }
  }

  private func checkCodes(_ vector: FormatVector, _ backup: OpenedBackup) throws {
    for code in vector.expect?["codes"]?.elements.map({ $0 }) ?? [] {
      let account = backup.records.accounts[Int(try #require(code["account"]?.int64))]
      let time = Timestamp(seconds: code["time"]?.int64 ?? 0)
      #expect(try OneTimePassword.code(account.otp, at: time).text == code["code"]?.string, "\(vector.name)")
    }
  }

  @Test(arguments: Self.all.indices.filter { Self.all[$0].vector.json["wrongPassphrases"] != nil })
  func wrongPassphrasesCantOpen(index: Int) throws {
    let (file, vector) = Self.all[index]
    let wrong = try #require(vector.json["wrongPassphrases"]).elements.map { $0 }
    #expect(!wrong.isEmpty)
    for passphrase in wrong {
      let bytes = try #require(passphrase["hex"]?.hexBytes)
      #expect(Outcome(format(file), file: vector.file, passphrase: SecretValue(bytes)).name == "cannot-open")
    }
  }
}
