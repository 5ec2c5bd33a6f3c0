import FoundationEssentials
import SeifBytes
import SeifCrypto
import SeifTestSupport
import Testing

/// The vectors of C2SP's Wycheproof, where a copy stands beside the package; what is left out stands here by file and
/// reason, and each number is fixed, so that neither a vector nor a reason can be lost unseen.
@Suite struct WycheproofTests {
  struct Plan: Sendable {
    let file: String
    /// How many vectors of each result are run.
    let run: [String: Int]
    /// How many are left out, by reason.
    let skipped: [String: Int]
  }

  static let plans = [
    Plan(
      file: "aes_gcm_test.json", run: ["valid": 39, "invalid": 27],
      skipped: [
        "a key of 128 bits: AES-256 only": 108, "a key of 192 bits: AES-256 only": 103,
        "a nonce of other than 12 bytes (its refusal is tested)": 39,
      ]),
    Plan(file: "hkdf_sha256_test.json", run: ["valid": 83, "invalid": 3], skipped: [:]),
    Plan(file: "hmac_sha1_test.json", run: ["valid": 66, "invalid": 104], skipped: [:]),
    Plan(file: "hmac_sha256_test.json", run: ["valid": 66, "invalid": 108], skipped: [:]),
    Plan(file: "hmac_sha512_test.json", run: ["valid": 66, "invalid": 108], skipped: [:]),
    Plan(file: "pbkdf2_hmacsha256_test.json", run: ["valid": 60], skipped: [:]),
    Plan(file: "x25519_test.json", run: [:], skipped: ["no X25519 here yet": 518]),
    Plan(file: "ed25519_test.json", run: [:], skipped: ["no Ed25519 here yet": 151]),
    Plan(file: "ecdsa_secp256r1_sha256_test.json", run: ["valid": 174, "invalid": 310], skipped: [:]),
  ]

