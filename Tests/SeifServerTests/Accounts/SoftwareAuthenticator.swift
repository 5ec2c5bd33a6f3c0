import SeifBytes
import SeifCrypto
import SeifTestSupport

/// An authenticator and the browser before it: one ES256 credential, as WebAuthn level 2 has it. Each part can be bent.
final class SoftwareAuthenticator: @unchecked Sendable {
  let key: ES256SigningKey
  let credentialID: [UInt8]
  var userHandle: [UInt8]
  var origin = AccountServer.origin
  var relyingParty = AccountServer.host
  var type: (create: String, get: String) = ("webauthn.create", "webauthn.get")
  /// Presence and verification.
  var flags: UInt8 = 0x05
  var signCount: UInt32 = 0
  /// More members of the client's data.
  var clientMembers = ",\"crossOrigin\":false"
  var format = "none"
  var algorithm = -7
  /// After the data, and before it is signed.
  var bend: ([UInt8]) -> [UInt8] = { $0 }
  var bendSignature: ([UInt8]) -> [UInt8] = { $0 }

  init(userHandle: [UInt8] = []) throws {
    key = try ES256SigningKey()
    credentialID = RandomSource.system.makeBytes(32)
    self.userHandle = userHandle
  }

  func clientData(_ type: String, _ challenge: String) -> [UInt8] {
    Array("{\"type\":\"\(type)\",\"challenge\":\"\(challenge)\",\"origin\":\"\(origin)\"\(clientMembers)}".utf8)
  }

  private func data(attested: [UInt8]) -> [UInt8] {
    let flags = self.flags | (attested.isEmpty ? 0 : 0x40)
    let count = (0..<4).map { UInt8(truncatingIfNeeded: signCount >> (24 - 8 * UInt32($0))) }
    return bend(Digest.sha256(Array(relyingParty.utf8).span.bytes) + [flags] + count + attested)
  }

  static func bytes(_ bytes: [UInt8]) -> [UInt8] {
    switch bytes.count {
    case 0..<24: [0x40 | UInt8(bytes.count)] + bytes
    case 24..<256: [0x58, UInt8(bytes.count)] + bytes
    default: [0x59, UInt8(bytes.count >> 8), UInt8(bytes.count & 255)] + bytes
    }
  }
  static func text(_ text: String) -> [UInt8] { [0x60 | UInt8(text.utf8.count)] + Array(text.utf8) }

  /// `{1:2, 3:alg, -1:1, -2:x, -3:y}`.
  func coseKey() throws -> [UInt8] {
    let point = try key.publicKey
    let algorithm: [UInt8] =
      self.algorithm == -7 ? [0x26] : [0x39, UInt8((-1 - self.algorithm) >> 8), UInt8((-1 - self.algorithm) & 255)]
    return [0xA5, 0x01, 0x02, 0x03] + algorithm + [0x20, 0x01, 0x21] + Self.bytes(Array(point[1..<33])) + [0x22]
      + Self.bytes(Array(point[33...]))
  }

  struct Created {
    var id: [UInt8]
    var clientData: [UInt8]
    var attestationObject: [UInt8]
  }

  func create(_ challenge: String) throws -> Created {
    let attested =
      [UInt8](repeating: 0, count: 16) + [0, UInt8(credentialID.count)] + credentialID + (try coseKey())
    let data = data(attested: attested)
    let client = clientData(type.create, challenge)
    var statement: [UInt8] = [0xA0]
    if format == "packed" {
      let signature = bendSignature(try key.sign((data + Digest.sha256(client.span.bytes)).span.bytes))
      statement = [0xA2] + Self.text("alg") + [0x26] + Self.text("sig") + Self.bytes(signature)
    }
    let object =
      [0xA3] + Self.text("fmt") + Self.text(format) + Self.text("attStmt") + statement + Self.text("authData")
      + Self.bytes(data)
    return Created(id: credentialID, clientData: client, attestationObject: object)
  }

  struct Got {
    var id: [UInt8]
    var clientData: [UInt8]
    var data: [UInt8]
    var signature: [UInt8]
    var userHandle: [UInt8]
  }

  func get(_ challenge: String) throws -> Got {
    let data = data(attested: [])
    let client = clientData(type.get, challenge)
    let signature = bendSignature(try key.sign((data + Digest.sha256(client.span.bytes)).span.bytes))
    return Got(id: credentialID, clientData: client, data: data, signature: signature, userHandle: userHandle)
  }
}

func base64URL(_ bytes: [UInt8]) -> String {
  String(decoding: Base64URL.encode(bytes.span.bytes).exposedBytes(), as: UTF8.self)
}

extension SoftwareAuthenticator.Created {
  func json(label: String) -> String {
    """
    {"label":"\(label)","credential":{"id":"\(base64URL(id))","type":"public-key","response":{\
    "clientDataJSON":"\(base64URL(clientData))","attestationObject":"\(base64URL(attestationObject))"}}}
    """
  }
}

extension SoftwareAuthenticator.Got {
  var json: String {
    """
    {"credential":{"id":"\(base64URL(id))","type":"public-key","response":{\
    "clientDataJSON":"\(base64URL(clientData))","authenticatorData":"\(base64URL(data))",\
    "signature":"\(base64URL(signature))","userHandle":"\(base64URL(userHandle))"}}}
    """
  }
}
