package import SeifBytes
internal import SeifCrypto

/// Which manifest: its version and the beginning of its blob's SHA-256, as the strong tag `"7-0123456789abcdef"`.
package struct ManifestTag: Sendable, Hashable {
  /// At least 1.
  package var version: Int
  /// The first 16 hexadecimal digits, lower case.
  package var hash: String

  package init(version: Int, blob: [UInt8]) {
    self.version = version
    hash = Base16.encode(Array(Digest.sha256(blob.span.bytes).prefix(8)))
  }

  /// Reads a single strong tag, with its quotes; nil for anything else.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes.first == 0x22, bytes.last == 0x22,
      let dash = bytes.firstIndex(of: 0x2D), bytes.count - dash == 18, (2...20).contains(dash), bytes[1] != 0x30
    else { return nil }
    let (digits, hash) = (bytes[1..<dash], bytes[(dash + 1)..<(bytes.count - 1)])
    guard digits.allSatisfy({ (0x30...0x39).contains($0) }),
      hash.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }),
      let version = Int(String(decoding: digits, as: UTF8.self))
    else { return nil }
    self.version = version
    self.hash = String(decoding: hash, as: UTF8.self)
  }

  /// The tag with its quotes.
  package var text: String { "\"\(version)-\(hash)\"" }
}

package struct StoredManifest: Sendable, Equatable {
  package var version: Int
  package var blob: [UInt8]
  package var tag: ManifestTag { ManifestTag(version: version, blob: blob) }

  package init(version: Int, blob: [UInt8]) {
    self.version = version
    self.blob = blob
  }
}

package struct VaultStatus: Sendable, Equatable {
  /// Of the manifest; 0 before the first.
  package var manifestVersion: Int
  package var objectCount: Int
  /// Of all objects that are there.
  package var byteCount: Int
  package var keyWrapCount: Int

  package init(manifestVersion: Int = 0, objectCount: Int = 0, byteCount: Int = 0, keyWrapCount: Int = 0) {
    self.manifestVersion = manifestVersion
    self.objectCount = objectCount
    self.byteCount = byteCount
    self.keyWrapCount = keyWrapCount
  }
}

/// An object: a sealed document, by the name that its client gave it, and the blob that it lies in.
package struct ObjectRow: Sendable, Equatable {
  package var id: UUID
  package var blob: UUID
  package var byteCount: Int
  /// Of the sealed bytes, 32 bytes.
  package var sha256: [UInt8]
  package var createdAt: Timestamp

  package init(id: UUID, blob: UUID, byteCount: Int, sha256: [UInt8], createdAt: Timestamp) {
    self.id = id
    self.blob = blob
    self.byteCount = byteCount
    self.sha256 = sha256
    self.createdAt = createdAt
  }
}

/// A row of a way in: what kind it is, and what its client needs to open it. Kinds other than these two are kept and shown.
package struct KeyWrapRow: Sendable, Equatable {
  package var id: UUID
  /// `recovery`, `passkey`, or another of 1 to 32 characters `a-z`, `0-9` and `-`.
  package var kind: String
  /// Of `recovery`: 16 bytes.
  package var salt: [UInt8]?
  /// Of `recovery`.
  package var iterations: Int?
  /// Of `passkey`: 1 to 1023 bytes.
  package var credentialID: [UInt8]?
  /// 60 bytes.
  package var wrappedKey: [UInt8]
  /// As its client says.
  package var createdAt: Timestamp

  package init(
    id: UUID, kind: String, salt: [UInt8]? = nil, iterations: Int? = nil, credentialID: [UInt8]? = nil,
    wrappedKey: [UInt8], createdAt: Timestamp
  ) {
    self.id = id
    self.kind = kind
    self.salt = salt
    self.iterations = iterations
    self.credentialID = credentialID
    self.wrappedKey = wrappedKey
    self.createdAt = createdAt
  }
}

/// How many documents of a kind a vault has in a month, and their bytes, as the person chose to tell.
package struct UsageRow: Sendable, Equatable {
  package var month: String
  /// One of `document sheet slides text image archive`.
  package var kind: String
  package var count: Int
  package var byteCount: Int

  package init(month: String, kind: String, count: Int, byteCount: Int) {
    self.month = month
    self.kind = kind
    self.count = count
    self.byteCount = byteCount
  }
}

/// A blob that an object names.
package struct BlobReference: Sendable, Equatable {
  package var blob: UUID
  package var byteCount: Int
  package var sha256: [UInt8]

  package init(blob: UUID, byteCount: Int, sha256: [UInt8]) {
    self.blob = blob
    self.byteCount = byteCount
    self.sha256 = sha256
  }
}
