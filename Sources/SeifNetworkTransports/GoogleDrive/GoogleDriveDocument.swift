internal import SeifBackups
internal import SeifBytes
internal import SeifHTTP

/// The documents that Drive answers with, as values; all of them bounded, strict JSON.
enum GoogleDriveDocument {
  typealias Fault = CloudDocument.Fault

  /// A file as the place tells it.
  struct File: Equatable {
    var id: String
    var name: String
    var byteCount: Int?
    /// In lower case hexadecimal digits.
    var md5: String?
    var sha256: String?
    var isFolder = false
  }

  /// A part of a listing.
  struct Page: Equatable {
    var files: [File]
    /// What the next part is asked for with; nil: this is the last.
    var next: String?
  }

  /// A part of a listing (files.list).
  static func page(_ body: SecretValue) throws(Fault) -> Page {
    let root = try object(body)
    guard let files = root["files"], files.kind == .array else { throw Fault(words: "it isn't a listing") }
    guard root["incompleteSearch"]?.bool != true else { throw Fault(words: "its listing isn't whole") }
    var page = Page(files: [], next: nil)
    for value in files.elements { page.files.append(try file(value)) }
    if let next = root["nextPageToken"] {
      guard let token = next.string, OAuthAnswer.isPlain(token, 4096) else {
        throw Fault(words: "there is more, and no token to ask for it")
      }
      page.next = token
    }
    return page
  }

  /// One file.
  static func file(_ body: SecretValue) throws(Fault) -> File { try file(object(body)) }

  /// The first of some new identifiers (files.generateIds).
  static func newID(_ body: SecretValue) throws(Fault) -> String {
    guard let id = try object(body)["ids"]?.elements.first(where: { _ in true })?.string, isID(id) else {
      throw Fault(words: "it gives no identifier for a file")
    }
    return id
  }

  /// The address of the account, else its identifier (about.get); nil: neither is told, or can be shown.
  static func account(_ body: SecretValue) -> String? {
    guard let user = (try? object(body))?["user"] else { return nil }
    return [user["emailAddress"]?.string, user["permissionId"]?.string].compactMap { $0 }
      .first { OAuthAnswer.isPlain($0, 254) }
  }

  /// The code of a refusal; nil: the body holds none.
  static func reason(_ body: SecretValue) -> String? {
    guard let error = (try? object(body))?["error"] else { return nil }
    // What says more stands behind what says less: RESOURCE_EXHAUSTED, ACCESS_TOKEN_SCOPE_INSUFFICIENT.
    let codes =
      (error["errors"]?.elements.map { $0["reason"]?.string } ?? [])
      + (error["details"]?.elements.map { $0["reason"]?.string } ?? []) + [error["status"]?.string]
    return codes.compactMap { $0 }.first(where: OAuthAnswer.isCode)
  }

  /// Whether a text is an identifier of a file, which goes into addresses.
  static func isID(_ text: String) -> Bool {
    (1...256).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
          || byte == 0x5F || byte == 0x2D
      }
  }

  private static func object(_ body: SecretValue) throws(Fault) -> JSONValue {
    try CloudDocument.object(body, of: "Drive", valueCount: 100_000)
  }

  private static func file(_ value: JSONValue) throws(Fault) -> File {
    guard let id = value["id"]?.string, isID(id) else { throw Fault(words: "a file has no identifier") }
    guard let name = value["name"]?.string else { throw Fault(words: "a file has no name") }
    var file = File(id: id, name: name)
    if let size = value["size"] {
      // A number of 64 bits stands as a string there.
      guard let text = size.string, (1...16).contains(text.utf8.count),
        text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(text)
      else { throw Fault(words: "a size isn't a number") }
      file.byteCount = count
    }
    file.md5 = value["md5Checksum"]?.string
    file.sha256 = value["sha256Checksum"]?.string
    file.isFolder = value["mimeType"]?.string == "application/vnd.google-apps.folder"
    return file
  }
}
