import SeifBytes
import SeifDocumentFormat
import SeifTestSupport
import Testing

@Suite struct ManifestVectorTests {
  @Test(arguments: DocumentVectors.rows("manifests")) func aGoodManifestOpensWhole(_ row: DocumentVectors.Row) throws {
    let key = try row.key("masterKey")
    let manifest = try Manifest(opening: row.bytes("blob"), masterKey: key)
    let expected = try #require(row.value["expect"])
    #expect(manifest.nodes.count == Int(expected["nodes"]?.int64 ?? -1))
    #expect(ManifestTree(manifest).problems == [])
    let dates = expected["createdAtMilliseconds"]?.elements.map { $0.int64 }
    #expect(manifest.nodes.map { $0.createdAt?.milliseconds } == dates)
  }

  @Test(arguments: DocumentVectors.rows("manifests") + DocumentVectors.rows("hostileManifests"))
  func whatWasReadIsWrittenAsItWas(_ row: DocumentVectors.Row) throws {
    let text = SecretValue(try row.bytes("plaintextHex"))
    guard let manifest = try? Manifest(parsing: text) else { return }
    let (before, after) = (try parse(text), try parse(manifest.text()))
    let (old, new) = (try #require(before["nodes"]), try #require(after["nodes"]))
    for (was, now) in zip(old.elements, new.elements) {
      guard was.kind == .object else {
        #expect(was.canonical == now.canonical)
        continue
      }
      for (key, value) in was.members { #expect(now[key.text]?.canonical == value.canonical, "\(key.text)") }
      // Nothing is added but what has a default.
      for (key, _) in now.members where was[key.text] == nil { #expect(["parent", "favorite"].contains(key.text)) }
    }
    for (key, value) in before.members where !key.is("nodes") {
      #expect(after[key.text]?.canonical == value.canonical)
    }
    #expect(try Manifest(parsing: manifest.text()) == manifest)
  }

  @Test(arguments: DocumentVectors.rows("hostileManifests"))
  func aHostileManifestIsOfItsClass(_ row: DocumentVectors.Row) throws {
    let key = try row.key("masterKey")
    let expected = try #require(row.value["expect"])
    let blob = try row.bytes("blob")
    do throws(DocumentFormatError) {
      let manifest = try Manifest(opening: blob, masterKey: key)
      #expect(expected["class"]?.string == "open-with-problems")
      let problems = ManifestTree(manifest).problems.map { "\($0.index) \($0.kind.rawValue)" }
      let wanted = expected["problems"]?.elements.map { "\($0["index"]?.int64 ?? -1) \($0["problem"]?.string ?? "")" }
      #expect(problems == wanted)
    } catch {
      switch error {
      case .badManifest: #expect(expected["class"]?.string == "bad-manifest")
      case .unsupportedVersion: #expect(expected["class"]?.string == "unsupported-version")
      default: Issue.record("\(error)")
      }
    }
  }

  @Test(arguments: DocumentVectors.rows("hostileManifestBlobs"))
  func anAlteredBlobDoesNotOpen(_ row: DocumentVectors.Row) throws {
    let key = try row.key("key")
    let blob = try row.bytes("blob")
    let error = #expect(throws: DocumentFormatError.self) { _ = try Manifest(opening: blob, masterKey: key) }
    #expect(error == (blob.count < 28 ? .badLength : .cannotOpen))
  }

  @Test(arguments: DocumentVectors.rows("manifests")) func sealingGivesTheVectorsBlob(_ row: DocumentVectors.Row) throws
  {
    // Ours writes defaults and one form, so only what is in that form already comes out byte for byte.
    let manifest = try Manifest(parsing: SecretValue(try row.bytes("plaintextHex")))
    let key = try row.key("masterKey")
    let sealed = try manifest.sealed(masterKey: key, nonce: row.bytes("nonce"))
    let again = try Manifest(opening: sealed, masterKey: key)
    #expect(again == manifest)
    if manifest.text().exposedBytes() == (try row.bytes("plaintextHex")) { #expect(sealed == (try row.bytes("blob"))) }
    if ["empty", "one-file", "tree"].contains(try row.text("name")) { #expect(sealed == (try row.bytes("blob"))) }
  }

  @Test func aHundredThousandFoldersOneInAnotherAreWalked() throws {
    let count = 100_000
    var manifest = Manifest()
    let ids = (0..<count).map { Self.id($0) }
    for (index, id) in ids.enumerated() {
      manifest.nodes.append(
        .folder(id: id, parent: index == 0 ? nil : ids[index - 1], name: "f", createdAt: Timestamp(seconds: 0)))
    }
    let tree = ManifestTree(manifest)
    #expect(tree.problems == [])
    #expect(tree.roots == [0])
    #expect(tree.below(0).count == count - 1)
    #expect(tree.folders(above: count - 1).count == count - 1)
    // And bent into one circle.
    manifest.nodes[0].move(to: ids[count - 1])
    #expect(ManifestTree(manifest).problems.count == count)
  }

  @Test func aFieldThatIsSetIsNoLongerSpoilt() throws {
    let text =
      #"{"version":1,"nodes":[{"id":"916562a5-a9c5-469e-87a8-ed8dc4ed0503","kind":"folder","name":7,"#
      + #""createdAt":"yesterday","x":1}]}"#
    var manifest = try Manifest(parsing: SecretValue(utf8: text))
    #expect(manifest.nodes[0].problem == .badName)
    manifest.nodes[0].rename(to: "seven")
    #expect(manifest.nodes[0].problem == .badDate)
    let written = try parse(manifest.text())["nodes"]?.elements.first { _ in true }
    #expect(written?["name"]?.string == "seven")
    #expect(written?["createdAt"]?.string == "yesterday")
    #expect(written?["x"]?.int64 == 1)
  }

  static func id(_ number: Int) -> UUID {
    let bytes = [UInt8](repeating: 0, count: 8) + withUnsafeBytes(of: UInt64(number).bigEndian) { [UInt8]($0) }
    guard let id = UUID(bytes: bytes) else { fatalError("16 bytes make an identifier") }
    return id
  }

  private func parse(_ text: SecretValue) throws -> JSONValue { try JSONDocument(parsing: text, policy: .strict).root }
}
