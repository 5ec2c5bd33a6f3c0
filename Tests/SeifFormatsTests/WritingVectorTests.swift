import SeifBytes
import SeifCrypto
import SeifRecords
import SeifTestSupport
import Testing

@testable import SeifFormats

@Suite struct WritingVectorTests {
  static let files = ["authbackup-v1.json", "authbackup-v2.json", "authbackup-v2-whole.json", "vault2fa-v1.json"]
  static let all: [(file: String, vector: FormatVector)] =
    (try? files.flatMap { file in try FormatVector.load(file).map { (file, $0) } }) ?? []

  /// Options that draw the vector's salt and nonce, at the vector's cost.
  private func options(_ vector: FormatVector, _ backup: OpenedBackup) throws -> WritingOptions {
    let salt = try #require(vector.json["salt"]?.hexBytes)
    let nonce = try #require(vector.json["nonce"]?.hexBytes)
    var options = WritingOptions(
      exportedAt: backup.exportedAt ?? Timestamp(seconds: 0), random: RandomTape(salt + nonce).source,
      link: backup.link)
    switch backup.header.keyDerivation {
    case .argon2id(let cost): options.testCost = cost
    case .pbkdf2(let rounds): options.testRounds = rounds
    case .none: break
    }
    return options
  }

  private func open(_ index: Int) async throws -> OpenedBackup {
    let (file, vector) = Self.all[index]
    return try #require(await OpenedVectors.outcome(vector, of: file).backup, "\(file) \(vector.name)")
  }

