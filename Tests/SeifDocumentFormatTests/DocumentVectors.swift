import SeifBytes
import SeifTestSupport
import Testing

/// The vectors of the format, made by programs that share nothing with Seif.
enum DocumentVectors {
  static let root: JSONValue? = try? TestData.vectors("tapsign-v1.json").root

  static func rows(_ list: String) -> [Row] {
    guard let root, let rows = root[list] else { return [] }
    return rows.elements.enumerated().map { Row(list: list, index: $0, value: $1) }
  }

  /// One vector, named in a failure by its list and name.
  struct Row: Sendable, CustomTestStringConvertible {
    let list: String
    let index: Int
    let value: JSONValue

    var testDescription: String { "\(list)[\(index)] \(value["name"]?.string ?? "")" }

    func text(_ key: String) throws -> String { try #require(value[key]?.string) }
    func bytes(_ key: String) throws -> [UInt8] { try #require(value[key]?.hexBytes) }
    func key(_ name: String) throws -> SecretBytes { SecretBytes(copying: SecretValue(try bytes(name))) }
  }
}

@Suite struct DocumentVectorTests {
  @Test func everyListIsThere() throws {
    let counts = [
      "recoveryCodes": 44, "recoveryKeys": 3, "passkeyKeys": 4, "wraps": 4, "hostileWraps": 23, "manifests": 20,
      "hostileManifests": 70, "hostileManifestBlobs": 6, "names": 34, "extensions": 62, "sizes": 12, "blobs": 8,
      "hostileBlobs": 12,
    ]
    for (list, count) in counts { #expect(DocumentVectors.rows(list).count == count, "\(list)") }
  }
}
