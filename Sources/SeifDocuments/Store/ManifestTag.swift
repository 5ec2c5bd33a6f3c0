internal import SeifBytes
internal import SeifCrypto

/// Which manifest a store holds: its revision, and the beginning of its sealed bytes' SHA-256.
///
/// A revision alone could come back with other contents, after a server's owner restored an older copy.
package struct ManifestTag: Sendable, Hashable, CustomStringConvertible {
  /// 1 for the first manifest, one more for each that replaced it.
  package let revision: Int
  /// The first 16 hexadecimal digits, lower case, of the SHA-256 of the sealed manifest.
  package let digest: String

  /// The tag of a sealed manifest.
  package init(revision: Int, blob: [UInt8]) {
    self.revision = revision
    digest = String(ManifestTag.sha256(blob).prefix(16))
  }

  /// A tag as it is written: `7-0123456789abcdef`, with or without quotes; nil for anything else, a weak one too.
  package init?(_ text: String) {
    var text = text[...]
    if text.hasPrefix("\""), text.hasSuffix("\""), text.utf8.count >= 2 { text = text.dropFirst().dropLast() }
    let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let revision = Self.number(parts[0]), revision > 0, parts[1].utf8.count == 16,
      parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else { return nil }
    self.revision = revision
    digest = String(parts[1])
  }

  /// As it stands in `ETag` and `If-Match`, without the quotes.
  package var description: String { "\(revision)-\(digest)" }

  /// A number in digits alone, without leading zeros.
  static func number(_ text: some StringProtocol) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    guard text.utf8.first != 0x30 || text.utf8.count == 1 else { return nil }
    return Int(text)
  }

  /// The SHA-256 of sealed bytes in lower-case hexadecimal digits.
  package static func sha256(_ bytes: [UInt8]) -> String { Base16.encode(Digest.sha256(bytes.span.bytes)) }
}

/// A sealed manifest as a store holds it.
package struct StoredManifest: Sendable {
  /// 1 for the first.
  package var revision: Int
  /// nonce ‖ ciphertext ‖ tag.
  package var blob: [UInt8]

  package init(revision: Int, blob: [UInt8]) {
    self.revision = revision
    self.blob = blob
  }

  /// What a conditional replacement names it by.
  package var tag: ManifestTag { ManifestTag(revision: revision, blob: blob) }
}
