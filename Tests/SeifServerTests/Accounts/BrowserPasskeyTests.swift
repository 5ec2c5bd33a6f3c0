import SeifBytes
import SeifServer
import SeifTestSupport
import Testing

/// A passkey and its answers as a real browser wrote them (Tests/Vectors/webauthn_chromium.py): our own authenticator
/// can't share a misreading with this one.
@Suite struct BrowserPasskeyTests {
  let root: JSONValue
  let party: RelyingParty
  let account: UUID

  init() throws {
    root = try TestData.vectors("webauthn-chromium.json").root
    party = RelyingParty(
      id: try #require(root["relyingParty"]?.string), origin: try #require(root["origin"]?.string))
    account = try #require(root["account"]?.string.flatMap { UUID($0) })
  }

  func bytes(_ object: JSONValue, _ name: String) throws -> [UInt8] {
    let text = try #require(object[name]?.secret)
    return try text.withBytes { try Base64URL.decode($0) }.exposedBytes()
  }

  func registration(for party: RelyingParty) throws -> Registration {
    let created = try #require(root["created"])
    return try Registration(
      id: bytes(created, "id"), clientData: bytes(created, "clientDataJSON"),
      attestationObject: bytes(created, "attestationObject"), for: party)
  }

  @Test func aBrowsersPasskeyIsTakenAndItsAnswersInOrder() throws {
    let made = try registration(for: party)
    #expect(made.challenge == SecretValue([UInt8](repeating: 1, count: 32)))
    var count = made.signCount
    for (index, answer) in try #require(root["answers"]).elements.enumerated() {
      let assertion = try Assertion(
        id: bytes(answer, "id"), clientData: bytes(answer, "clientDataJSON"),
        authenticatorData: bytes(answer, "authenticatorData"), signature: bytes(answer, "signature"),
        userHandle: bytes(answer, "userHandle"), for: party)
      #expect(assertion.challenge == SecretValue([UInt8](repeating: UInt8(2 + index), count: 32)))
      try assertion.check(publicKey: made.publicKey, account: account, signCount: count)
      count = assertion.signCount
      // Once more is once too often.
      #expect(throws: WebAuthnError.counter) {
        try assertion.check(publicKey: made.publicKey, account: account, signCount: count)
      }
    }
  }

  @Test func elsewhereItIsRefused() throws {
    #expect(throws: WebAuthnError.origin) {
      try registration(for: RelyingParty(id: "localhost", origin: "http://localhost:8312"))
    }
    #expect(throws: WebAuthnError.relyingParty) {
      try registration(for: RelyingParty(id: "localhost.", origin: party.origin))
    }
  }

  @Test func anyChangedBitOfAnAnswerIsRefused() throws {
    let made = try registration(for: party)
    let answers = root["answers"]?.elements.map { $0 } ?? []
    let answer = try #require(answers.first)
    let names = ["clientDataJSON", "authenticatorData", "signature", "userHandle"]
    for changed in names {
      let whole = try bytes(answer, changed)
      for bit in 0..<whole.count * 8 {
        var parts: [String: [UInt8]] = [:]
        for name in names { parts[name] = try bytes(answer, name) }
        parts[changed]?[bit / 8] ^= 1 << (bit % 8)
        let bent = parts
        #expect(throws: WebAuthnError.self) {
          let assertion = try Assertion(
            id: bytes(answer, "id"), clientData: bent["clientDataJSON"] ?? [],
            authenticatorData: bent["authenticatorData"] ?? [], signature: bent["signature"] ?? [],
            userHandle: bent["userHandle"] ?? [], for: party)
          try assertion.check(publicKey: made.publicKey, account: account, signCount: made.signCount)
        }
      }
    }
  }
}
