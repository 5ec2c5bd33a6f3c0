internal import SeifBackups
internal import SeifBytes
internal import SeifCrypto

/// The documents that Dropbox answers with, as values; all of them bounded, strict JSON.
enum DropboxDocument {
  typealias Fault = CloudDocument.Fault

  /// What lies somewhere, as the place tells it.
  struct Entry: Equatable {
    enum Kind { case file, folder, gone }
    var kind: Kind
    var name: String
    var byteCount: Int?
    /// 64 hexadecimal digits.
    var contentHash: String?
    /// Which version of it this is.
    var revision: String?
  }

  /// A part of a listing.
  struct Page: Equatable {
    var entries: [Entry]
    /// What the next part is asked for with; nil: this is the last.
    var next: String?
  }

  /// A part of a listing (files/list_folder).
  static func page(_ body: SecretValue) throws(Fault) -> Page {
    let root = try object(body)
    guard let entries = root["entries"], entries.kind == .array, let hasMore = root["has_more"]?.bool else {
      throw Fault(words: "it isn't a listing")
    }
    var page = Page(entries: [], next: nil)
    for value in entries.elements { page.entries.append(try entry(value)) }
    if hasMore {
      guard let cursor = root["cursor"]?.string, OAuthAnswer.isPlain(cursor, 4096) else {
        throw Fault(words: "there is more, and no cursor to ask for it")
      }
      page.next = cursor
    }
    return page
  }

  /// What one file or folder is (files/get_metadata, and what came of an upload, which has no tag).
  static func entry(_ body: SecretValue) throws(Fault) -> Entry { try entry(object(body)) }

  /// The code of a refusal, such as `path/not_found`; nil: the body holds none.
  static func summary(_ body: SecretValue) -> String? {
    guard let text = (try? object(body))?["error_summary"]?.string else { return nil }
    // Random dots at its end keep programs from comparing it whole.
    let parts = text.split(separator: "/").filter(isTag).prefix(4)
    return parts.isEmpty ? nil : parts.joined(separator: "/")
  }

  /// What Dropbox calls the hash of a content: SHA-256 of the digests of its blocks of 4 MiB, in hexadecimal digits.
  static func contentHash(_ content: SecretValue) -> String {
    let blockByteCount = 4 << 20
    var digests: [UInt8] = []
    content.withBytes { bytes in
      for start in stride(from: 0, to: bytes.byteCount, by: blockByteCount) {
        digests += Digest.sha256(bytes.extracting(start..<min(start + blockByteCount, bytes.byteCount)))
      }
    }
    return Base16.encode(Digest.sha256(digests.span.bytes))
  }

  private static func object(_ body: SecretValue) throws(Fault) -> JSONValue {
    try CloudDocument.object(body, of: "Dropbox", valueCount: 500_000)
  }

  private static func entry(_ value: JSONValue) throws(Fault) -> Entry {
    guard let name = value["name"]?.string else { throw Fault(words: "a file has no name") }
    switch value[".tag"]?.string {
    case "folder": return Entry(kind: .folder, name: name)
    case "deleted": return Entry(kind: .gone, name: name)
    case "file", nil: break
    default: throw Fault(words: "what an entry is isn't known")
    }
    guard let size = value["size"]?.int64, size >= 0, size <= 1 << 53 else {
      throw Fault(words: "a size isn't a number")
    }
    guard let hash = value["content_hash"]?.string, hash.utf8.count == 64 else {
      throw Fault(words: "a file has no hash")
    }
    return Entry(
      kind: .file, name: name, byteCount: Int(size), contentHash: hash.lowercased(), revision: value["rev"]?.string)
  }

  // A tag: lower case letters and `_`.
  private static func isTag(_ text: Substring) -> Bool {
    (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x5F }
  }
}
