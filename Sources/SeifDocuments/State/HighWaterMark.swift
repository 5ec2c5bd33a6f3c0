internal import SeifBytes

/// The highest manifest of a vault that this client ever opened.
package struct HighWaterMark: Sendable, Equatable {
  /// 0: a vault was there, and no manifest yet.
  package var revision: Int
  /// SHA-256 of the sealed manifest, 64 lower-case hexadecimal digits; empty before the first.
  package var digest: String

  package init(revision: Int, digest: String) {
    self.revision = revision
    self.digest = digest
  }

  package init(_ manifest: StoredManifest) {
    self.init(revision: manifest.revision, digest: ManifestTag.sha256(manifest.blob))
  }

  init?(_ bytes: [UInt8]) {
    if bytes == Array("0\n".utf8) {
      self.init(revision: 0, digest: "")
      return
    }
    guard let version = FolderVersion(bytes), version.wraps == nil else { return nil }
    self.init(revision: version.revision, digest: version.manifest)
  }

  var bytes: [UInt8] {
    revision == 0 ? Array("0\n".utf8) : FolderVersion(revision: revision, manifest: digest).bytes
  }
}

/// A place that shows another past than this client has seen: an older copy of the vault, or none.
package struct Rollback: Sendable, Equatable {
  /// What is wrong with what is shown.
  package enum Kind: String, Sendable {
    /// A revision below the highest that was seen.
    case lowerRevision
    /// The revision that was seen, with other contents.
    case otherContents
    /// No manifest, where there was one.
    case noManifest
    /// No vault, where there was one.
    case noVault
  }
  package var kind: Kind
  /// What was seen.
  package var seen: HighWaterMark
  /// What is shown now; nil: nothing.
  package var shown: HighWaterMark?

  /// The rule: what was seen once can't be older or gone.
  package init?(seen: HighWaterMark?, status: StoreStatus, manifest: StoredManifest?) {
    guard let seen else { return nil }
    self.seen = seen
    shown = manifest.map { HighWaterMark($0) }
    guard status.isEnabled else {
      kind = .noVault
      return
    }
    guard let shown else {
      guard seen.revision > 0 else { return nil }
      kind = .noManifest
      return
    }
    if shown.revision < seen.revision {
      kind = .lowerRevision
    } else if shown.revision == seen.revision, shown.digest != seen.digest {
      kind = .otherContents
    } else {
      return nil
    }
  }
}
