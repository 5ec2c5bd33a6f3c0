import SeifBytes
import SeifDocumentFormat
import SeifTestSupport
import Testing

@Suite struct MergeTests {
  private func id(_ number: Int) -> UUID { ManifestVectorTests.id(number) }

  private func folder(_ number: Int, _ name: String, in parent: Int? = nil) -> ManifestNode {
    .folder(id: id(number), parent: parent.map { id($0) }, name: name, createdAt: Timestamp(seconds: 1))
  }

  private func file(_ number: Int, _ name: String, in parent: Int? = nil, object: Int) -> ManifestNode {
    .file(
      id: id(number), parent: parent.map { id($0) }, name: name, createdAt: Timestamp(seconds: 1),
      content: content(object))
  }

  private func content(_ object: Int) -> DocumentContent {
    DocumentContent(
      object: id(object), key: SecretValue([UInt8](repeating: UInt8(object & 255), count: 32)), byteCount: object,
      ext: "pdf")
  }

  private func manifest(_ nodes: ManifestNode...) -> Manifest {
    var manifest = Manifest()
    manifest.nodes = nodes
    return manifest
  }

  private func merge(_ ours: Manifest, _ server: Manifest, _ base: Manifest?) -> ManifestMerge {
    var next = 9_000
    return ManifestMerge(ours: ours, server: server, base: base) {
      next += 1
      return id(next)
    }
  }

  private func changed(_ node: ManifestNode, _ change: (inout ManifestNode) -> Void) -> ManifestNode {
    var node = node
    change(&node)
    return node
  }

  @Test func aContentIsKeptThoughTheOtherSideMadeAnotherKindOfIt() {
    let base = manifest(file(1, "a.pdf", object: 100))
    let ours = manifest(changed(base.nodes[0]) { $0.setContent(content(101)) })
    let result = merge(ours, manifest(folder(1, "a.pdf")), base)
    #expect(result.manifest.nodes.map(\.kind) == [.folder, .file])
    #expect(result.manifest.nodes.last?.content?.object == id(101))
    #expect(result.manifest.nodes.last?.id != id(1))
    #expect(Set(result.report.map(\.kind)) == [.twoContents, .kind])
  }

  @Test func aRenameAndANewFolderBothStay() {
    let base = manifest(folder(1, "Home"), file(2, "a.pdf", in: 1, object: 100))
    let server = manifest(folder(1, "House"), file(2, "a.pdf", in: 1, object: 100))
    var ours = base
    ours.nodes.append(folder(3, "New"))
    let result = merge(ours, server, base)
    #expect(result.manifest == manifest(folder(1, "House"), file(2, "a.pdf", in: 1, object: 100), folder(3, "New")))
    #expect(result.report == [])
  }

  @Test func fieldsOfOneNodeMergeByThemselves() {
    let base = manifest(folder(1, "A"), folder(2, "B"), file(3, "x.pdf", object: 100))
    let ours = manifest(
      base.nodes[0], base.nodes[1], changed(base.nodes[2]) { $0.rename(to: "y.pdf") })
    let server = manifest(
      base.nodes[0], base.nodes[1],
      changed(base.nodes[2]) {
        $0.move(to: id(1))
        $0.setFavorite(true)
      })
    let node = merge(ours, server, base).manifest.nodes[2]
    #expect(node.name == "y.pdf")
    #expect(node.parent == id(1))
    #expect(node.isFavorite)
  }

  @Test func ofTwoNamesTheServersWinsAndOursIsSaid() {
    let base = manifest(folder(1, "A"))
    let result = merge(manifest(folder(1, "ours")), manifest(folder(1, "theirs")), base)
    #expect(result.manifest.nodes.map(\.name) == ["theirs"])
    #expect(result.report.map(\.kind) == [.name])
    #expect(result.report.first?.other == "ours")
  }

  @Test func ofTwoContentsBothStay() {
    let base = manifest(file(1, "a.pdf", object: 100))
    let ours = manifest(changed(base.nodes[0]) { $0.setContent(content(101)) })
    let server = manifest(changed(base.nodes[0]) { $0.setContent(content(102)) })
    let result = merge(ours, server, base)
    #expect(result.manifest.nodes.map { $0.content?.object } == [id(102), id(101)])
    #expect(result.manifest.nodes.map(\.name) == ["a.pdf", "a (2).pdf"])
    #expect(result.manifest.nodes[1].id == id(9_001))
    #expect(result.report.map(\.kind) == [.twoContents])
  }

