public import SeifBackups
public import SeifBytes
internal import SeifCrypto
internal import SeifHTTP
internal import SeifHTTPFields

extension GoogleDriveTransport {
  /// Largest content that Drive takes in one request together with what it is called.
  static let multipartByteCount = 5 << 20

  public func upload(_ content: SecretValue, name: String) throws(TransportError) -> BackupDescriptor {
    guard Self.isName(name) else {
      throw TransportError(.notFound, place: displayName, reason: "this can't be a name of a file there")
    }
    let place = place(name)
    guard try files(named: name).isEmpty else { throw TransportError(.exists, place: place) }
    // Named beforehand, so that sent twice it is the same file, and not a second one of this name.
    let id = try newID(place)
    let file: GoogleDriveDocument.File?
    do throws(TransportError) {
      let answer =
        content.byteCount <= Self.multipartByteCount
        ? try session.send(request(content, name: name, id: id), place: place, by: client)
        : try sendLarge(content, name: name, id: id, place)
      switch answer.status {
      case 200, 201:
        file = try CloudDocument.read(place) { () throws(GoogleDriveDocument.Fault) in
          try GoogleDriveDocument.file(answer.body)
        }
      case 308: throw TransportError(.incomplete, place: place, reason: "not all of it arrived")
      case 409: file = try self.file(id, place)
      default: throw GoogleDriveFault.error(answer, place: place)
      }
    } catch {
      // It may have been done although nobody said so.
      guard [.unavailable, .timedOut].contains(error.code), let there = try? self.file(id, place) else { throw error }
      file = there
    }
    guard let file, file.id == id, file.name.utf8.elementsEqual(name.utf8), Self.isStored(content, as: file) else {
      // What isn't what was sent is no file of anybody's.
      try? delete(id: id)
      throw TransportError(.incomplete, place: place, reason: "other bytes arrived than were sent")
    }
    return BackupDescriptor(id: id, name: name, byteCount: content.byteCount)
  }

  /// Whether size and digest are those of some bytes.
  static func isStored(_ content: SecretValue, as file: GoogleDriveDocument.File) -> Bool {
    func digest(_ function: HashFunction) -> String {
      Base16.encode(content.withBytes { Digest.hash(function, $0) })
    }
    guard file.byteCount == content.byteCount else { return false }
    if let told = file.sha256 { return told.lowercased() == digest(.sha256) }
    if let told = file.md5 { return told.lowercased() == digest(.md5) }
    return false
  }

  private func newID(_ place: String) throws(TransportError) -> String {
    let query = [(name: "count", value: "1"), (name: "space", value: "appDataFolder"), (name: "type", value: "files")]
    let answer = try session.send(
      HTTPRequest("GET", address("/drive/v3/files/generateIds", query)), place: place, by: client)
    guard answer.status == 200 else { throw GoogleDriveFault.error(answer, place: place) }
    return try CloudDocument.read(place) { () throws(GoogleDriveDocument.Fault) in
      try GoogleDriveDocument.newID(answer.body)
    }
  }

  // Two requests: what the file is called, for an address that takes its bytes.
  private func sendLarge(
    _ content: SecretValue, name: String, id: String, _ place: String
  ) throws(TransportError) -> HTTPResponse {
    let query = [(name: "uploadType", value: "resumable"), (name: "fields", value: Self.fileFields)]
    let begun = try session.send(
      HTTPRequest(
        "POST", address("/upload/drive/v3/files", query),
        fields: [
          HTTPField("Content-Type", "application/json; charset=UTF-8"),
          HTTPField("X-Upload-Content-Type", "application/octet-stream"),
          HTTPField("X-Upload-Content-Length", String(content.byteCount)),
        ], body: Self.metadata(name: name, id: id)), place: place, by: client)
    guard begun.status == 200 else { return begun }
    // Bytes and token go to the server that was asked, and nowhere else.
    guard let location = begun["Location"], let target = try? HTTPAddress(location), let own = try? HTTPAddress(api),
      target.origin == own.origin
    else { throw TransportError(.redirected, place: place, reason: "the bytes should go to another server") }
    return try session.send(
      HTTPRequest(
        "PUT", target.description, fields: [HTTPField("Content-Type", "application/octet-stream")], body: content,
        isIdempotent: false), place: place, by: client)
  }

  private static func metadata(name: String, id: String) -> SecretValue {
    var metadata = JSONWriter()
    metadata.beginObject()
    metadata.key("id")
    metadata.string(id)
    metadata.key("name")
    metadata.string(name)
    metadata.key("parents")
    metadata.beginArray()
    metadata.string("appDataFolder")
    metadata.endArray()
    metadata.key("mimeType")
    metadata.string("application/octet-stream")
    metadata.key("appProperties")
    metadata.beginObject()
    metadata.key("seif")
    metadata.string("backup")
    metadata.endObject()
    metadata.endObject()
    return metadata.finish()
  }

  private func request(_ content: SecretValue, name: String, id: String) -> HTTPRequest {
    let described = Self.metadata(name: name, id: id)
    let boundary = Self.boundary()
    var body = SecretBuffer(capacity: content.byteCount + described.byteCount + 512)
    body.append(utf8: "--\(boundary)\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n")
    body.append(described)
    body.append(utf8: "\r\n--\(boundary)\r\nContent-Type: application/octet-stream\r\n\r\n")
    body.append(content)
    body.append(utf8: "\r\n--\(boundary)--\r\n")
    let query = [(name: "uploadType", value: "multipart"), (name: "fields", value: Self.fileFields)]
    return HTTPRequest(
      "POST", address("/upload/drive/v3/files", query),
      fields: [HTTPField("Content-Type", "multipart/related; boundary=\(boundary)")], body: body.finish())
  }

  // 128 random bits, which no content holds but by a chance that never comes; a sealed file needn't be searched for them.
  private static func boundary() -> String {
    "seif-" + Base16.encode(RandomSource.system.makeBytes(16))
  }
}
