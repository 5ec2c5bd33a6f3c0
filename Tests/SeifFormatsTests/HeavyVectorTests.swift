import FoundationEssentials
import Glibc
import SeifBytes
import SeifCrypto
import SeifFormats
import SeifTestSupport
import Testing

/// Large hostile files, each in a process of its own whose memory the kernel measures. Two suites, so that two run at a
/// time and no more.
@Suite(.serialized) struct HeavyVectorTests {
  static let vectors = HeavyFile.vectors("authbackup-hostile.json")

  @Test func everyHeavyVectorIsThere() {
    #expect(Self.vectors.count == 6)
  }

  @Test(arguments: vectors.indices)
  func heavyVectorsGiveTheirClassInBoundedMemory(index: Int) async throws {
    try await HeavyFile.check(Self.vectors[index])
  }
}

@Suite(.serialized) struct HeavyVaultAndHeaderTests {
  static let vectors = HeavyFile.vectors("vault2fa-hostile.json")

  @Test func everyHeavyVectorIsThere() {
    #expect(Self.vectors.count == 2)
  }

  @Test(arguments: vectors.indices)
  func heavyVectorsGiveTheirClassInBoundedMemory(index: Int) async throws {
    try await HeavyFile.check(Self.vectors[index])
  }

  @Test(arguments: ["keys", "values", "depth", "strings", "escapes"])
  func readingAHeaderTakesBoundedMemory(kind: String) async throws {
    var buffer = SecretBuffer(capacity: 64 << 20)
    buffer.append(utf8: "{\"format\":\"authbackup\",\"version\":2,")
    switch kind {
    case "keys": for number in 0..<1_000_000 { buffer.append(utf8: "\"\(String(number, radix: 36))\":0,") }
    case "values":
      buffer.append(utf8: "\"x\":[0")
      for _ in 0..<2_000_000 { buffer.append(utf8: ",0") }
      buffer.append(utf8: "],")
    case "depth": for _ in 0..<500_000 { buffer.append(utf8: "\"x\":[") }
    case "strings": for _ in 0..<1 { buffer.append(utf8: "\"x\":\"" + String(repeating: "y", count: 60 << 20) + "\",") }
    default: buffer.append(utf8: "\"x\":\"" + String(repeating: "\\u0061", count: 8 << 20) + "\",")
    }
    buffer.append(utf8: "\"z\":0}")
    let file = buffer.finish()
    let report = try await HeavyFile.run(file, passphrase: "00")
    #expect(["unreadable", "bad-header"].contains(report.outcome), "\(kind): \(report.outcome)")
    #expect(report.headerKiB <= (64 << 10) + 4 * file.byteCount >> 10, "\(kind): \(report.headerKiB) KiB")
  }
}

enum HeavyFile {
  static func vectors(_ name: String) -> [JSONValue] {
    (try? TestData.vectors(name).root["vectors"]?.elements.filter { $0["heavy"]?.bool == true }) ?? []
  }

