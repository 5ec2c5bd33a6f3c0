import SeifBytes
import SeifCrypto
import SeifServer
import Testing

@Suite struct WebAuthnTests {
  static let party = RelyingParty(id: AccountServer.host, origin: AccountServer.origin)
  static let challenge = base64URL([UInt8](repeating: 9, count: 32))
  static let account = RandomSource.system.makeUUID()

  static func register(_ authenticator: SoftwareAuthenticator) throws -> Registration {
    let created = try authenticator.create(challenge)
    return try Registration(
      id: created.id, clientData: created.clientData, attestationObject: created.attestationObject, for: party)
  }

  static func assert(
    _ authenticator: SoftwareAuthenticator, id: [UInt8]? = nil, publicKey: [UInt8]? = nil, signCount: UInt32 = 0
  ) throws {
    let got = try authenticator.get(challenge)
    let assertion = try Assertion(
      id: id ?? got.id, clientData: got.clientData, authenticatorData: got.data, signature: got.signature,
      userHandle: got.userHandle, for: party)
    #expect(assertion.challenge == SecretValue([UInt8](repeating: 9, count: 32)))
    try assertion.check(publicKey: publicKey ?? authenticator.key.publicKey, account: account, signCount: signCount)
  }

  @Test(arguments: ["none", "packed"]) func aCredentialOfAnAuthenticatorIsTaken(_ format: String) throws {
    let authenticator = try SoftwareAuthenticator(userHandle: Self.account.bytes)
    authenticator.format = format
    authenticator.signCount = 0x0102_0304
    let made = try Self.register(authenticator)
    #expect(made.credentialID == authenticator.credentialID)
    let point = try authenticator.key.publicKey
    #expect(made.publicKey == point)
    #expect(made.signCount == 0x0102_0304)
    authenticator.signCount += 1
    try Self.assert(authenticator, signCount: made.signCount)
  }

  @Test func extensionsOfAnAuthenticatorAreReadAndPassedOver() throws {
    let authenticator = try SoftwareAuthenticator(userHandle: Self.account.bytes)
    authenticator.flags = 0x85
    authenticator.bend = { $0 + [0xA1, 0x61, 0x61, 0xF5] }
    _ = try Self.register(authenticator)
    try Self.assert(authenticator)
  }

  struct Bent: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let error: WebAuthnError
    let bend: @Sendable (SoftwareAuthenticator) -> Void

