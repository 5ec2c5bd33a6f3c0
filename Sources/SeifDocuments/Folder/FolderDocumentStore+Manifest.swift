internal import Glibc
internal import SeifBytes
internal import SeifDocumentFormat

/// What `version` says: one line with the revision, the manifest's SHA-256 and, while all rows change with it, theirs.
struct FolderVersion: Equatable {
  var revision: Int
  var manifest: String
  var wraps: String?

  init(revision: Int, manifest: String, wraps: String? = nil) {
    self.revision = revision
    self.manifest = manifest
    self.wraps = wraps
  }

  init?(_ bytes: [UInt8]) {
    guard bytes.last == 0x0A, let text = String(validating: bytes.dropLast(), as: UTF8.self) else { return nil }
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), let revision = ManifestTag.number(parts[0]), revision > 0,
      parts.dropFirst().allSatisfy(Self.isDigest)
    else { return nil }
    self.init(revision: revision, manifest: String(parts[1]), wraps: parts.count == 3 ? String(parts[2]) : nil)
  }

  var bytes: [UInt8] {
    Array(("\(revision) \(manifest)" + (wraps.map { " " + $0 } ?? "") + "\n").utf8)
  }

  private static func isDigest(_ text: Substring) -> Bool {
    text.utf8.count == 64 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}

extension FolderDocumentStore {
  package func manifest() throws(DocumentError) -> StoredManifest? { try readState(openFolder()) }

  package func replaceManifest(_ blob: [UInt8], expecting: ManifestTag?) throws(DocumentError) -> ManifestTag {
    try replace(blob, wraps: nil, expecting: expecting)
  }

  /// Commits a manifest, and all rows with it.
  func replace(_ blob: [UInt8], wraps: [UInt8]?, expecting: ManifestTag?) throws(DocumentError) -> ManifestTag {
    guard blob.count <= DocumentLimits.manifestByteCount else { throw DocumentError(.tooLarge, place: place) }
    guard blob.count >= DocumentLimits.sealedOverhead else { throw DocumentError(.damaged, place: place) }
    return try writing { (folder) throws(DocumentError) in
      let current = try readState(folder)
      guard current?.tag == expecting else {
        throw DocumentError(.conflict, place: place, current: current?.tag)
      }
      let (revision, overflow) = (current?.revision ?? 0).addingReportingOverflow(1)
      guard !overflow else { throw DocumentError(.damaged, place: folder.path(Name.version)) }
      let version = FolderVersion(
        revision: revision, manifest: ManifestTag.sha256(blob), wraps: wraps.map { ManifestTag.sha256($0) })
      // What `version` will name must last before it does.
      if let wraps { try folder.replace(Name.nextWraps, with: wraps) }
      try folder.replace(Name.nextManifest, with: blob)
      try folder.sync()
      try folder.replace(Name.version, with: version.bytes)
      try folder.sync()
      // From here on it is done; what follows any writer does for one that was ended.
      try? settle(folder)
      if let objects = try? FolderHandle(Name.objects, in: folder) { objects.removeLeftOver() }
      return ManifestTag(revision: revision, blob: blob)
    }
  }

  /// The manifest that `version` names. Reads without the lock: a writer may be at work, so it looks again.
  func readState(_ folder: borrowing FolderHandle) throws(DocumentError) -> StoredManifest? {
    for attempt in 0..<50 {
      if attempt > 0 { usleep(2_000) }
      guard let version = try readVersion(folder) else {
        // The manifest has its name only after `version` has.
        guard folder.exists(Name.manifest), try readVersion(folder) == nil else {
          if folder.exists(Name.version) { continue }
          return nil
        }
        throw DocumentError(.damaged, place: folder.path(Name.version), reason: "it is missing")
      }
      for name in [Name.manifest, Name.nextManifest] {
        guard let blob = try folder.read(name, limit: DocumentLimits.manifestByteCount) else { continue }
        if ManifestTag.sha256(blob) == version.manifest {
          return StoredManifest(revision: version.revision, blob: blob)
        }
      }
    }
    throw DocumentError(.damaged, place: folder.path(Name.manifest), reason: "it isn't the one that version names")
  }

  func readVersion(_ folder: borrowing FolderHandle) throws(DocumentError) -> FolderVersion? {
    guard let bytes = try folder.read(Name.version, limit: 256) else { return nil }
    guard let version = FolderVersion(bytes) else {
      throw DocumentError(.damaged, place: folder.path(Name.version))
    }
    return version
  }

  /// Ends what a writer began: what counts gets its name, what never counted goes.
  func settle(_ folder: borrowing FolderHandle) throws(DocumentError) {
    let hasNext = folder.exists(Name.nextManifest) || folder.exists(Name.nextWraps)
    let version = try readVersion(folder)
    guard hasNext || version?.wraps != nil else { return }
    try publish(
      Name.nextManifest, as: Name.manifest, digest: version?.manifest, limit: DocumentLimits.manifestByteCount, folder)
    try publish(
      Name.nextWraps, as: Name.wraps, digest: version?.wraps, limit: DocumentBounds.keyWrapsByteCount, folder)
    try folder.sync()
    guard let version, version.wraps != nil else { return }
    // Rows may change by themselves again only once nothing names them.
    try folder.replace(Name.version, with: FolderVersion(revision: version.revision, manifest: version.manifest).bytes)
    try folder.sync()
  }

  private func publish(
    _ next: String, as name: String, digest: String?, limit: Int, _ folder: borrowing FolderHandle
  ) throws(DocumentError) {
    guard let bytes = try folder.read(next, limit: limit) else { return }
    guard ManifestTag.sha256(bytes) == digest else { return try folder.remove(next) }
    guard renameat(folder.descriptor, next, folder.descriptor, name) == 0 else {
      throw SystemRefusal.error(place: folder.path(name))
    }
  }
}