  static func check(_ vector: JSONValue) async throws {
    let name = vector["name"]?.string ?? ""
    let file = try #require(Self.file(vector), "\(name)")
    #expect(Base16.encode(file.withBytes { Digest.sha256($0) }) == vector["fileSHA256"]?.string, "\(name)")
    let passphrase = vector["passphraseHex"]?.string ?? ""
    let acceptable = vector["expect"]?["acceptable"]?.elements.compactMap(\.string) ?? []
    let report = try await Self.run(file, passphrase: passphrase)
    #expect(acceptable.contains(report.outcome), "\(name): \(report.outcome)")
    #expect(report.headerKiB >= file.byteCount >> 10, "\(name): nothing was measured")
    #expect(report.headerKiB <= (64 << 10) + 4 * file.byteCount >> 10, "\(name): \(report.headerKiB) KiB")
    if report.outcome == "open-with-problems" { #expect(report.problems == 1_000_000, "\(name)") }
  }

  // MARK: - In a process of its own

  struct Report: Codable {
    var outcome = ""
    var headerKiB = 0
    var problems = 0
  }

  static func run(_ file: SecretValue, passphrase: String) async throws -> Report {
    let folder = FileManager.default.temporaryDirectory.appending(path: "seif-heavy-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data(file.exposedBytes()).write(to: folder.appending(path: "file"))
    let path = folder.path
    await #expect(processExitsWith: .success) { [path = path as String, passphrase = passphrase as String] in
      try HeavyFile.measure(path, passphrase)
    }
    return try JSONDecoder().decode(Report.self, from: Data(contentsOf: folder.appending(path: "report")))
  }

  static func measure(_ folder: String, _ passphrase: String) throws {
    let before = status("VmRSS")
    let descriptor = open(folder + "/file", O_RDONLY)
    let size = Int(lseek(descriptor, 0, SEEK_END))
    lseek(descriptor, 0, SEEK_SET)
    let file = unsafe SecretValue(byteCount: size) { buffer in
      var done = 0
      while done < size {
        let count = unsafe read(descriptor, buffer.baseAddress.map { unsafe $0 + done }, size - done)
        guard count > 0 else { break }
        done += count
      }
    }
    var report = Report()
    do throws(FormatError) {
      let read = try FormatRegistry.read(FormatInput(file))
      report.headerKiB = status("VmHWM") - before
      let backup = try read.open(passphrases: [SecretValue((try? Base16.decode(passphrase)) ?? [])])
      report.outcome = backup.problems.isEmpty ? "open" : "open-with-problems"
      report.problems = backup.problems.count
    } catch {
      report.outcome = Outcome.name(of: error)
      if report.headerKiB == 0 { report.headerKiB = status("VmHWM") - before }
    }
    try JSONEncoder().encode(report).write(to: URL(filePath: folder + "/report"))
  }

  /// A line of the kernel's account of this process, in KiB.
  private static func status(_ key: String) -> Int {
    let text = (try? Data(contentsOf: URL(filePath: "/proc/self/status"))).map { String(decoding: $0, as: UTF8.self) }
    let line = text?.split(separator: "\n").first { $0.hasPrefix(key + ":") }
    return line.flatMap { Int($0.dropFirst(key.count + 1).filter(\.isNumber)) } ?? 0
  }

  // MARK: - Files

  private static func file(_ vector: JSONValue) -> SecretValue? {
    guard let recipe = vector["fileRecipe"] else { return FormatVector(vector)?.file }
    guard let base = vector["base"]?.string, let plaintext = FormatVector.joined(recipe["plaintextParts"]),
      let salt = recipe["salt"]?.hexBytes, let nonce = recipe["nonce"]?.hexBytes, let key = recipe["key"]?.hexBytes,
      let aad = recipe["aad"]?.hexBytes, let kdf = recipe["kdf"],
      let cipher = try? AES256GCM(key: SecretBytes(copying: SecretValue(key))),
      let sealed = try? plaintext.withBytes({ try cipher.sealCombined($0, nonce: nonce, aad: aad.span.bytes) })
    else { return nil }
    let body = sealed[12..<sealed.count - 16]
    let tag = sealed.suffix(16)
    func base64(_ bytes: some Sequence<UInt8>) -> String { Base64.encode([UInt8](bytes)) }
    func number(_ key: String) -> String { String(kdf[key]?.int64 ?? 0) }
    let rounds = number("rounds")
    let ends = "\"cipher\":\"AES-256-GCM\",\"nonce\":\"\(base64(nonce))\","
    let text =
      switch base {
      case "authbackup-v1":
        "{\"format\":\"authbackup\",\"version\":1,\"kdf\":\"PBKDF2-HMAC-SHA256\",\"rounds\":\(rounds),"
          + "\"salt\":\"\(base64(salt))\",\(ends)\"ciphertext\":\"\(base64(body))\",\"tag\":\"\(base64(tag))\"}"
      case "authbackup-v1-android":
        "{\"format\":\"authbackup\",\"version\":1,\"kdf\":\"pbkdf2-hmac-sha256\",\"rounds\":\(rounds),"
          + "\"salt\":\"\(base64(salt))\",\(ends)\"ciphertext\":\"\(base64(body + tag))\"}"
      case "authbackup-v2":
        "{\"format\":\"authbackup\",\"version\":2,\"kdf\":\"Argon2id\",\"memoryKiB\":\(number("memoryKiB")),"
          + "\"passes\":\(number("passes")),\"lanes\":\(number("lanes")),\"salt\":\"\(base64(salt))\",\(ends)"
          + "\"ciphertext\":\"\(base64(body))\",\"tag\":\"\(base64(tag))\"}"
      default:
        "{\"format\":\"vault2fa-backup\",\"version\":1,\"created\":\"2026-09-17T08:15:30Z\","
          + "\"kdf\":{\"name\":\"pbkdf2-hmac-sha256\",\"iterations\":\(rounds),\"salt\":\"\(base64(salt))\"},"
          + "\"cipher\":{\"name\":\"aes-256-gcm\",\"nonce\":\"\(base64(nonce))\"},"
          + "\"ciphertext\":\"\(base64(body + tag))\"}"
      }
    return SecretValue(utf8: text)
  }
}
