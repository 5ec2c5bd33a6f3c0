import SeifCommandLine
import FoundationEssentials
import Glibc
import SeifBytes
import SeifTestSupport
import SeifVault
import Testing

@testable import SeifCommands

/// Files and a vault that several tests begin with. Made once, the files and the vault's contents by the program itself;
/// each test copies what it changes.
enum Fixture {
  /// The moment at which codes are looked at, and the code of ``Canary/timedSeed`` then.
  static let moment = "1767225615"

  /// Neutral records with every secret of ``Canary``.
  static let records = """
    {"schema":"seif-records","version":1,"source":{"format":"test"},"accounts":[
    {"type":"totp","issuer":"GitHub","account":"ana@example.com","secret":"\(Canary.timedSeed)","algorithm":"SHA1",
     "digits":6,"period":30,"isFavorite":true,"tags":["work"],"createdAt":"2026-01-01T00:00:00Z"},
    {"type":"totp","issuer":"GitLab","account":"ana","secret":"\(Canary.timedSeed)","algorithm":"SHA256","digits":8,
     "period":60,"createdAt":"2025-01-01T00:00:00Z"},
    {"type":"hotp","issuer":"Acme","account":"user","secret":"\(Canary.countedSeed)","algorithm":"SHA1","digits":6,
     "counter":0,"tags":["work","bank"]},
    {"type":"steam","issuer":"Steam","account":"steamy","secret":"\(Canary.steamSeed)"}],
    "passwords":[{"title":"Example Forge","username":"ana","password":"\(Canary.password)",
     "urls":["https://forge.example.org"],"isFavorite":true}],
    "cards":[{"name":"Everyday plastic","number":"\(Canary.cardNumber)","expiry":"2029-04","holder":"ANA EXAMPLE","cvc":"123"}],
    "notes":[{"title":"Keys","text":"\(Canary.note)"}],"problems":[],"lost":[]}
    """

  /// A home with `records-in-clear.json` and, sealed from it, `phone.authbackup`.
  static let files = Result {
    let home = try Home()
    let clear = try home.write(records, as: "records-in-clear.json")
    let made = try home.seif(
      "convert", clear, "--to", "authbackup", "-o", home.file("phone.authbackup"), newPassphrase: Canary.filePassphrase)
    guard made.exitCode == 0 else { throw Terminal.Failure(what: made.errors) }
    return home
  }

  /// A home with those and a vault that holds them, and the vault's recovery sheet.
  static let vault = Result {
    let home = try Home(copying: try files.get())
    // Some hundred commands open it, and what `init` takes at least would be half of the whole run.
    let code = RecoveryCode.make()
    let sheet = "Seif: recovery code\n\n  \(code.grouped.exposedText() ?? "")\n"
    chmod(try home.write(sheet, as: "sheet-in-clear.txt"), 0o600)
    for parent in [".local/share", ".local/state"] { _ = try home.folder(parent) }
    let location = VaultLocation(folder: home.file(".local/share/seif"), stateFolder: home.file(".local/state/seif"))
    try Vault.create(
      at: location, passphrase: SecretBytes(copying: SecretValue(utf8: Canary.vaultPassphrase)), recoveryCode: code,
      cost: .forTests
    ).lock()
    try fill(home)
    return home
  }

  /// The same with a vault of `init`: its passphrase is a strong way in, which at the cost of tests it wouldn't be.
  static let strongVault = Result {
    let home = try Home(copying: try files.get())
    let made = try home.seif(
      "init", "--recovery-sheet", home.file("sheet-in-clear.txt"), "--unlock-ms", "500",
      newPassphrase: Canary.vaultPassphrase)
    guard made.exitCode == 0 else { throw Terminal.Failure(what: made.errors) }
    try fill(home)
    return home
  }

  private static func fill(_ home: Home) throws {
    let imported = try home.seif(
      "import", home.file("phone.authbackup"), passphrase: Canary.filePassphrase,
      vaultPassphrase: Canary.vaultPassphrase)
    guard imported.exitCode == 0 else { throw Terminal.Failure(what: imported.errors) }
  }

  static func withStrongVault() throws -> Home { try Home(copying: try strongVault.get()) }
  static func withFiles() throws -> Home { try Home(copying: try files.get()) }
  static func withVault() throws -> Home { try Home(copying: try vault.get()) }

  /// A file of the package's samples.
  static func sample(_ name: String) -> String { TestData.packageRoot.path + "/Examples/" + name }
  static let samplePassphrase = "sample only - not a secret"
}
