import SeifBytes
import SeifCrypto
import SeifFormats
import SeifRecords
import SeifTestSupport
import Testing

/// A vector of a sealed file: what goes in and what must come out.
struct FormatVector: Sendable, CustomTestStringConvertible {
  let json: JSONValue
  let file: SecretValue
  let passphrase: SecretValue

  var name: String { json["name"]?.string ?? "" }
  var testDescription: String { name }
  var expect: JSONValue? { json["expect"] }
  /// `acceptable` where a hostile vector lists several, else the one class.
  var acceptable: [String] {
    let listed = expect?["acceptable"].map { $0.elements.compactMap(\.string) } ?? []
    return listed.isEmpty ? [expect?["class"]?.string ?? ""] : listed
  }

  init?(_ json: JSONValue) {
    guard let passphrase = json["passphraseHex"]?.hexBytes, let file = Self.file(json) else { return nil }
    self.json = json
    self.passphrase = SecretValue(passphrase)
    self.file = file
  }

  private static func file(_ json: JSONValue) -> SecretValue? {
    if let text = json["file"]?.secret { return text }
    if let base64 = json["fileBase64"] { return base64.withString { try? Base64.decode($0) } ?? nil }
    return joined(json["fileParts"])
  }

  /// Texts, each repeated, joined.
  static func joined(_ parts: JSONValue?) -> SecretValue? {
    guard let parts else { return nil }
    var buffer = SecretBuffer()
    for part in parts.elements {
      guard let text = part["text"]?.secret else { return nil }
      let count = part["count"]?.int64 ?? 1
      // In blocks, since a text of one byte may stand there 64 million times.
      var block = SecretBuffer()
      let perBlock = max(1, min(count, Int64(1 << 16) / Int64(max(1, text.byteCount))))
      for _ in 0..<perBlock { block.append(text) }
      let whole = block.finish()
      for _ in 0..<count / perBlock { buffer.append(whole) }
      for _ in 0..<count % perBlock { buffer.append(text) }
    }
    return buffer.finish()
  }

  static func load(_ name: String) throws -> [FormatVector] {
    try TestData.vectors(name).root.elements.compactMap { FormatVector($0) }
  }

  /// The hostile vectors that aren't heavy; heavy ones run in a process of their own.
  static func loadHostile(_ name: String) throws -> [FormatVector] {
    let vectors = try TestData.vectors(name).root["vectors"]
    return vectors?.elements.filter { $0["heavy"]?.bool != true }.compactMap { FormatVector($0) } ?? []
  }
}

/// What became of a file, in the words of the vectors.
struct Outcome: Sendable {
  var name: String
  var backup: OpenedBackup?

  init(_ format: any BackupFormat, file: SecretValue, passphrase: SecretValue) {
    do throws(FormatError) {
      let file = try format.readHeader(FormatInput(file), options: .standard)
      let opened = try file.open(passphrase: SecretBytes(copying: passphrase))
      backup = opened
      name = opened.problems.isEmpty ? "open" : "open-with-problems"
    } catch {
      name = Self.name(of: error)
    }
  }

  static func name(of error: FormatError) -> String {
    switch error {
    case .unreadable: "unreadable"
    case .otherFormat: "other-format"
    case .unknownFormat: "unknown-format"
    case .ambiguousFormat: "ambiguous-format"
    case .unsupportedVersion: "unsupported-version"
    case .unknownAlgorithm: "unknown-algorithm"
    case .badHeader: "bad-header"
    case .costRefused: "cost-refused"
    case .cannotOpen: "cannot-open"
    case .badBody: "bad-body"
    case .passphraseRequired: "passphrase-required"
    case .cryptography: "cryptography"
    case .nothingToWrite: "nothing-to-write"
    }
  }
}

/// Place, field and nothing else of a problem: the word of the reason is free.
struct ProblemPlace: Hashable {
  var list: String
  var index: Int64?
  var field: String?

  init(_ problem: EntryProblem) {
    (list, index, field) = (problem.list, problem.index.map(Int64.init), problem.field)
  }
  init(_ json: JSONValue) {
    (list, index, field) = (json["list"]?.string ?? "", json["index"]?.int64, json["field"]?.string)
  }
}
