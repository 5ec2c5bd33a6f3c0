package import SeifBytes

/// What a server keeps of document vaults beside the sealed documents' bytes: manifests, rows of ways in, and which object
/// is which blob. It sees sealed bytes and counters alone.
///
/// Each call is one transaction and durable before it returns. Nothing is kept between calls, so any number of processes
/// may stand in front of one store. Limits and times are arguments: the store decides nothing.
package protocol VaultStore: Sendable {
  func status(_ account: UUID) throws(StoreFailure) -> VaultStatus

  /// The newest manifest; nil before the first.
  func manifest(_ account: UUID) throws(StoreFailure) -> StoredManifest?
  /// Puts a manifest in the place of exactly the one that is named; nil: of none. The first has version 1.
  func replaceManifest(
    _ account: UUID, _ blob: [UInt8], expecting: ManifestTag?, at now: Timestamp
  ) throws(StoreFailure) -> ManifestOutcome

  /// Takes room for an object before its body is read. A reservation that nobody keeps or drops ends by itself.
  ///
  /// - Parameter byteCount: most bytes that it will have.
  func reserve(
    _ account: UUID, _ object: UUID, byteCount: Int, limits: VaultLimits, at now: Timestamp
  ) throws(StoreFailure) -> ReserveOutcome
  /// Makes a reserved object there, once its blob is durable.
  func keep(_ reservation: UUID, blob: UUID, byteCount: Int, sha256: [UInt8], at now: Timestamp)
    throws(StoreFailure) -> KeepOutcome
  /// Gives the room back. One that is gone already is no failure.
  func drop(_ reservation: UUID) throws(StoreFailure)

  /// One that is there; nil: none, or deleted.
  func object(_ account: UUID, _ object: UUID) throws(StoreFailure) -> ObjectRow?
  /// By identifier (its text, lower case), from the one after `after`; at most `limit` and at most 1000.
  func objects(_ account: UUID, after: UUID?, limit: Int) throws(StoreFailure) -> [ObjectRow]
  /// Puts an object into the trash, where it counts as much as the quota allows again; the oldest go first. One that is gone
  /// already is no failure.
  ///
  /// - Parameter trash: how many deleted objects an account may have, and their bytes.
  /// - Returns: blobs that nothing names any more and that may go.
  func delete(_ account: UUID, _ object: UUID, trash: VaultLimits, at now: Timestamp) throws(StoreFailure) -> [UUID]
  /// Brings an object back from the trash.
  func restore(_ account: UUID, _ object: UUID, limits: VaultLimits) throws(StoreFailure) -> RestoreOutcome

  /// Rows of ways in, by identifier.
  func keyWraps(_ account: UUID) throws(StoreFailure) -> [KeyWrapRow]
  func putKeyWrap(_ account: UUID, _ row: KeyWrapRow, limit: Int) throws(StoreFailure) -> PutOutcome
  /// All rows and the manifest in one step. Rows that were there and aren't among the new ones go to the trash.
  func replaceKeyWraps(
    _ account: UUID, _ rows: [KeyWrapRow], manifest: [UInt8], expecting: ManifestTag, at now: Timestamp
  ) throws(StoreFailure) -> ManifestOutcome
  /// Puts a row into the trash; the last one stays. One that is gone already is no failure.
  func deleteKeyWrap(_ account: UUID, _ id: UUID, at now: Timestamp) throws(StoreFailure) -> DeleteOutcome
  func restoreKeyWrap(_ account: UUID, _ id: UUID, limit: Int) throws(StoreFailure) -> RestoreOutcome

  /// The months' totals that a person chose to tell, by month (`2026-12`).
  func usage(_ account: UUID) throws(StoreFailure) -> [UsageRow]
  /// One month's totals in the place of what was told of it.
  func setUsage(_ account: UUID, month: String, rows: [UsageRow]) throws(StoreFailure)

  /// Ends what is over: trash older than `trash`, reservations older than `reservations`. Gives blobs that nothing names any
  /// more and that may go.
  func sweep(trash: Timestamp, reservations: Timestamp, limit: Int) throws(StoreFailure) -> [UUID]
  /// Of these blobs those that an object, deleted or not, names.
  func named(_ blobs: [UUID]) throws(StoreFailure) -> Set<UUID>
  /// All blobs that objects name, in order, from the one after `after`.
  func blobs(after: UUID?, limit: Int) throws(StoreFailure) -> [BlobReference]
}

/// Why a store couldn't do what it was asked to. Nothing was changed, unless it can't be told.
package struct StoreFailure: Error, Sendable, Equatable {
  package enum Code: Sendable { case busy, full, unavailable, damaged }
  package var code: Code
  /// Words for the log: never what was to be stored.
  package var reason: String

  package init(_ code: Code, _ reason: String) {
    self.code = code
    self.reason = reason
  }
}

/// Most that an account may have.
package struct VaultLimits: Sendable {
  package var objectCount: Int
  /// Of all objects that are there or reserved.
  package var byteCount: Int

  package init(objectCount: Int, byteCount: Int) {
    self.objectCount = objectCount
    self.byteCount = byteCount
  }
}

package enum ManifestOutcome: Sendable, Equatable {
  case stored(ManifestTag)
  /// Another one is there: its tag; nil: there is none.
  case conflict(ManifestTag?)
}

package enum ReserveOutcome: Sendable, Equatable {
  /// By this number the object is kept or the room given back.
  case reserved(UUID)
  /// An object of this identifier is there: what comes is compared with it.
  case present(ObjectRow)
  /// It was deleted, and its identifier isn't free again.
  case gone
  case overQuota
  case tooManyObjects
}

package enum KeepOutcome: Sendable, Equatable {
  case stored
  /// Another request was faster: its row, which this one may be the same as.
  case present(ObjectRow)
  /// The reservation was swept, or the object deleted meanwhile: send it again.
  case lost
}

package enum PutOutcome: Sendable, Equatable { case stored, present, other, tooMany }
package enum DeleteOutcome: Sendable, Equatable { case done, last }
package enum RestoreOutcome: Sendable, Equatable { case restored, present, notFound, overLimit }
