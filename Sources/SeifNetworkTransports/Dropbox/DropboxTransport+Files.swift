public import SeifBackups
public import SeifBytes
internal import SeifHTTP
internal import SeifHTTPFields

extension DropboxTransport {
  public func listBackups() throws(TransportError) -> [BackupDescriptor] {
    // By bytes, the last word about a name counts: what changes meanwhile comes again.
    var found: [[UInt8]: DropboxDocument.Entry] = [:]
    try ListingParts.read(displayName) { (cursor) throws(TransportError) in
      let page = try page(after: cursor, count: 2000, by: client)
      for entry in page.entries where Self.isName(entry.name) { found[Array(entry.name.utf8)] = entry }
      return page.next
    }
    return found.values.filter { $0.kind == .file }.map {
      BackupDescriptor(id: Self.identifier($0.name, $0.revision), name: $0.name, byteCount: $0.byteCount)
    }
  }

  /// A part of the listing.
  func page(
    after cursor: String?, count: Int64, by client: any HTTPClient
  ) throws(TransportError) -> DropboxDocument.Page {
    let answer: HTTPResponse
    do throws(TransportError) {
      if let cursor {
        answer = try ask("files/list_folder/continue", displayName, by: client) { $0.member("cursor", cursor) }
      } else {
        answer = try ask("files/list_folder", displayName, by: client) { writer in
          writer.member("path", folder)
          writer.member("recursive", false)
          writer.member("include_deleted", false)
          writer.member("include_non_downloadable_files", false)
          writer.member("limit", count)
        }
      }
    } catch {
      guard error.code == .tooLarge else { throw error }
      throw TransportError(.badAnswer, place: displayName, reason: "a part of its listing has no end")
    }
    guard answer.status == 200 else {
      let error = DropboxFault.error(answer, place: displayName)
      guard error.code == .notFound else { throw error }
      // An empty list would look like a folder without backups.
      throw TransportError(.notFound, place: displayName, reason: "make this folder in Dropbox first")
    }
    return try CloudDocument.read(displayName) { () throws(DropboxDocument.Fault) in
      try DropboxDocument.page(answer.body)
    }
  }

  public func upload(_ content: SecretValue, name: String) throws(TransportError) -> BackupDescriptor {
    let path = try path(name)
    let place = place(name)
    let hash = DropboxDocument.contentHash(content)
    let fields = [
      HTTPField("Content-Type", "application/octet-stream"),
      try argument { writer in
        writer.member("path", path)
        writer.member("mode", "add")
        writer.member("autorename", false)
        writer.member("mute", true)
        // Without it the same bytes under the same name would be taken for a success.
        writer.member("strict_conflict", true)
        writer.member("content_hash", hash)
      },
    ]
    // Sent a second time, what was stored the first time would refuse itself.
    let request = HTTPRequest(
      "POST", servers.content + "/2/files/upload", fields: fields, body: content, isIdempotent: false)
    let file: DropboxDocument.Entry
    do throws(TransportError) {
      let answer = try session.send(request, place: place, by: client)
      guard answer.status == 200 else { throw DropboxFault.error(answer, place: place) }
      file = try CloudDocument.read(place) { () throws(DropboxDocument.Fault) in try DropboxDocument.entry(answer.body)
      }
    } catch {
      // It may have been done although nobody said so.
      guard [.unavailable, .timedOut, .badAnswer].contains(error.code),
        let there = try? entry(name, place), there.contentHash == hash
      else { throw error }
      file = there
    }
    // What lies under another name is left: the server chose that name, and an older backup can have it.
    guard file.kind == .file, file.name.utf8.elementsEqual(name.utf8) else {
      throw TransportError(.failed, place: place, reason: "Dropbox gives a file of this name another")
    }
    guard file.contentHash == hash, file.byteCount == content.byteCount else {
      // In the version that came of this upload alone.
      if let revision = file.revision { try? delete(name, revision) }
      throw TransportError(.incomplete, place: place, reason: "other bytes arrived than were sent")
    }
    return BackupDescriptor(id: Self.identifier(name, file.revision), name: name, byteCount: content.byteCount)
  }
}

extension JSONWriter {
  mutating func member(_ name: String, _ value: String) {
    key(name)
    string(value)
  }
  mutating func member(_ name: String, _ value: Bool) {
    key(name)
    bool(value)
  }
  mutating func member(_ name: String, _ value: Int64) {
    key(name)
    integer(value)
  }
}
