import SeifBytes
import SeifFormats
import SeifTestSupport
import Testing

@Suite struct HostileVectorTests {
  static let authBackup = (try? FormatVector.loadHostile("authbackup-hostile.json")) ?? []
  static let vault2FA = (try? FormatVector.loadHostile("vault2fa-hostile.json")) ?? []

  @Test func everyVectorIsThere() throws {
    #expect(Self.authBackup.count == 965 - 6)
    #expect(Self.vault2FA.count == 285 - 2)
  }

  @Test(arguments: Self.authBackup)
  func authBackupGivesItsClass(vector: FormatVector) {
    check(AuthBackupFormat(), vector)
  }

  @Test(arguments: Self.vault2FA)
  func vault2FAGivesItsClass(vector: FormatVector) {
    check(Vault2FAFormat(), vector)
  }

  private func check(_ format: any BackupFormat, _ vector: FormatVector) {
    let outcome = Outcome(format, file: vector.file, passphrase: vector.passphrase)
    #expect(vector.acceptable.contains(outcome.name), "\(vector.name): \(outcome.name), not \(vector.acceptable)")
    guard outcome.name == vector.expect?["class"]?.string, let backup = outcome.backup else { return }
    let expected = Set(vector.expect?["problems"]?.elements.map { ProblemPlace($0) } ?? [])
    #expect(Set(backup.problems.map { ProblemPlace($0) }) == expected, "\(vector.name)")
  }
}
