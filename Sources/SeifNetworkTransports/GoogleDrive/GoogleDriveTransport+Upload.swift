public import SeifBackups
public import SeifBytes
internal import SeifCrypto
internal import SeifHTTP

extension GoogleDriveTransport {
  public func upload(_ content: SecretValue, name: String) throws(TransportError) -> BackupDescriptor {
    guard Self.isName(name) else {
      throw TransportError(.notFound, place: displayName, reason: "this can't be a name of a file there")
    }
    let place = place(name)
    guard try files(named: name).isEmpty else { throw TransportError(.exists, place: place) }
    // Named beforehand, so that sent twice it is the same file, and not a second one of this name.
    let id = try newID(place)
    let answer = try session.send(request(content, name: name, id: id), place: place, by: client)
    let file: GoogleDriveDocument.File?
    switch answer.status {
    case 200, 201:
      file = try read(place) { () throws(GoogleDriveDocument.Fault) in try GoogleDriveDocument.file(answer.body) }
    case 409: file = try self.file(id, place)
    default: throw GoogleDriveFault.error(answer, place: place)
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
    return try read(place) { () throws(GoogleDriveDocument.Fault) in try GoogleDriveDocument.newID(answer.body) }
  }

  private func request(_ content: SecretValue, name: String, id: String) -> HTTPRequest {
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
    let described = metadata.finish()
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