  @Test func deletedAndUnchangedGoesDeletedAndChangedStays() {
    let base = manifest(file(1, "a.pdf", object: 100), file(2, "b.pdf", object: 101), file(3, "c.pdf", object: 102))
    let server = manifest(changed(base.nodes[1]) { $0.rename(to: "bb.pdf") }, base.nodes[2])
    let ours = manifest(base.nodes[0], base.nodes[2])
    let result = merge(ours, server, base)
    #expect(result.manifest.nodes.map(\.name) == ["bb.pdf", "c.pdf"])
    #expect(result.report.map(\.kind) == [.stays])
  }

  @Test func aDeletedFolderStaysWhereSomethingBelowItChanged() {
    let base = manifest(folder(1, "A"), folder(2, "B", in: 1), file(3, "x.pdf", in: 2, object: 100))
    var server = base
    server.nodes.append(file(4, "new.pdf", in: 2, object: 101))
    let result = merge(manifest(), server, base)
    #expect(Set(result.manifest.nodes.map(\.name)) == ["A", "B", "new.pdf"])
    #expect(ManifestTree(result.manifest).problems == [])
    // The same whoever is first.
    let other = merge(server, manifest(), base)
    #expect(Set(other.manifest.nodes) == Set(result.manifest.nodes))
  }

  @Test func aCircleThatTwoMovesMakeIsBrokenAtTheSmallestIdentifier() {
    let base = manifest(folder(1, "A"), folder(2, "B"))
    let ours = manifest(changed(base.nodes[0]) { $0.move(to: id(2)) }, base.nodes[1])
    let server = manifest(base.nodes[0], changed(base.nodes[1]) { $0.move(to: id(1)) })
    let result = merge(ours, server, base)
    #expect(ManifestTree(result.manifest).problems == [])
    #expect(result.manifest.nodes.map(\.parent) == [nil, id(1)])
    #expect(result.report.map(\.kind) == [.circle])
  }

  @Test func withoutABaseNothingCountsAsDeleted() {
    let ours = manifest(file(1, "a.pdf", object: 100), folder(2, "mine"))
    let server = manifest(file(1, "a.pdf", object: 101), folder(3, "theirs"))
    let result = merge(ours, server, nil)
    #expect(result.manifest.nodes.map(\.name) == ["a.pdf", "theirs", "mine", "a (2).pdf"])
  }

  @Test(arguments: DocumentVectors.rows("manifests") + DocumentVectors.rows("hostileManifests"))
  func aManifestMergedWithItselfStaysAsItIs(_ row: DocumentVectors.Row) throws {
    guard let manifest = try? Manifest(parsing: SecretValue(try row.bytes("plaintextHex"))) else { return }
    // A circle that a faulty client made is broken like any other.
    guard !ManifestTree(manifest).problems.contains(where: { $0.kind == .parentCycle }) else { return }
    for base in [manifest, nil] {
      let merged = merge(manifest, manifest, base)
      #expect(merged.report.isEmpty)
      #expect(Set(merged.manifest.nodes) == Set(manifest.nodes))
      #expect(merged.manifest.nodes.count == manifest.nodes.count)
    }
    // Written and read again it is the same, whatever the order of its fields was.
    let again = try Manifest(parsing: manifest.text())
    #expect(merge(manifest, again, nil).manifest.nodes.count == manifest.nodes.count)
  }