    init(_ name: String, _ error: WebAuthnError, _ bend: @escaping @Sendable (SoftwareAuthenticator) -> Void) {
      testDescription = name
      self.error = error
      self.bend = bend
    }
  }

  /// What fails when making a credential and when using one.
  static let both = [
    Bent("another origin", .origin) { $0.origin = "https://docs.example.com" },
    Bent("a longer origin", .origin) { $0.origin += ".evil.example" },
    Bent("an origin with a port", .origin) { $0.origin += ":443" },
    Bent("plain HTTP", .origin) { $0.origin = "http://docs.example.org" },
    Bent("an origin in capitals", .origin) { $0.origin = "https://DOCS.example.org" },
    Bent("in a frame of another site", .crossOrigin) { $0.clientMembers = ",\"crossOrigin\":true" },
    Bent("crossOrigin that is no truth", .crossOrigin) { $0.clientMembers = ",\"crossOrigin\":0" },
    Bent("an origin above it", .crossOrigin) { $0.clientMembers = ",\"topOrigin\":\"https://evil.example\"" },
    Bent("a member twice", .clientData) { $0.clientMembers = ",\"origin\":\"https://docs.example.org\"" },
    Bent("another relying party", .relyingParty) { $0.relyingParty = "example.org" },
    Bent("nobody there", .notPresent) { $0.flags = 0x04 },
    Bent("somebody, not verified", .notVerified) { $0.flags = 0x01 },
    Bent("backed up, though it can't be", .backupFlags) { $0.flags = 0x15 },
    Bent("extensions announced, none there", .extensions) { $0.flags = 0x85 },
    Bent("extensions that are no map", .extensions) {
      $0.flags = 0x85
      $0.bend = { $0 + [0x01] }
    },
    Bent("a byte behind the end", .authenticatorData) { $0.bend = { $0 + [0] } },
    Bent("too short", .authenticatorData) { $0.bend = { Array($0.prefix(36)) } },
  ]

  @Test(arguments: both) func aBentCredentialIsNeitherKeptNorUsed(_ bent: Bent) throws {
    let authenticator = try SoftwareAuthenticator(userHandle: Self.account.bytes)
    bent.bend(authenticator)
    #expect(throws: bent.error) { try Self.register(authenticator) }
    #expect(throws: bent.error) { try Self.assert(authenticator) }
  }

  static let made = [
    Bent("the other ceremony", .type) { $0.type.create = "webauthn.get" },
    Bent("another algorithm", .algorithm) { $0.algorithm = -257 },
    Bent("a format that names its maker", .format) { $0.format = "tpm" },
    Bent("another's signature", .signature) {
      $0.format = "packed"
      $0.bendSignature = { Array($0.dropLast()) + [($0.last ?? 0) ^ 1] }
    },
    Bent("a credential of no length", .credentialID) { $0.bend = { Array($0[..<53]) + [0, 0] + $0[55...] } },
    Bent("a credential longer than the data", .credentialID) {
      $0.bend = { Array($0[..<53]) + [3, 0xFF] + $0[55...] }
    },
    Bent("a point off the curve", .key) { $0.bend = { Array($0.dropLast()) + [($0.last ?? 0) ^ 1] } },
  ]

  @Test(arguments: made) func aBentNewCredentialIsRefused(_ bent: Bent) throws {
    let authenticator = try SoftwareAuthenticator()
    bent.bend(authenticator)
    #expect(throws: bent.error) { try Self.register(authenticator) }
  }

  @Test func anIdentifierOtherThanTheSignedOneIsRefused() throws {
    let created = try SoftwareAuthenticator().create(Self.challenge)
    #expect(throws: WebAuthnError.credentialID) {
      try Registration(
        id: created.id + [0], clientData: created.clientData, attestationObject: created.attestationObject,
        for: Self.party)
    }
  }

  static let used = [
    Bent("the other ceremony", .type) { $0.type.get = "webauthn.create" },
    Bent("a changed signature", .signature) { $0.bendSignature = { Array($0.dropLast()) + [($0.last ?? 0) ^ 1] } },
    Bent("no signature", .signature) { $0.bendSignature = { _ in [] } },
    Bent("a signature with a byte behind it", .signature) { $0.bendSignature = { $0 + [0] } },
    Bent("another's user handle", .userHandle) { $0.userHandle = RandomSource.system.makeUUID().bytes },
    Bent("no user handle", .userHandle) { $0.userHandle = [] },
  ]

  @Test(arguments: used) func aBentAnswerIsRefused(_ bent: Bent) throws {
    let authenticator = try SoftwareAuthenticator(userHandle: Self.account.bytes)
    bent.bend(authenticator)
    #expect(throws: bent.error) { try Self.assert(authenticator) }
  }

  @Test func anAnswerOfAnotherKeyIsRefused() throws {
    let authenticator = try SoftwareAuthenticator(userHandle: Self.account.bytes)
    let other = try ES256SigningKey().publicKey
    #expect(throws: WebAuthnError.signature) { try Self.assert(authenticator, publicKey: other) }
  }

  @Test func theClientDataIsPartOfWhatIsSigned() throws {
    let authenticator = try SoftwareAuthenticator(userHandle: Self.account.bytes)
    let (one, other) = (try authenticator.get(Self.challenge), try authenticator.get(Self.challenge))
    let changed = one.clientData.dropLast() + Array(",\"a\":1}".utf8)
    let assertion = try Assertion(
      id: one.id, clientData: Array(changed), authenticatorData: other.data, signature: one.signature,
      userHandle: one.userHandle, for: Self.party)
    let point = try authenticator.key.publicKey
    #expect(throws: WebAuthnError.signature) {
      try assertion.check(publicKey: point, account: Self.account, signCount: 0)
    }
  }

  /// Stored, shown, and whether it is taken.
  static let counters: [(UInt32, UInt32, Bool)] = [
    (0, 0, true), (0, 1, true), (1, 2, true), (1, 1, false), (2, 1, false), (1, 0, false),
    (UInt32.max - 1, .max, true), (.max, 0, false),
  ]

  @Test(arguments: counters) func theCounterMustGrowUnlessThereIsNone(
    _ stored: UInt32, _ shown: UInt32, _ isTaken: Bool
  ) throws {
    let authenticator = try SoftwareAuthenticator(userHandle: Self.account.bytes)
    authenticator.signCount = shown
    if isTaken {
      try Self.assert(authenticator, signCount: stored)
    } else {
      #expect(throws: WebAuthnError.counter) { try Self.assert(authenticator, signCount: stored) }
    }
  }

  @Test(arguments: ["", "AA", String(repeating: "A", count: 44), String(repeating: "+", count: 43)])
  func aChallengeIs32BytesInBase64URL(_ challenge: String) throws {
    let got = try SoftwareAuthenticator().get(challenge)
    #expect(throws: WebAuthnError.challenge) {
      try Assertion(
        id: got.id, clientData: got.clientData, authenticatorData: got.data, signature: got.signature,
        userHandle: [], for: Self.party)
    }
  }
}
