import SeifBytes
import SeifCrypto
import SeifFormats
import SeifOTP
import SeifRecords
import SeifTestSupport
import Testing

@Suite struct TwoFacVectorTests {
  static let vectors = try? TestData.vectors("twofac.json").root
  static func list(_ name: String) -> [JSONValue] { vectors?[name]?.elements.map { $0 } ?? [] }

  @Test func everyVectorIsThere() {
    let counts = ["kdf", "sealed", "files", "refuse_files", "refuse_entries", "uris", "write", "filenames"]
      .map { Self.list($0).count }
    #expect(counts == [6, 10, 18, 50, 22, 46, 13, 9])
  }

  private static func file(_ vector: JSONValue) throws -> SecretValue {
    if let text = vector["text"]?.secret { return text }
    return try #require(vector["base64"]?.withString { try? Base64.decode($0) } ?? nil)
  }

  private func open(_ vector: JSONValue) throws -> OpenedBackup {
    let file = try FormatRegistry.read(FormatInput(try Self.file(vector)))
    #expect(file.header.format == .twofac)
    let passkeys = vector["passkey"]?.secret.map { [$0] } ?? []
    return try file.open(passphrases: passkeys)
  }

  @Test(arguments: list("files").indices)
  func filesOpenToTheirEntries(index: Int) throws {
    let vector = Self.list("files")[index]
    let name = vector["name"]?.string ?? ""
    let backup = try open(vector)
    let expect = try #require(vector["expect"])
    #expect(Int64(backup.header.version) == expect["schemaVersion"]?.int64)
    #expect(backup.header.claimedTime?.seconds == expect["createdAt"]?.int64)
    #expect(backup.header.isSealed == expect["encrypted"]?.bool)
    var accounts = backup.records.accounts[...]
    for (position, entry) in try #require(expect["entries"]).elements.enumerated() {
      if let refused = entry["refused"]?.string {
        let problem = backup.problems.first { $0.index == position }
        #expect(problem?.reason.hasPrefix(refused) == true, "\(name)")
        continue
      }
      let next = accounts.popFirst()
      let account = try #require(next, "\(name)")
      Self.compare(account, with: try #require(entry["otp"]), name)
      let color = account.info.opaque.first { $0.key == "color" }?.value
      #expect(color == entry["color"]?.string.map { SecretValue(utf8: "\"\($0)\"") }, "\(name)")
      let isWarned = backup.notices.contains(
        "accounts[\(position)]: the label in clear isn't that of the sealed account")
      #expect(isWarned == (entry["note"]?.string == "accountLabel is not what was sealed"), "\(name)")
    }
    #expect(accounts.isEmpty, "\(name)")
    let notes = expect["notes"]?.elements.compactMap(\.string) ?? []
    #expect(
      notes.contains("no schemaVersion: taken as 1") == backup.notices.contains("no schemaVersion: taken as 1"))
    #expect(
      notes.contains { $0.hasSuffix("unknown colour left out") }
        == backup.notices.contains { $0.hasSuffix("unknown colour left out") })
  }

  static func compare(_ account: Account, with otp: JSONValue, _ name: String) {
    var expected = otp["account"]?.string ?? ""
    // What releases before 1.4 repeated is taken off.
    let prefix = (otp["issuer"]?.string ?? "") + ":"
    while expected.hasPrefix(prefix) { expected.removeFirst(prefix.count) }
    #expect(utf8Equal(account.issuer, otp["issuer"]?.string ?? ""), "\(name)")
    #expect(utf8Equal(account.account, expected), "\(name)")
    #expect(Base32.encode(account.otp.secret) == otp["secret"]?.secret, "\(name)")
    #expect(account.otp.algorithm.name == otp["algorithm"]?.string ?? "SHA1", "\(name)")
    #expect(Int64(account.otp.digits) == otp["digits"]?.int64 ?? 6, "\(name)")
    #expect(account.otp.counter == otp["counter"]?.int64, "\(name)")
    if account.otp.counter == nil { #expect(account.otp.period.map(Int64.init) == otp["period"]?.int64, "\(name)") }
  }

  @Test(arguments: list("files").indices.filter { list("files")[$0]["byte_exact_for_a_writer"]?.bool == true })
  func writtenAgainTheFileIsTheSame(index: Int) throws {
    let vector = Self.list("files")[index]
    let name = vector["name"]?.string ?? ""
    // Not written: version 0; accounts that grew (they are mended); two passkeys in one file.
    guard
      !["v0-no-version", "v2-label-grown-before-1.4", "v2-label-escaped-before-1.4", "v2-two-passkeys"].contains(name)
    else { return }
    let backup = try open(vector)
    let bytes = try Self.file(vector)
    let root = try JSONDocument(parsing: bytes, policy: .strict).root
    var tape: [UInt8] = []
    for entry in root["encryptedAccounts"]?.elements.map({ $0 }) ?? [] {
      tape += try #require(entry["salt"]?.hexBytes) + (try #require(entry["encryptedURI"]?.hexBytes)).prefix(12)
    }
    let writer = TwoFacWriter(version: backup.header.version, isSealed: backup.header.isSealed)
    let seconds = try #require(vector["expect"]?["createdAt"]?.int64)
    let options = WritingOptions(exportedAt: Timestamp(seconds: seconds), random: RandomTape(tape).source)
    let written = try writer.write(
      backup.records, options: options, passphrase: vector["passkey"]?.secret.map { SecretBytes(copying: $0) })
    #expect(written.exposedText() == bytes.exposedText(), "\(name)")
    #expect(writer.losses(of: backup.records).isEmpty, "\(name)")
  }

  @Test func twoPasskeysOpenTheWholeFile() throws {
    let vector = try #require(Self.list("files").first { $0["name"]?.string == "v2-two-passkeys" })
    let file = try FormatRegistry.read(FormatInput(try Self.file(vector)))
    let first = try #require(vector["passkey"]?.secret)
    let left = try file.open(passphrases: [first])
    #expect(left.records.accounts.count == 1)
    #expect(left.problems.map(\.reason) == [TwoFacFormat.lockedReason])
    let second = SecretValue(utf8: "another passkey entirely")
    #expect(try file.open(passphrases: [first, second]).problems.isEmpty)
    #expect(throws: FormatError.cannotOpen) { try file.open(passphrases: [SecretValue(utf8: "neither")]) }
    #expect(throws: FormatError.passphraseRequired) { try file.open(passphrases: [SecretValue(utf8: " \t")]) }
  }

  @Test(arguments: list("refuse_files").indices)
  func filesAreRefusedForTheirReason(index: Int) throws {
    let vector = Self.list("refuse_files")[index]
    let name = vector["name"]?.string ?? ""
    let refuse = vector["refuse"]?.string ?? ""
    do throws(FormatError) {
      let file = try FormatRegistry.read(FormatInput((try? Self.file(vector)) ?? .empty))
      // One of them is a URI alone: no JSON, but a list.
      #expect(file.header.format == .uriList && refuse == "not-json", "\(name) is read")
    } catch {
      let place = vector["where"]?.string ?? ""
      #expect(Self.codes(of: error).contains(refuse), "\(name): \(error)")
      if case .badHeader(let field, let fault) = error, fault == .missing || fault == .wrongType {
        #expect(place == field, "\(name)")
      }
    }
  }

  private static func codes(of error: FormatError) -> [String] {
    switch error {
    case .unreadable(let fault):
      switch fault.code {
      case .notUTF8: ["not-utf8"]
      case .duplicateKey: ["duplicate-key"]
      case .tooDeep: ["too-deep"]
      case .loneSurrogate: ["wrong-type"]
      default: ["not-json"]
      }
    case .unknownFormat(let guess):
      switch guess {
      case .json: ["not-a-backup"]
      case .utf16Text: ["not-utf8"]
      default: ["not-json"]
      }
    case .otherFormat: ["not-a-backup"]
    case .unsupportedVersion(let version): [version.map { $0 < 1 } == true ? "bad-version" : "newer-version"]
    case .badHeader(_, .missing): ["missing-field"]
    case .badHeader(_, .wrongType): ["wrong-type"]
    case .badHeader(_, .contradiction): ["mixed"]
    case .badHeader(_, .empty): ["encrypted-empty"]
    case .costRefused: ["too-large", "too-many-entries"]
    default: []
    }
  }

  @Test(arguments: list("refuse_entries").indices)
  func aBadEntryCostsNoOther(index: Int) throws {
    let vector = Self.list("refuse_entries")[index]
    let good = try #require(Self.list("sealed").first)
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("schemaVersion")
    writer.integer(2)
    writer.key("createdAt")
    writer.integer(1)
    writer.key("encrypted")
    writer.bool(true)
    writer.key("encryptedAccounts")
    writer.beginArray()
    for entry in [vector, good] {
      writer.beginObject()
      for key in ["accountLabel", "salt", "encryptedURI"] {
        writer.key(key)
        writer.string(entry[key]?.string ?? "")
      }
      writer.endObject()
    }
    writer.endArray()
    writer.key("accounts")
    writer.raw(SecretValue(utf8: "[]"))
    writer.endObject()
    let file = try FormatRegistry.read(FormatInput(writer.finish()))
    let own = try #require(vector["passkey"]?.secret)
    let backup = try file.open(passphrases: [own, try #require(good["passkey"]?.secret)])
    let name = vector["name"]?.string ?? ""
    #expect(backup.records.accounts.count == (name == "wrong-passkey" ? 2 : backup.records.accounts.count), "\(name)")
    // Under its own passkey alone it is refused for its reason, or nothing opens at all.
    do throws(FormatError) {
      let reason = try file.open(passphrases: [own]).problems.first { $0.index == 0 }?.reason ?? ""
      #expect(reason.hasPrefix(vector["refuse"]?.string ?? "?"), "\(name): \(reason)")
    } catch {
      #expect(error == .cannotOpen && vector["refuse"]?.string == TwoFacFormat.lockedReason, "\(name)")
    }
    #expect(backup.records.accounts.contains { utf8Equal($0.issuer, "Example") }, "\(name)")
  }

  @Test(arguments: list("sealed").indices)
  func sealedEntriesAreByteExact(index: Int) throws {
    let vector = Self.list("sealed")[index]
    let salt = try #require(vector["salt"]?.hexBytes)
    let nonce = try #require(vector["nonce"]?.hexBytes)
    let key = try PBKDF2.deriveKey(
      passphrase: SecretBytes(copying: try #require(vector["passkey"]?.secret)), salt: salt, rounds: 200)
    #expect(key.withBytes { SecretValue(copying: $0).exposedBytes() } == vector["key"]?.hexBytes)
    let uri = try #require(vector["uri"]?.secret)
    let sealed = try AES256GCM(key: key).sealCombined(
      uri.exposedBytes().span.bytes, nonce: nonce, aad: [UInt8]().span.bytes)
    #expect(Base16.encode(sealed) == vector["encryptedURI"]?.string)
  }

  @Test(arguments: list("kdf").indices)
  func keysAreTheirs(index: Int) throws {
    let vector = Self.list("kdf")[index]
    let key = try PBKDF2.deriveKey(
      passphrase: SecretBytes(copying: SecretValue(try #require(vector["passkey_utf8"]?.hexBytes))),
      salt: try #require(vector["salt"]?.hexBytes), rounds: 200)
    #expect(key.withBytes { SecretValue(copying: $0).exposedBytes() } == vector["key"]?.hexBytes)
  }

  @Test func namesOfFilesClaimTheirTime() {
    for vector in Self.list("filenames") {
      #expect(TwoFacFormat.claimedSeconds(ofName: vector["name"]?.string ?? "") == vector["createdAt"]?.int64)
    }
    #expect(TwoFacFormat.fileName(createdAt: 1_773_457_862, sequence: 17) == "twofac-backup-1773457862-17.json")
  }
}
