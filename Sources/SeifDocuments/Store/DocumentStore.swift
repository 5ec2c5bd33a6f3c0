package import SeifBytes

/// Where the sealed parts of a document vault lie: a folder on this machine, or a server. It sees sealed bytes,
/// identifiers and counters, never a key or a name.
///
/// The order that keeps documents whole is its caller's: objects before the manifest that names them. Each call is
/// durable before it returns, and waits as long as its place takes. After an error nothing has changed, unless the place
/// can't be asked any more; a call may then be made again.
package protocol DocumentStore: Sendable {
  /// Which vault it is, as the person named or reached it; the same text is the same vault.
  var place: String { get }

  /// Whether there is a vault, and how much it holds.
  func status() throws(DocumentError) -> StoreStatus

  /// The sealed manifest; nil before the first.
  func manifest() throws(DocumentError) -> StoredManifest?
  /// Puts a manifest in the place of exactly the one that is named; nil: of none.
  ///
  /// - Returns: the tag of the new one.
  /// - Throws: `conflict` with the current tag; `tooLarge` above 16 MiB.
  func replaceManifest(_ blob: [UInt8], expecting: ManifestTag?) throws(DocumentError) -> ManifestTag

  /// Stores a sealed document. The same bytes under the same identifier count as done.
  ///
  /// - Throws: `exists` where other bytes have this identifier; `gone` for 30 days after a deletion; `tooLarge`;
  ///   `damaged` for fewer than 28 bytes; whatever the source throws.
  func putObject(_ id: UUID, from source: ObjectSource) throws(DocumentError) -> StoreOutcome
  /// The length of a sealed document; nil where there is none.
  func objectByteCount(_ id: UUID) throws(DocumentError) -> Int?
  /// Gives a sealed document, or a range of it, piece by piece.
  ///
  /// - Throws: `notFound`; `tooLarge` for more than an object may have; whatever `body` throws.
  func readObject(
    _ id: UUID, range: Range<Int>?, _ body: (RawSpan) throws(DocumentError) -> Void
  ) throws(DocumentError)
  /// Takes an object away, for 30 days so that it can come back. One that is gone already is no failure.
  func deleteObject(_ id: UUID) throws(DocumentError)
  /// Brings a deleted object back.
  ///
  /// - Throws: `notFound`.
  func restoreObject(_ id: UUID) throws(DocumentError)
  /// Objects in the order of their identifiers, from the one after `after`; at most `limit` and at most 1000.
  func listObjects(after: UUID?, limit: Int) throws(DocumentError) -> ObjectPage

  /// The rows of the ways in, in no order.
  func keyWraps() throws(DocumentError) -> [StoredKeyWrap]
  /// Adds a row. The same row under the same identifier counts as done.
  ///
  /// - Throws: `exists` for another row of this identifier; `tooManyKeyWraps`.
  func putKeyWrap(_ row: StoredKeyWrap) throws(DocumentError) -> StoreOutcome
  /// Takes a row away, for 30 days so that it can come back. One that is gone already is no failure.
  ///
  /// - Throws: `lastKeyWrap`.
  func removeKeyWrap(_ id: UUID) throws(DocumentError)
  /// Brings a removed row back.
  ///
  /// - Throws: `notFound`; `tooManyKeyWraps`.
  func restoreKeyWrap(_ id: UUID) throws(DocumentError)
  /// Puts all rows and the manifest in the place of those that are there, in one step.
  ///
  /// - Throws: as `replaceManifest`; `lastKeyWrap` for no rows; `tooManyKeyWraps`.
  func replaceKeyWraps(
    _ rows: [StoredKeyWrap], manifest: [UInt8], expecting: ManifestTag
  ) throws(DocumentError) -> ManifestTag
}

/// What a store says of itself.
package struct StoreStatus: Sendable, Equatable {
  /// Whether there is a vault.
  package var isEnabled: Bool
  /// Of the manifest; 0 before the first.
  package var revision: Int
  package var objectCount: Int
  /// Of all sealed documents.
  package var byteCount: Int
  package var keyWrapCount: Int

  package init(isEnabled: Bool, revision: Int, objectCount: Int, byteCount: Int, keyWrapCount: Int) {
    self.isEnabled = isEnabled
    self.revision = revision
    self.objectCount = objectCount
    self.byteCount = byteCount
    self.keyWrapCount = keyWrapCount
  }
}

/// Whether something was stored by this call, or was there already as it was to be.
package enum StoreOutcome: Sendable, Equatable {
  case stored, present
}

/// A sealed document in a listing: a claim of the place, none of it proven.
package struct ObjectEntry: Sendable, Equatable {
  package var id: UUID
  /// Of the sealed document.
  package var byteCount: Int
  package var createdAt: Timestamp

  package init(id: UUID, byteCount: Int, createdAt: Timestamp) {
    self.id = id
    self.byteCount = byteCount
    self.createdAt = createdAt
  }
}

/// A part of a listing.
package struct ObjectPage: Sendable, Equatable {
  package var objects: [ObjectEntry]
  /// What the next part begins after; nil: this is the last.
  package var next: UUID?

  package init(objects: [ObjectEntry], next: UUID?) {
    self.objects = objects
    self.next = next
  }

  /// Most objects of a part.
  package static let limit = 1000
}

/// A row of a way in, as it is stored.
package struct StoredKeyWrap: Sendable, Equatable {
  package var id: UUID
  /// The row as canonical JSON, its identifier and time included.
  package var json: SecretValue

  package init(id: UUID, json: SecretValue) {
    self.id = id
    self.json = json
  }
}

extension DocumentStore {
  /// All objects, page after page; a place whose pages don't advance is refused.
  package func allObjects() throws(DocumentError) -> [ObjectEntry] {
    var all: [ObjectEntry] = []
    var after: UUID?
    while true {
      let page = try listObjects(after: after, limit: ObjectPage.limit)
      var last = after
      for entry in page.objects {
        if let last, !utf8Precedes(last.description, entry.id.description) {
          throw DocumentError(.damaged, place: place, reason: "its listing is out of order")
        }
        last = entry.id
        all.append(entry)
      }
      guard let next = page.next else { return all }
      guard next == last, next != after, all.count <= DocumentBounds.objectCount else {
        throw DocumentError(.damaged, place: place, reason: "its listing doesn't end")
      }
      after = next
    }
  }
}

/// Bounds of what a store may show.
package enum DocumentBounds {
  /// Most objects that a listing is followed for.
  package static let objectCount = 1_000_000
  /// How long something deleted can come back: 30 days, in milliseconds.
  package static let trashLifetime: Int64 = 30 * 86_400_000
  /// Most bytes of all rows of ways in.
  package static let keyWrapsByteCount = 1 << 20
}