  @Test(arguments: all.indices.filter { all[$0].file != "vault2fa-v1.json" })
  func theSameValuesGiveTheSameBody(index: Int) async throws {
    let (file, vector) = Self.all[index]
    let backup = try await open(index)
    let root = try JSONDocument(parsing: backup.body, policy: .strict).root
    let written = AuthBackupBody.write(
      backup.records, version: Int(root["version"]?.int64 ?? 0), exportedAt: backup.exportedAt ?? Timestamp(seconds: 0),
      link: backup.link)
    // Whole: the vector says so. Else by rule: canonical, and with every key that is always written.
    let isExact =
      vector.json["writerExact"]?.bool ?? (vector.json["plaintextCanonical"]?.bool == true && Self.isComplete(root))
    let isSame = written.exposedBytes() == backup.body.exposedBytes()
    #expect(
      isSame == isExact,
      "\(file) \(vector.name): \(isSame) \(written.exposedText() ?? "") ≠ \(backup.body.exposedText() ?? "")")
  }

  static func isComplete(_ root: JSONValue) -> Bool {
    let always = [
      "accounts": ["account", "algorithm", "digits", "isFavorite", "issuer", "notes", "secret", "sortIndex", "type"],
      "passwords": ["isFavorite", "notes", "password", "sortIndex", "title", "urls", "username"],
      "cards": ["holder", "isFavorite", "name", "notes", "number", "sortIndex"],
    ]
    let isV2 = root["version"]?.int64 == 2
    // A fraction of a second isn't written.
    guard root["exportedAt"]?.string?.utf8.count == "2026-09-17T08:15:30Z".utf8.count, root["accounts"] != nil,
      root["passwords"] != nil, !isV2 || root["cards"] != nil
    else { return false }
    return always.allSatisfy { list, keys in
      root[list]?.elements.allSatisfy { entry in keys.allSatisfy { entry[$0] != nil } } ?? true
    }
  }

  @Test(arguments: all.indices.filter { all[$0].file != "vault2fa-v1.json" })
  func sealedWithTheVectorsSaltAndNonceItIsTheSame(index: Int) async throws {
    let (file, vector) = Self.all[index]
    let backup = try await open(index)
    let writer = backup.header.version == 1 ? AuthBackupWriter.version1 : AuthBackupWriter()
    let written = try writer.seal(
      backup.body, options: try options(vector, backup), passphrase: SecretBytes(copying: vector.passphrase))
    let root = try JSONDocument(parsing: written, policy: .strict).root
    func bytes(_ key: String) -> [UInt8]? {
      root[key]?.withString { try? Base64.decode($0) }??.exposedBytes()
    }
    #expect(bytes("ciphertext") == vector.json["ciphertext"]?.hexBytes, "\(file) \(vector.name)")
    #expect(bytes("tag") == vector.json["tag"]?.hexBytes, "\(file) \(vector.name)")
    let original = try JSONDocument(parsing: vector.file, policy: .strict).root
    let name = backup.header.version == 1 ? "PBKDF2-HMAC-SHA256" : "Argon2id"
    let keys = Set(root.members.map(\.key.text))
    if original["kdf"]?.string == name, Set(original.members.map(\.key.text)) == keys {
      #expect(root.canonical.exposedText() == original.canonical.exposedText(), "\(file) \(vector.name)")
    }
  }

  @Test(arguments: all.indices.filter { all[$0].file == "vault2fa-v1.json" })
  func vault2FASealedAgainIsTheSame(index: Int) async throws {
    let vector = Self.all[index].vector
    let backup = try await open(index)
    let written = try Vault2FAWriter().seal(
      backup.body, options: try options(vector, backup), passphrase: SecretBytes(copying: vector.passphrase))
    let root = try JSONDocument(parsing: written, policy: .strict).root
    let both = root["ciphertext"]?.withString { try? Base64.decode($0) }??.exposedBytes()
    let expected = try #require(vector.json["ciphertext"]?.hexBytes) + (try #require(vector.json["tag"]?.hexBytes))
    #expect(both == expected, "\(vector.name)")
    let original = try JSONDocument(parsing: vector.file, policy: .strict).root
    // A header's unknown keys aren't kept: they belong to that file, not to its contents.
    for part in ["kdf", "cipher", "format", "version"] where !vector.name.hasPrefix("unknown-keys") {
      #expect(root[part]?.canonical.exposedText() == original[part]?.canonical.exposedText(), "\(vector.name) \(part)")
    }
  }

  @Test(arguments: all.indices.filter { all[$0].file == "vault2fa-v1.json" })
  func vault2FAEntriesComeBack(index: Int) async throws {
    let vector = Self.all[index].vector
    let backup = try await open(index)
    var options = try options(vector, backup)
    options.random = .system
    // Sealing at the vector's own cost is the test before this one.
    options.testRounds = 1
    let written = try Vault2FAWriter().write(
      backup.records, options: options, passphrase: SecretBytes(copying: vector.passphrase))
    let again = try FormatRegistry.read(FormatInput(written)).open(passphrases: [vector.passphrase])
    var expected = backup.records
    for index in expected.accounts.indices where expected.accounts[index].info.sortIndex == nil {
      expected.accounts[index].info.sortIndex = Int64(index)
    }
    #expect(again.records == expected, "\(vector.name)")
    #expect(Vault2FAWriter().losses(of: backup.records).isEmpty)
  }

  @Test func writtenHeadersHaveExactlyTheFormatsKeysAndNumbers() throws {
    let options = WritingOptions(exportedAt: Timestamp(seconds: 1_789_000_000))
    let passphrase = SecretValue(utf8: "correct horse battery staple")
    for (writer, keys) in [
      (
        AuthBackupWriter(),
        ["format", "version", "kdf", "memoryKiB", "passes", "lanes", "salt", "cipher", "nonce", "ciphertext", "tag"]
      ),
      (
        AuthBackupWriter.version1,
        ["format", "version", "kdf", "rounds", "salt", "cipher", "nonce", "ciphertext", "tag"]
      ),
    ] {
      let file = try writer.write(Records(), options: options, passphrase: SecretBytes(copying: passphrase))
      let root = try JSONDocument(parsing: file, policy: .strict).root
      #expect(root.members.map(\.key.text) == keys)
      if writer.version == 2 {
        #expect([root["memoryKiB"]?.int64, root["passes"]?.int64, root["lanes"]?.int64] == [65536, 3, 1])
      } else {
        #expect(root["rounds"]?.int64 == 600_000)
      }
      let findings = StrictVerification.verify(FormatInput(file), passphrase: SecretBytes(copying: passphrase))
      #expect(findings.filter { $0.outcome != .ok } == [])
    }
  }

  @Test func noSaltNonceOrKeyIsUsedTwice() throws {
    var options = WritingOptions(exportedAt: Timestamp(seconds: 1_789_000_000))
    options.testCost = Argon2idCost(uncheckedMemoryKiB: 8, passes: 1, lanes: 1)
    let passphrase = SecretValue(utf8: "correct horse battery staple")
    var salts = Set<SecretValue>()
    var nonces = Set<SecretValue>()
    var keys = Set<SecretValue>()
    for _ in 0..<1000 {
      let file = try AuthBackupWriter().write(Records(), options: options, passphrase: SecretBytes(copying: passphrase))
      let root = try JSONDocument(parsing: file, policy: .strict).root
      let salt = try #require(root["salt"]?.withString { try? Base64.decode($0) } ?? nil)
      salts.insert(salt)
      nonces.insert(try #require(root["nonce"]?.secret))
      let key = try Argon2id.deriveKey(
        passphrase: SecretBytes(copying: passphrase), salt: salt.exposedBytes(),
        cost: Argon2idCost(uncheckedMemoryKiB: 8, passes: 1, lanes: 1))
      keys.insert(key.withBytes { SecretValue(copying: $0) })
    }
    #expect([salts.count, nonces.count, keys.count] == [1000, 1000, 1000])
  }

  @Test func everyFlippedByteIsRefused() throws {
    var options = WritingOptions(exportedAt: Timestamp(seconds: 1_789_000_000))
    options.testCost = Argon2idCost(uncheckedMemoryKiB: 8, passes: 1, lanes: 1)
    let passphrase = SecretValue(utf8: "correct horse battery staple")
    var records = Records()
    records.notes = [Note(text: SecretValue(utf8: "a note"))]
    let file = try AuthBackupWriter().write(records, options: options, passphrase: SecretBytes(copying: passphrase))
    let bytes = file.exposedBytes()
    let name = Array("Argon2id".utf8)
    let start = try #require(bytes.indices.first { bytes[$0...].starts(with: name) })
    let letters = start..<start + name.count
    var accepted: [Int] = []
    for offset in bytes.indices {
      for bit in 0..<8 {
        var changed = bytes
        changed[offset] ^= 1 << UInt8(bit)
        let isWhite =
          [0x20, 0x09, 0x0A, 0x0D].contains(bytes[offset]) && [0x20, 0x09, 0x0A, 0x0D].contains(changed[offset])
        let isCase = bit == 5 && letters.contains(offset)
        let opened = try? FormatRegistry.read(FormatInput(SecretValue(changed))).open(passphrases: [passphrase])
        // White space between tokens and the letter case of `kdf` mean nothing.
        if opened != nil, !isWhite, !isCase { accepted.append(offset) }
        // `2` in the other case isn't a letter, so it is another name.
        if isCase { #expect((opened != nil) == (bytes[offset] >= 0x41)) }
      }
    }
    #expect(accepted == [])
  }
}
