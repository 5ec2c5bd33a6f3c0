import SeifBytes
import SeifCrypto
import SeifTestSupport
import Testing

@testable import SeifDevices
@testable import SeifVault

/// An authenticator in software: its secrets are fixed, so that what it opens can be opened again.
final class SoftwareKey: SecurityKey {
  /// What stands for the secrets that a key makes for each credential.
  private let seed: [UInt8]
  private let pin: String?
  /// The secrets of one credential, for vectors.
  private let fixed: (withUser: [UInt8], without: [UInt8])?
  private(set) var touches = 0
  private(set) var made: [(relyingParty: String, userID: [UInt8], verifiesUser: Bool)] = []

  init(_ seed: UInt8, pin: String? = nil, fixed: (withUser: [UInt8], without: [UInt8])? = nil) {
    self.seed = [UInt8](repeating: seed, count: 32)
    self.pin = pin
    self.fixed = fixed
  }

  func canVerifyUser() throws(VaultError) -> Bool { pin != nil }

  func makeCredential(
    relyingParty: String, userID: [UInt8], verifiesUser: Bool, pin: borrowing SecretBytes?
  ) throws(VaultError) -> [UInt8] {
    try check(verifiesUser, pin)
    made.append((relyingParty, userID, verifiesUser))
    let random = RandomSource.system.makeBytes(16)
    return random + tag(random, relyingParty)
  }

  func hmacSecret(
    relyingParty: String, credential: [UInt8], salt: [UInt8], verifiesUser: Bool, pin: borrowing SecretBytes?
  ) throws(VaultError) -> SecretBytes {
    try check(verifiesUser, pin)
    if fixed == nil {
      guard credential.count == 48, Array(credential[16...]) == tag(Array(credential[..<16]), relyingParty) else {
        throw VaultError(.otherDevice)
      }
    }
    guard salt.count == 32 else { throw VaultError(.deviceRefused, "salt") }
    let own = mac(seed, credential + [verifiesUser ? 1 : 0])
    let secret = fixed.map { verifiesUser ? $0.withUser : $0.without } ?? own
    return SecretBytes(copying: SecretValue(mac(secret, salt)))
  }

  private func check(_ verifiesUser: Bool, _ given: borrowing SecretBytes?) throws(VaultError) {
    touches += 1
    guard verifiesUser else { return }
    guard let given = given?.duplicate(), let pin else { throw VaultError(.deviceRefused, "it wants its PIN") }
    let isRight = given.withBytes { $0.withUnsafeBytes { $0.elementsEqual(pin.utf8) } }
    guard isRight else { throw VaultError(.deviceRefused, "the PIN is wrong") }
  }

  private func tag(_ random: [UInt8], _ relyingParty: String) -> [UInt8] {
    mac(seed, random + Array(relyingParty.utf8))
  }

  private func mac(_ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
    HMAC.code(.sha256, key: key.span.bytes, message: message.span.bytes)
  }
}

// No real key was touched by any of these: what libfido2 does with one isn't shown here.
@Suite struct SecurityKeyTests {
  @Test func itConformsWithoutAPINAndWithOne() throws {
    let (key, other) = (SoftwareKey(1), SoftwareKey(2))
    try WayInConformance.check(
      { SecurityKeyProvider(key) }, wrong: { SecurityKeyProvider(other) }, refusals: [VaultError(.otherDevice)])
    let guarded = SoftwareKey(3, pin: "1234")
    try WayInConformance.check(
      { SecurityKeyProvider(guarded, pin: secret("1234")) }, wrong: { SecurityKeyProvider(guarded, pin: secret("9")) },
      refusals: [VaultError(.deviceRefused)])
  }

