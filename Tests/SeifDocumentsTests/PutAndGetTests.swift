import CSeif
import Glibc
import SeifBytes
import SeifDocumentFormat
import SeifDocumentTesting
import Testing

@testable import SeifDocuments

@Suite struct PutAndGetTests {
  let bench: Bench
  let client: DocumentVaultClient

  init() throws {
    bench = try Bench(inFolder: true)
    client = try bench.create()
  }

  @Test func aFolderGoesInWithAllInItAndComesOutAgain() throws {
    for name in ["tree/a.pdf", "tree/sub/b.txt", "tree/sub/deep/c.png", "tree/empty.csv"] {
      _ = try bench.file(name, name == "tree/empty.csv" ? [] : Array(name.utf8))
    }
    let report = try client.put([.path(bench.scratch.path("in/tree/"))], into: nil)
    #expect(report.added.count == 4 && report.refused.isEmpty)
    let top = try #require(client.manifest.nodes.first { $0.name == "tree" })
    let got = try client.get([#require(top.id)], into: bench.scratch.path("out"))
    #expect(got.written.count == 4 && got.failed.isEmpty)
    for name in ["tree/a.pdf", "tree/sub/b.txt", "tree/sub/deep/c.png"] {
      #expect(try bench.scratch.read("out/" + name) == Array(name.utf8))
    }
    #expect(try bench.scratch.read("out/tree/empty.csv") == [])
    // Once more, beside what is there.
    _ = try client.get([#require(top.id)], into: bench.scratch.path("out"))
    #expect(try bench.scratch.names("out") == ["tree", "tree (2)"])
  }

  @Test func linksPipesDevicesAndOtherKindsStayOut() throws {
    _ = try bench.file("t/good.pdf", [1])
    _ = try bench.file("t/bad.exe", [1])
    #expect(symlink(bench.scratch.path("in/t/good.pdf"), bench.scratch.path("in/t/link.pdf")) == 0)
    #expect(mkfifo(bench.scratch.path("in/t/pipe.pdf"), 0o600) == 0)
    let report = try client.put([.path(bench.scratch.path("in/t")), .path("/dev/null")], into: nil)
    #expect(report.added.count == 1)
    let codes = Dictionary(
      uniqueKeysWithValues: report.refused.map { ($0.path.split(separator: "/").last ?? "", $0.error.code) })
    #expect(codes == ["bad.exe": .notAllowed, "link.pdf": .notAFile, "pipe.pdf": .notAFile, "null": .notAFile])
    // A link that the person names is that person's word.
    #expect(try client.put([.path(bench.scratch.path("in/t/link.pdf"))], into: nil).added.count == 1)
  }

  @Test func aFileAboveTheLimitIsRefusedBeforeItIsRead() throws {
    let path = try bench.file("large.zip", [1])
    let file = seif_open(path, O_WRONLY, 0)
    defer { close(file) }
    #expect(ftruncate(file, 50 << 20 + 1) == 0)
    #expect(try client.put([.path(path)], into: nil).refused.first?.error.code == .tooLarge)
    #expect(try bench.store.status().objectCount == 0)
    #expect(ftruncate(file, 50 << 20) == 0)
    let report = try client.put([.path(path)], into: nil)
    #expect(report.added.count == 1)
    #expect(try bench.store.allObjects().first?.byteCount == 50 << 20 + 28)
  }

  @Test(arguments: [0, 1_500_000, 2_500_000])
  func aFileThatChangesWhileItIsReadLeavesNoObjectAndNoNode(newLength: Int) throws {
    let path = try bench.file("a.pdf", bytes(2_000_000))
    var isChanged = false
    let watch = WorkWatch(report: { progress in
      guard !isChanged, progress.bytes.done > 0 else { return }
      isChanged = truncate(path, newLength) == 0
    })
    let report = try client.put([.path(path)], into: nil, watch: watch)
    #expect(isChanged && report.added.isEmpty)
    #expect(report.refused.first?.error.code == .sourceChanged)
    #expect(try bench.store.status().objectCount == 0)
    #expect(client.manifest.nodes.isEmpty)
  }

  @Test func aStreamOfAnyLengthGoesInUnderItsName() throws {
    for count in [0, 10, 300_000] {
      let path = try bench.file("s", bytes(count))
      let file = seif_open(path, O_RDONLY, 0)
      defer { close(file) }
      let report = try client.put([.stream(file, name: "s\(count).txt")], into: nil)
      let id = try #require(report.added.first).id
      #expect(try bench.content(client, id) == bytes(count))
    }
    #expect(try client.put([.stream(0, name: "x.exe")], into: nil).refused.first?.error.code == .notAllowed)
  }

  @Test func workThatIsEndedKeepsWhatWasDoneAndGoesOnLater() throws {
    for number in 0..<6 { _ = try bench.file("many/\(number).pdf", bytes(1000, UInt8(number))) }
    var done = 0
    let watch = WorkWatch(report: { done = $0.documents.done }, isCancelled: { done >= 3 })
    let first = try client.put([.path(bench.scratch.path("in/many"))], into: nil, watch: watch)
    #expect(first.wasCancelled && first.added.count == 3)
    #expect(try bench.store.status().objectCount == 3)
    #expect(try bench.open("b").manifest.nodes.count == 4)
    let second = try client.put([.path(bench.scratch.path("in/many"))], into: nil, skipsPresent: true)
    #expect(second.added.count == 3 && second.present.count == 3)
    #expect(client.manifest.nodes.filter(\.isFolder).count == 1)
    #expect(try bench.scratch.names("vault/objects").allSatisfy { !$0.hasPrefix(".") })
  }

  @Test func aFileThatIsThereIsNeverOverwrittenUnlessTold() throws {
    let id = try bench.put(client, "a.pdf", bytes(10))
    try bench.scratch.write("out/a.pdf", [9])
    let out = bench.scratch.path("out")
    #expect(try client.get([id], into: out).written.first?.path == out + "/a (2).pdf")
    #expect(try client.get([id], into: out, as: "a.pdf").failed.first?.error.code == .exists)
    #expect(try bench.scratch.read("out/a.pdf") == [9])
    _ = try client.get([id], into: out, as: "a.pdf", replaces: true)
    #expect(try bench.scratch.read("out/a.pdf") == bytes(10))
    mkdir(out + "/folder.pdf", 0o700)
    #expect(try client.get([id], into: out, as: "folder.pdf", replaces: true).failed.count == 1)
  }

  @Test func namesThatAreTheSameButForTheirLettersFormAreBothKept() throws {
    // s-documents-04
    let names = ["\u{DC}bersicht.pdf", "U\u{308}bersicht.pdf"]
    var ids: [UUID] = []
    for (number, name) in names.enumerated() { ids.append(try bench.put(client, name, [UInt8(number)])) }
    #expect(ids.map { client.manifest.node($0).map { Array($0.name.utf8) } } == names.map { Array($0.utf8) })
    let report = try client.get(ids, into: bench.scratch.path("out"))
    #expect(report.written.count == 2)
    #expect(try bench.scratch.names("out").count == 2)
    #expect(try bench.scratch.names("out").contains { $0.contains(" (2)") })
  }

  @Test func anAlteredObjectGetsNoNameAndGivesNoByte() throws {
    let id = try bench.put(client, "a.pdf", bytes(2_000_000))
    let object = try #require(try bench.store.allObjects().first).id
    let good = try bench.scratch.read("vault/objects/\(object)")
    for (place, count) in [
      (0, good.count), (12, good.count), (1_500_000, good.count), (good.count - 1, good.count), (0, 28), (0, 27),
      (0, 0), (0, good.count - 1),
    ] {
      var bad = Array(good.prefix(count))
      if count == good.count { bad[place] ^= 1 }
      unlink(bench.scratch.path("vault/objects/\(object)"))
      try bench.scratch.write("vault/objects/\(object)", bad)
      let report = try client.get([id], into: bench.scratch.path("out"))
      #expect(report.failed.first?.error.code == .damaged, "byte \(place) of \(count)")
      #expect(try bench.scratch.names("out").isEmpty)
      var given = 0
      #expect(failure { try client.read(id) { (piece) throws(DocumentError) in given += piece.byteCount } } == .damaged)
      #expect(given == 0)
      #expect(try client.doctor(opens: true).damaged == [id])
    }
  }

  @Test func gettingThatIsEndedLeavesNoFile() throws {
    let id = try bench.put(client, "a.pdf", bytes(3_000_000))
    var done = 0
    let watch = WorkWatch(report: { done = $0.bytes.done }, isCancelled: { done > 0 })
    #expect(try client.get([id], into: bench.scratch.path("out"), watch: watch).wasCancelled)
    #expect(try bench.scratch.names("out").isEmpty)
  }

  @Test func whateverEndsGettingLeavesNoHalfDocument() throws {
    let probe = seif_openat(AT_FDCWD, bench.scratch.path("out"), seif_O_TMPFILE | O_RDWR, 0o600)
    defer { close(probe) }
    try #require(probe >= 0, "the tests' file system has no nameless files")
    let id = try bench.put(client, "a.pdf", bytes(3_000_000))
    // Looked at from inside, as a kill at that moment would leave it.
    var seen: [[String]] = []
    let watch = WorkWatch(report: { _ in seen.append((try? bench.scratch.names("out")) ?? ["?"]) })
    _ = try client.get([id], into: bench.scratch.path("out"), watch: watch)
    #expect(seen.count > 2 && seen.dropLast().allSatisfy(\.isEmpty), "\(seen)")
    #expect(try bench.scratch.names("out") == ["a.pdf"])
  }

  @Test func anotherNameIsGivenInTheSameStep() throws {
    let before = try #require(client.stored?.revision)
    let path = try bench.file("scan", Array("%PDF-1.7".utf8))
    #expect(try client.put([.path(path)], into: nil).refused.first?.error.code == .notAllowed)
    #expect(try client.put([.path(path, name: "Contract.pdf")], into: nil).added.count == 1)
    #expect(client.manifest.nodes.map(\.name) == ["Contract.pdf"])
    #expect(client.stored?.revision == before + 1)
  }

  @Test func nodesWithoutAnIdentifierOfTheirOwnCanBeReadAndChanged() throws {
    _ = try bench.put(client, "a.pdf", [1, 2])
    _ = try bench.put(client, "b.pdf", [3, 4])
    _ = try client.change { (manifest) throws(DocumentError) in
      // As another program may have left it: two nodes of one identifier.
      if let first = manifest.nodes[0].id { manifest.nodes[1].setID(first) }
    }
    let shared = try #require(client.manifest.nodes[0].id)
    let tree = ManifestTree(client.manifest)
    let report = try client.get(at: tree.roots, tree, into: bench.scratch.path("out"))
    #expect(report.written.count == 2)
    #expect(try bench.scratch.read("out/b.pdf") == [3, 4])
    let second = try client.giveIdentifier(at: 1).result
    _ = try client.rename(second, to: "c.pdf")
    #expect(client.manifest.nodes.map(\.name) == ["a.pdf", "c.pdf"])
    #expect(client.manifest.nodes.map(\.id) == [shared, second])
    #expect(try bench.content(client, second) == [3, 4])
  }

  @Test func whatIsOfAnUnknownKindIsNamedAndNotPassedOver() throws {
    _ = try bench.put(client, "a.pdf", [1, 2])
    let other = #"{"version":1,"nodes":[{"id":"0a000000-0000-4000-8000-000000000001","kind":"link","name":"x"}]}"#
    let links = try Manifest(parsing: SecretValue(Array(other.utf8)))
    _ = try client.change { (manifest) throws(DocumentError) in manifest.nodes += links.nodes }
    let tree = ManifestTree(client.manifest)
    let report = try client.get(at: tree.roots, tree, into: bench.scratch.path("out"))
    #expect(report.written.count == 1)
    #expect(report.failed.map(\.name) == ["x"])
    #expect(report.failed.first?.error.code == .notPossible)
  }

  @Test func noPlaintextNameOrKeyLiesOutsideOfWhatWasAskedFor() throws {
    let secret = "Zebra-Quagga-7731"
    let id = try bench.put(client, "\(secret).txt", Array(secret.utf8))
    _ = try bench.content(client, id)
    let key = try #require(client.manifest.node(id)?.fileKey).exposedBytes()
    var looked = 0
    func look(_ folder: String) throws {
      for name in try bench.scratch.names(folder) {
        let path = "\(folder)/\(name)"
        #expect(!name.contains(secret))
        if let inner = try? bench.scratch.names(path), !inner.isEmpty || bench.scratch.isFolder(path) {
          try look(path)
          continue
        }
        looked += 1
        let content = try bench.scratch.read(path)
        for needle in [Array(secret.utf8), key, Array(Base64.encode(key).utf8)] {
          #expect(!content.contains(needle), "\(path)")
        }
      }
    }
    try look("vault")
    try look("state-a")
    #expect(looked >= 8)
  }
}

extension Array<UInt8> {
  fileprivate func contains(_ needle: [UInt8]) -> Bool {
    withUnsafeBytes { hay in
      needle.withUnsafeBytes { seif_find(hay.baseAddress, hay.count, $0.baseAddress, $0.count) >= 0 }
    }
  }
}