  @Test(arguments: plans) func everyVectorGivesItsStatedResult(_ plan: Plan) throws {
    guard let shared = TestData.shared else {
      print("skipped: Wycheproof \(plan.file), for its copy isn't beside this package")
      return
    }
    let document = try TestData.json(shared.appending(path: "vectors/wycheproof/\(plan.file)"))
    var run: [String: Int] = [:]
    var skipped: [String: Int] = [:]
    for group in try #require(document.root["testGroups"]).elements {
      for vector in try #require(group["tests"]).elements {
        let result = try #require(vector["result"]?.string)
        let id = try #require(vector["tcId"]?.int64)
        switch try Self.outcome(plan.file, group, vector) {
        case .skipped(let reason): skipped[reason, default: 0] += 1
        case .matches(let matches):
          run[result, default: 0] += 1
          #expect(matches == (result == "valid"), "\(plan.file), vector \(id)")
        }
      }
    }
    #expect(run == plan.run)
    #expect(skipped == plan.skipped)
    let total = document.root["numberOfTests"]?.int64.map(Int.init)
    #expect(total == run.values.reduce(0, +) + skipped.values.reduce(0, +))
    for (reason, count) in skipped.sorted(by: { $0.key < $1.key }) {
      print("skipped: \(count) vectors of Wycheproof \(plan.file), \(reason)")
    }
  }

  @Test func everyFileOfTheFolderHasAPlan() throws {
    guard let shared = TestData.shared else { return print("skipped: the list of Wycheproof's files") }
    let names = try FileManager.default.contentsOfDirectory(
      atPath: shared.appending(path: "vectors/wycheproof").path)
    #expect(Set(names.filter { $0.hasSuffix(".json") }) == Set(Self.plans.map(\.file)))
  }

  enum Outcome {
    case matches(Bool)
    case skipped(String)
  }

  static func outcome(_ file: String, _ group: JSONValue, _ vector: JSONValue) throws -> Outcome {
    func bytes(_ name: String) throws -> [UInt8] { try #require(vector[name]?.hexBytes) }
    func size(_ name: String) throws -> Int { Int(try #require(group[name]?.int64)) }
    switch file {
    case "aes_gcm_test.json":
      let keySize = try size("keySize")
      if keySize != 256 { return .skipped("a key of \(keySize) bits: AES-256 only") }
      return try gcm(
        key: bytes("key"), nonce: bytes("iv"), aad: bytes("aad"), message: bytes("msg"), sealed: bytes("ct"),
        tag: bytes("tag"))
    case "hkdf_sha256_test.json":
      return try hkdf(
        key: bytes("ikm"), salt: bytes("salt"), info: bytes("info"),
        byteCount: Int(try #require(vector["size"]?.int64)), output: bytes("okm"))
    case "hmac_sha1_test.json": return try hmac(.sha1, bytes("key"), bytes("msg"), bytes("tag"), size("tagSize"))
    case "hmac_sha256_test.json": return try hmac(.sha256, bytes("key"), bytes("msg"), bytes("tag"), size("tagSize"))
    case "hmac_sha512_test.json": return try hmac(.sha512, bytes("key"), bytes("msg"), bytes("tag"), size("tagSize"))
    case "pbkdf2_hmacsha256_test.json":
      return try pbkdf2(
        passphrase: bytes("password"), salt: bytes("salt"), rounds: vector["iterationCount"]?.int64,
        byteCount: Int(try #require(vector["dkLen"]?.int64)), output: bytes("dk"))
    case "x25519_test.json": return .skipped("no X25519 here yet")
    case "ed25519_test.json": return .skipped("no Ed25519 here yet")
    default:
      let key = try #require(group["publicKey"]?["uncompressed"]?.hexBytes)
      return try ecdsa(key: key, bytes("msg"), signature: bytes("sig"))
    }
  }

  static func hmac(
    _ function: HashFunction, _ key: [UInt8], _ message: [UInt8], _ tag: [UInt8], _ tagSize: Int
  ) -> Outcome {
    let code = HMAC.code(function, key: key.span.bytes, message: message.span.bytes)
    return .matches(Array(code.prefix(tagSize / 8)) == tag)
  }

  static func ecdsa(key: [UInt8], _ message: [UInt8], signature: [UInt8]) throws -> Outcome {
    .matches(try ES256PublicKey(uncompressed: key).isValid(signature, of: message.span.bytes))
  }

  static func hkdf(key: [UInt8], salt: [UInt8], info: [UInt8], byteCount: Int, output: [UInt8]) -> Outcome {
    let input = SecretBytes(copying: key.span.bytes)
    do throws(CryptoError) {
      let key = try HKDF.deriveKey(from: input, salt: salt, info: info, byteCount: byteCount)
      return .matches(key.equals(output))
    } catch {
      #expect(error == .badLength("derived key"))
      return .matches(false)
    }
  }

  static func pbkdf2(
    passphrase: [UInt8], salt: [UInt8], rounds: Int64?, byteCount: Int, output: [UInt8]
  ) throws -> Outcome {
    let passphrase = SecretBytes(copying: passphrase.span.bytes)
    let key = try PBKDF2.deriveKey(
      passphrase: passphrase, salt: salt, rounds: PBKDF2.checkedRounds(rounds), byteCount: byteCount)
    return .matches(key.equals(output))
  }

  static func gcm(
    key: [UInt8], nonce: [UInt8], aad: [UInt8], message: [UInt8], sealed: [UInt8], tag: [UInt8]
  ) throws -> Outcome {
    let cipher = try AES256GCM(key: SecretBytes(copying: key.span.bytes))
    guard nonce.count == 12 else {
      #expect(throws: CryptoError.badLength("nonce")) {
        try cipher.open(sealed.span.bytes, nonce: nonce, tag: tag, aad: aad.span.bytes)
      }
      #expect(throws: CryptoError.badLength("nonce")) {
        try cipher.sealCombined(message.span.bytes, nonce: nonce, aad: aad.span.bytes)
      }
      return .skipped("a nonce of other than 12 bytes (its refusal is tested)")
    }
    do throws(CryptoError) {
      let opened = try cipher.open(sealed.span.bytes, nonce: nonce, tag: tag, aad: aad.span.bytes)
      let combined = try cipher.sealCombined(message.span.bytes, nonce: nonce, aad: aad.span.bytes)
      let again = try cipher.openCombined(combined.span.bytes, aad: aad.span.bytes)
      // The same in pieces of seven bytes.
      var sealing = try AES256GCMSealing(key: SecretBytes(copying: key.span.bytes), nonce: nonce, aad: aad.span.bytes)
      var pieces = nonce
      for start in stride(from: 0, to: message.count, by: 7) {
        var piece = Array(message[start..<min(start + 7, message.count)])
        let result = piece.withUnsafeMutableBytes { piece in
          Result { () throws(CryptoError) in try sealing.update(inPlace: piece) }
        }
        try result.get()
        pieces += piece
      }
      pieces += try sealing.finish()
      let isSame = opened == SecretValue(message) && again == opened && combined == nonce + sealed + tag
      return .matches(isSame && pieces == combined)
    } catch {
      #expect(error == .authenticationFailed)
      return .matches(false)
    }
  }
}

func expectEqual(
  _ key: borrowing SecretBytes, _ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation
) {
  let isEqual = key.equals(bytes)
  #expect(isEqual, sourceLocation: sourceLocation)
}

extension SecretBytes {
  borrowing func equals(_ bytes: [UInt8]) -> Bool {
    withBytes { constantTimeEqual($0, bytes.span.bytes) }
  }
}
