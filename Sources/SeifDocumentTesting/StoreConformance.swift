internal import SeifBytes
package import SeifDocuments
internal import SeifDocumentFormat

/// What every store of documents must do, each rule found out at an empty store.
package enum StoreConformance {
  /// What a rule found, in words.
  package struct Finding: Error, CustomStringConvertible {
    package var description: String
    init(_ description: String) { self.description = description }
  }

  /// One rule.
  package struct Check: Sendable, CustomStringConvertible {
    package let rule: String
    let run: @Sendable (any DocumentStore, TestClock) throws -> Void

    init(_ rule: String, _ run: @escaping @Sendable (any DocumentStore, TestClock) throws -> Void) {
      self.rule = rule
      self.run = run
    }

    package var description: String { rule }

    /// Tries it at a store that holds nothing and goes by the clock.
    package func run(_ store: any DocumentStore, clock: TestClock) throws { try run(store, clock) }
  }

  package static let all: [Check] = manifests + objects + listings + keyWraps

  // ---- What the rules are written with

  static func expect(_ condition: Bool, _ what: String) throws {
    guard condition else { throw Finding(what) }
  }

  /// Makes sure that a call is refused, and with which code.
  @discardableResult
  static func refused(
    _ code: DocumentError.Code, _ what: String, _ body: () throws(DocumentError) -> Void
  ) throws -> DocumentError {
    do throws(DocumentError) { try body() } catch {
      guard error.code == code else { throw Finding("\(what): \(error.code) instead of \(code)") }
      return error
    }
    throw Finding("\(what) was not refused")
  }

  static func bytes(_ count: Int, _ start: UInt8 = 0) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) &+ start }
  }

  static func id(_ number: UInt8) throws -> UUID {
    guard let id = UUID(bytes: [UInt8](repeating: number, count: 16)) else { throw Finding("no identifier") }
    return id
  }

  /// - Parameter key: a character of base64, of which a sealed key of 60 bytes is made.
  static func row(_ number: UInt8, _ key: Character = "A") throws -> StoredKeyWrap {
    let key = String(repeating: key, count: 80)
    let text =
      #"{"createdAt":"2026-01-01T00:00:00.000Z","id":"\#(try id(number))","kind":"other","wrappedKey":"\#(key)"}"#
    guard let row = StoredKeyWrap(json: SecretValue(utf8: text)) else { throw Finding("no row") }
    return row
  }

  static func content(_ store: any DocumentStore, _ id: UUID, _ range: Range<Int>? = nil) throws -> [UInt8] {
    var all: [UInt8] = []
    try store.readObject(id, range: range) { (piece) throws(DocumentError) in
      piece.withUnsafeBytes { all.append(contentsOf: $0) }
    }
    return all
  }

  // ---- Manifests

  static let manifests: [Check] = [
    Check("an empty store has no vault and no manifest") { store, _ in
      try expect(store.status().isEnabled == false, "it says that there is a vault")
      try expect(store.manifest() == nil, "it has a manifest")
      try expect(store.keyWraps().isEmpty, "it has ways in")
    },
    Check("the first manifest replaces none and has revision 1") { store, _ in
      let tag = try store.replaceManifest(bytes(40), expecting: nil)
      try expect(tag == ManifestTag(revision: 1, blob: bytes(40)), "its tag is \(tag)")
      try expect(store.manifest()?.blob == bytes(40), "it isn't given back")
      let status = try store.status()
      try expect(status.isEnabled && status.revision == 1, "the status doesn't tell of it")
    },
    Check("a manifest replaces exactly the one that is named") { store, _ in
      let first = try store.replaceManifest(bytes(40), expecting: nil)
      let second = try store.replaceManifest(bytes(41), expecting: first)
      try expect(second.revision == 2, "its revision is \(second.revision)")
      for stale in [first, nil, ManifestTag(revision: 2, blob: bytes(40)), ManifestTag(revision: 3, blob: bytes(41))] {
        let refusal = try refused(.conflict, "a stale tag") { () throws(DocumentError) in
          _ = try store.replaceManifest(bytes(42), expecting: stale)
        }
        try expect(refusal.current == second, "the conflict names \(String(describing: refusal.current))")
      }
      try expect(store.manifest()?.tag == second, "a refused manifest was stored")
    },
    Check("a manifest of 16 MiB is stored, one byte more or fewer than 28 are refused") { store, _ in
      let limit = DocumentLimits.manifestByteCount
      try refused(.tooLarge, "a manifest above the limit") { () throws(DocumentError) in
        _ = try store.replaceManifest([UInt8](repeating: 1, count: limit + 1), expecting: nil)
      }
      try refused(.damaged, "a manifest of 27 bytes") { () throws(DocumentError) in
        _ = try store.replaceManifest(bytes(27), expecting: nil)
      }
      _ = try store.replaceManifest([UInt8](repeating: 1, count: limit), expecting: nil)
      try expect(store.manifest()?.blob.count == limit, "it came back shorter")
    },
  ]

  // ---- Objects

  static let objects: [Check] = [
    Check("an object comes back byte for byte, whole and by ranges") { store, _ in
      for (number, count) in [28, 29, 4096, 1 << 20, (1 << 20) + 1, 2_500_000].enumerated() {
        let id = try id(UInt8(number + 1))
        try expect(store.putObject(id, from: ObjectSource(bytes(count))) == .stored, "it was there")
        try expect(store.objectByteCount(id) == count, "its length is another")
        try expect(content(store, id) == bytes(count), "its bytes are others (\(count))")
        let all = bytes(count)
        for range in [0..<1, 5..<28, count - 1..<count, 0..<count, 27..<27] {
          try expect(content(store, id, range) == Array(all[range]), "the range \(range) of \(count) is another")
        }
        try expect(content(store, id, count - 1..<count + 10) == [all[count - 1]], "a range beyond the end")
      }
    },
    Check("an object is made once: the same bytes are a retry, others are refused") { store, _ in
      let id = try id(7)
      _ = try store.putObject(id, from: ObjectSource(bytes(100)))
      try expect(store.putObject(id, from: ObjectSource(bytes(100))) == .present, "a retry was stored again")
      for other in [bytes(100, 1), bytes(101), bytes(99)] {
        try refused(.exists, "other bytes") { () throws(DocumentError) in
          _ = try store.putObject(id, from: ObjectSource(other))
        }
      }
      try expect(content(store, id) == bytes(100), "a refused writer changed it")
    },
    Check("an object has 28 bytes to 28 more than a document") { store, _ in
      let id = try id(8)
      try refused(.damaged, "27 bytes") { () throws(DocumentError) in
        _ = try store.putObject(id, from: ObjectSource(bytes(27)))
      }
      try refused(.tooLarge, "too many bytes") { () throws(DocumentError) in
        _ = try store.putObject(id, from: ObjectSource(byteCount: DocumentLimits.objectByteCount + 1) { _ in 0 })
      }
      try expect(store.objectByteCount(id) == nil, "a refused object is there")
    },
    Check("a source that fails, ends early or goes on leaves nothing") { store, _ in
      let id = try id(9)
      let short = ObjectSource(byteCount: 200) { [short = ObjectSource(bytes(100))] buffer throws(DocumentError) in
        try short.read(into: buffer)
      }
      let long = ObjectSource(byteCount: 50) { [long = ObjectSource(bytes(100))] buffer throws(DocumentError) in
        try long.read(into: buffer)
      }
      for source in [short, long] {
        try refused(.sourceChanged, "a source of another length") { () throws(DocumentError) in
          _ = try store.putObject(id, from: source)
        }
      }
      try refused(.cancelled, "a source that fails") { () throws(DocumentError) in
        _ = try store.putObject(
          id,
          from: ObjectSource(byteCount: 100) { _ throws(DocumentError) in throw DocumentError(.cancelled, place: "") })
      }
      try expect(store.objectByteCount(id) == nil, "something is there")
      try expect(store.status().objectCount == 0, "something is counted")
    },
    Check("what isn't there is said to be missing") { store, _ in
      let id = try id(10)
      try expect(store.objectByteCount(id) == nil, "it has a length")
      try refused(.notFound, "reading") { () throws(DocumentError) in try store.readObject(id, range: nil) { _ in } }
      try refused(.notFound, "restoring") { () throws(DocumentError) in try store.restoreObject(id) }
      try store.deleteObject(id)
    },
    Check("a deleted object is gone, its identifier stays taken, and it comes back within 30 days") { store, clock in
      let id = try id(11)
      _ = try store.putObject(id, from: ObjectSource(bytes(100)))
      try store.deleteObject(id)
      try store.deleteObject(id)
      try expect(store.objectByteCount(id) == nil, "it is there")
      try expect(store.allObjects().isEmpty && store.status().objectCount == 0, "it is listed")
      try refused(.gone, "its identifier again") { () throws(DocumentError) in
        _ = try store.putObject(id, from: ObjectSource(bytes(100)))
      }
      clock.advance(days: 29)
      try store.restoreObject(id)
      try expect(content(store, id) == bytes(100), "it came back with other bytes")
      try store.deleteObject(id)
      clock.advance(days: 30)
      try refused(.notFound, "restoring after 30 days") { () throws(DocumentError) in try store.restoreObject(id) }
      try expect(store.putObject(id, from: ObjectSource(bytes(50))) == .stored, "its identifier stays taken for good")
    },
  ]

  // ---- Listings

  static let listings: [Check] = [
    Check("objects are listed by identifier, page after page") { store, _ in
      let numbers: [UInt8] = [200, 3, 17, 90, 1]
      for number in numbers { _ = try store.putObject(id(number), from: ObjectSource(bytes(28 + Int(number)))) }
      let expected = try numbers.sorted().map { try id($0) }
      for limit in 1...6 {
        var (found, after): ([UUID], UUID?) = ([], nil)
        repeat {
          let page = try store.listObjects(after: after, limit: limit)
          try expect(page.objects.count <= limit, "a page of \(page.objects.count)")
          found += page.objects.map(\.id)
          after = page.next
        } while after != nil && found.count <= 5
        try expect(found == expected, "pages of \(limit) list others")
      }
      try expect(store.allObjects().map(\.byteCount) == numbers.sorted().map { 28 + Int($0) }, "lengths are others")
      let status = try store.status()
      try expect(status.objectCount == 5 && status.byteCount == 5 * 28 + 311, "the status counts otherwise")
    }
  ]

  // ---- Ways in

  static let keyWraps: [Check] = [
    Check("a way in is made once: the same row is a retry, another is refused") { store, _ in
      try expect(store.putKeyWrap(row(1)) == .stored, "it was there")
      try expect(store.putKeyWrap(row(1)) == .present, "a retry was stored again")
      let other = try row(1, "B")
      try refused(.exists, "another row") { () throws(DocumentError) in _ = try store.putKeyWrap(other) }
      try expect(store.keyWraps() == [row(1)], "the rows are others")
      try expect(store.status().isEnabled, "the status doesn't tell of it")
    },
    Check("the last way in stays") { store, _ in
      let first = try id(1)
      _ = try store.putKeyWrap(row(1))
      try refused(.lastKeyWrap, "removing the last") { () throws(DocumentError) in try store.removeKeyWrap(first) }
      try expect(store.keyWraps().count == 1, "it is gone")
    },
    Check("a way in that is removed comes back within 30 days") { store, clock in
      let second = try id(2)
      _ = try store.putKeyWrap(row(1))
      _ = try store.putKeyWrap(row(2))
      try store.removeKeyWrap(second)
      try store.removeKeyWrap(second)
      try expect(store.keyWraps() == [row(1)], "it is there")
      clock.advance(days: 29)
      try store.restoreKeyWrap(second)
      try expect(Set(store.keyWraps().map(\.id)) == [id(1), second], "it didn't come back")
      try expect(store.keyWraps().contains(row(2)), "it came back changed")
      try store.removeKeyWrap(second)
      clock.advance(days: 30)
      try refused(.notFound, "restoring after 30 days") { () throws(DocumentError) in try store.restoreKeyWrap(second) }
    },
    Check("a vault has at most 32 ways in") { store, _ in
      for number in 1...32 { _ = try store.putKeyWrap(row(UInt8(number))) }
      let one = try row(33)
      try refused(.tooManyKeyWraps, "the 33rd") { () throws(DocumentError) in _ = try store.putKeyWrap(one) }
      try expect(store.keyWraps().count == 32, "there are others")
    },
    Check("all ways in and the manifest are replaced together or not at all") { store, _ in
      _ = try store.putKeyWrap(row(1))
      _ = try store.putKeyWrap(row(2))
      let first = try store.replaceManifest(bytes(40), expecting: nil)
      let rows = try [row(3), row(4)]
      let stale = ManifestTag(revision: 1, blob: bytes(50))
      try refused(.conflict, "a stale tag") { () throws(DocumentError) in
        _ = try store.replaceKeyWraps(rows, manifest: bytes(60), expecting: stale)
      }
      try refused(.lastKeyWrap, "no rows") { () throws(DocumentError) in
        _ = try store.replaceKeyWraps([], manifest: bytes(60), expecting: first)
      }
      try expect(Set(store.keyWraps().map(\.id)) == [id(1), id(2)], "a refusal changed the rows")
      try expect(store.manifest()?.tag == first, "a refusal changed the manifest")
      let second = try store.replaceKeyWraps(rows, manifest: bytes(60), expecting: first)
      try expect(Set(store.keyWraps().map(\.id)) == [id(3), id(4)], "the rows are others")
      try expect(store.manifest()?.tag == second && second.revision == 2, "the manifest is another")
      _ = try store.putKeyWrap(row(5))
      try expect(store.keyWraps().count == 3, "a row after it")
      _ = try store.replaceManifest(bytes(70), expecting: second)
      try expect(store.keyWraps().count == 3, "a manifest after it changed the rows")
    },
  ]
}