  @Test func whatBothTookAwayOfTwoAlikeGoesOnce() throws {
    func read(_ count: Int) throws -> Manifest {
      let nodes = Array(repeating: "null", count: count).joined(separator: ",")
      return try Manifest(parsing: SecretValue(utf8: #"{"version":1,"nodes":[\#(nodes)]}"#))
    }
    for (ours, server, base, left) in [(1, 1, 2, 1), (2, 2, 1, 2), (0, 1, 2, 0), (3, 1, 1, 3), (1, 3, 1, 3)] {
      let merged = merge(try read(ours), try read(server), try read(base))
      #expect(merged.manifest.nodes.count == left, "\(ours), \(server), \(base)")
    }
  }

  @Test func whatNobodyKnowsSurvives() throws {
    func read(_ nodes: String, _ top: String) throws -> Manifest {
      try Manifest(parsing: SecretValue(utf8: #"{"version":1,"nodes":[\#(nodes)]\#(top)}"#))
    }
    let node = #"{"id":"\#(id(1))","kind":"folder","name":"A","createdAt":"2026-01-01T00:00:00Z""#
    let base = try read(node + #","x":1,"y":1},7,{"kind":"odd"}"#, #","t":1"#)
    let ours = try read(node + #","x":2,"y":2},7,{"kind":"odd"},8"#, #","t":1,"ours":true"#)
    let server = try read(node + #","x":1,"y":3},{"kind":"odd"},9"#, #","t":2"#)
    let result = merge(ours, server, base)
    let text = try #require(result.manifest.text().exposedText())
    #expect(text.contains(#""x":2,"y":3}"#))
    #expect(result.report.map(\.kind) == [.field])
    #expect(result.report.first?.other == "y")
    #expect(text.contains(#"{"kind":"odd","favorite":false}"#) || text.contains(#""kind":"odd""#))
    #expect(text.contains("9") && text.contains("8") && !text.contains(",7,"))
    #expect(text.contains(#""ours":true"#) && text.contains(#""t":2"#))
  }

  // MARK: - Generated histories

  /// Changes as a person makes them.
  private func edit(_ manifest: inout Manifest, _ random: inout SeededGenerator, _ next: inout Int) {
    for _ in 0..<Int.random(in: 0...6, using: &random) {
      let folders = manifest.nodes.filter { $0.kind == .folder }.compactMap(\.id)
      let parent = Bool.random(using: &random) ? folders.randomElement(using: &random) : nil
      next += 1
      switch Int.random(in: 0...7, using: &random) {
      case 0:
        manifest.nodes.append(.folder(id: id(next), parent: parent, name: "f\(next)", createdAt: Timestamp(seconds: 1)))
      case 1, 2:
        manifest.nodes.append(
          .file(
            id: id(next), parent: parent, name: "d\(next).pdf", createdAt: Timestamp(seconds: 1),
            content: content(100_000 + next)))
      default:
        guard let index = manifest.nodes.indices.randomElement(using: &random) else { continue }
        switch Int.random(in: 0...5, using: &random) {
        case 0: manifest.nodes[index].rename(to: "n\(next).pdf")
        case 1: manifest.nodes[index].setFavorite(Bool.random(using: &random))
        case 2:
          // Not into itself: a client doesn't do that.
          let tree = ManifestTree(manifest)
          let inside = Set(tree.below(index) + [index])
          if let parent, let target = tree.index(of: parent), inside.contains(target) { continue }
          manifest.nodes[index].move(to: parent)
        case 3: if manifest.nodes[index].kind == .file { manifest.nodes[index].setContent(content(100_000 + next)) }
        default:
          let gone = Set(ManifestTree(manifest).below(index) + [index])
          manifest.nodes = manifest.nodes.enumerated().filter { !gone.contains($0.offset) }.map(\.element)
        }
      }
    }
  }

  /// What two merges must agree in: everything but which of two names or places won, and new identifiers.
  private func essence(_ manifest: Manifest) -> [String] {
    manifest.nodes.map { node in
      "\(node.kind) \(node.content.map { "\($0.object)" } ?? "\(node.id.map { "\($0)" } ?? "")")"
    }.sorted()
  }

  @Test(arguments: 0..<300) func generatedHistoriesLoseNothing(_ seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed) &* 7919 &+ 31)
    var (next, base) = (0, Manifest())
    for _ in 0..<4 { edit(&base, &random, &next) }
    var (ours, server) = (base, base)
    for _ in 0..<2 { edit(&ours, &random, &next) }
    for _ in 0..<2 { edit(&server, &random, &next) }
    let result = merge(ours, server, base)
    let other = merge(server, ours, base)
    #expect(essence(result.manifest) == essence(other.manifest))
    #expect(ManifestTree(result.manifest).problems == [])
    #expect(ManifestTree(other.manifest).problems == [])
    // What one side made and the other never saw is there, and so is each content that a side gave.
    let known = Set(base.nodes.compactMap(\.id))
    let there = Set(result.manifest.nodes.compactMap(\.id))
    for node in ours.nodes + server.nodes where node.id.map({ !known.contains($0) }) ?? false {
      #expect(there.contains(node.id ?? id(0)), "\(node.name)")
    }
    let objects = Set(result.manifest.nodes.compactMap { $0.content?.object })
    let old = Set(base.nodes.compactMap { $0.content?.object })
    for node in ours.nodes + server.nodes {
      guard let object = node.content?.object, !old.contains(object) else { continue }
      #expect(objects.contains(object), "\(node.name)")
    }
    // Nothing deleted on one side and left alone on the other comes back by itself.
    for node in base.nodes {
      let (mine, theirs) = (ours.nodes.first { $0.id == node.id }, server.nodes.first { $0.id == node.id })
      guard (mine == nil && theirs == node) || (theirs == nil && mine == node), node.kind == .file else { continue }
      #expect(!there.contains(node.id ?? id(0)), "\(node.name)")
    }
    #expect(merge(ours, ours, base).manifest == ours)
    #expect(merge(base, server, base).manifest == server)
    #expect(Set(merge(ours, base, base).manifest.nodes) == Set(ours.nodes))
  }
}