  @Test func theCredentialIsOfNoSiteAndKeepsItsUserThroughARotation() throws {
    let place = try Place()
    let vault = try place.create()
    let key = SoftwareKey(4, pin: "0000")
    func provider() -> SecurityKeyProvider { SecurityKeyProvider(key, pin: secret("0000")) }
    let new = try vault.makeWayIn(provider())
    try vault.addWayIn(new)
    let made = try #require(key.made.first)
    #expect(made.relyingParty == "seif.invalid")
    #expect(made.userID == new.wayIn.id.bytes)
    #expect(made.verifiesUser)
    #expect(new.wayIn.flag("uv") == true)
    #expect(new.wayIn.text("rpId") == "seif.invalid")
    let passphrases = try vault.waysIn().filter { $0.kind == .passphrase }.map(\.id)
    try vault.rotate(
      presented: [PresentedWayIn(id: new.wayIn.id, provider: provider())], recoveryCode: RecoveryCode.make(),
      dropped: Set(passphrases)
    ) { (_, _) in }
    #expect(key.made.count == 1)
    let row = try #require(Vault.open(at: place.location, access: .readOnly).waysIn.first)
    #expect(row.bytes("credentialId") == new.wayIn.bytes("credentialId"))
    #expect(row.bytes("input") != new.wayIn.bytes("input"))
    try place.open(with: provider())
  }

  @Test func aRowThatAsksForAnotherSitesSecretIsNotAsked() throws {
    let place = try Place()
    let vault = try place.create()
    let key = SoftwareKey(5)
    let text = try vault.makeWayIn(SecurityKeyProvider(key)).encoded
    let touches = key.touches
    let changes = [
      ("seif.invalid", "bank.example"), ("\\\"uv\\\":false", "\\\"uv\\\":0"), ("\\\"input\\\"", "\\\"inpux\\\""),
    ]
    for (old, new) in changes {
      let altered = text.replacing(old, with: new)
      #expect(altered != text)
      let candidate = try #require(NewWayIn(encoded: altered))
      #expect(throws: VaultError(.wrongPassphrase)) {
        try Vault.open(at: place.location, access: .readOnly).unlock(
          with: SecurityKeyProvider(key), candidate: candidate)
      }
    }
    #expect(key.touches == touches)
  }

  @Test func theVectorsRowsOpenWithTheirSecrets() throws {
    let root = try TestData.vectors("way-in-fido2.json").root
    let vaultID = try #require(root["vault"]?.string.flatMap { UUID($0) })
    let way = try #require(root["way"]?.string.flatMap { UUID($0) })
    let rows = try #require(root["rows"]).elements
    var secrets: [Bool: [UInt8]] = [:]
    for row in rows { secrets[row["uv"]?.bool == true] = row["credRandom"]?.hexBytes }
    #expect(secrets.count == 2)
    for row in rows {
      let wrap = KeyWrap(
        id: way, kind: .fido2, generation: try #require(root["generation"]?.int64),
        parameters: try #require(row["parameters"]?.string), wrappedKey: try #require(row["wrappedKey"]?.hexBytes))
      let input = try #require(wrap.wayIn.bytes("input"))
      #expect(SecurityKeyProvider.salt(input) == row["salt"]?.hexBytes)
      let key = SoftwareKey(
        0, pin: "1234", fixed: (withUser: try #require(secrets[true]), without: try #require(secrets[false])))
      let opened = try wrap.open(with: SecurityKeyProvider(key, pin: secret("1234")), vaultID: vaultID)
      let dataKey = opened?.withBytes { bytes in bytes.withUnsafeBytes { [UInt8]($0) } }
      #expect(dataKey == row["dataKey"]?.hexBytes)
      // With the key's other secret it stays closed.
      let exchanged = SoftwareKey(
        0, pin: "1234", fixed: (withUser: try #require(secrets[false]), without: try #require(secrets[true])))
      let isClosed = try wrap.open(with: SecurityKeyProvider(exchanged, pin: secret("1234")), vaultID: vaultID) == nil
      #expect(isClosed)
    }
  }

  @Test func whereNoKeyIsPluggedInTheVaultSaysSo() throws {
    let place = try Place()
    let vault = try place.create()
    #expect(throws: VaultError(.deviceMissing)) { try vault.makeWayIn(SecurityKeyProvider(PluggedInKey())) }
    try vault.addWayIn(try vault.makeWayIn(SecurityKeyProvider(SoftwareKey(6))))
    vault.lock()
    #expect(throws: VaultError(.deviceMissing)) { try place.open(with: SecurityKeyProvider(PluggedInKey())) }
  }
}
