public import SeifBackups
public import SeifBytes
internal import SeifHTTP
internal import SeifHTTPFields

/// A folder of a person's Dropbox (API v2), best the one that Dropbox keeps for this app alone: each backup a file of its
/// own. Dropbox itself refuses a name that is taken.
public struct DropboxTransport: BackupTransport {
  /// The servers of its interface.
  struct Servers: Sendable, Equatable {
    /// For questions.
    var api: String
    /// For files.
    var content: String
  }

  let servers: Servers
  let appKey: String
  /// The account's identifier; empty: it isn't known.
  let account: String
  /// Empty, or a path with a slash at its beginning and none at its end.
  let folder: String
  let session: OAuthSession
  let client: any HTTPClient
  /// For what isn't worth waiting for.
  let quickClient: any HTTPClient

  public var id: String { "dropbox" }
  public var displayName: String { "Dropbox\(folder)" }
  // Dropbox tells no case apart in paths, so neither does the ledger.
  public var place: String { "dropbox:\(servers.api):\(appKey):\(account):\(folder.lowercased())" }
  public var requiresAuthentication: Bool { true }
  public var supportsAutomaticRestore: Bool { true }
  public var fixedName: String? { nil }
  public var createsConditionally: Bool { true }

  public func isAvailable() -> Bool { (try? page(after: nil, count: 1, by: quickClient)) != nil }

  public func download(id: String, limit: Int) throws(TransportError) -> SecretValue {
    let (name, _) = Self.parts(id)
    let path = try path(name)
    let place = place(name)
    let request = HTTPRequest(
      "POST", servers.content + "/2/files/download", fields: [try argument { $0.member("path", path) }], limit: limit)
    let answer = try session.send(request, isDownload: true, place: place, by: client)
    guard answer.status == 200 else { throw DropboxFault.error(answer, place: place) }
    // What the file is stands in a field of the head: a page for people has none.
    guard let told = answer["Dropbox-API-Result"] else {
      throw TransportError(.badAnswer, place: place, reason: "a page instead of a file")
    }
    let file = try CloudDocument.read(place) { () throws(DropboxDocument.Fault) in
      try DropboxDocument.entry(SecretValue(utf8: told))
    }
    guard file.contentHash == DropboxDocument.contentHash(answer.body) else {
      throw TransportError(
        .incomplete, place: place, reason: "\(answer.body.byteCount) bytes came, not those that lie there")
    }
    return answer.body
  }

  public func delete(id: String) throws(TransportError) {
    let (name, known) = Self.parts(id)
    if let known { return try delete(name, known) }
    let place = place(name)
    guard let file = try entry(name, place), file.kind == .file, let revision = file.revision else {
      throw TransportError(.notFound, place: place)
    }
    try delete(name, revision)
  }

  /// A name and the version of it that was listed or stored, so that nothing goes that somebody put in its place since.
  static func identifier(_ name: String, _ revision: String?) -> String {
    guard let revision, isRevision(revision) else { return name }
    return "\(revision)/\(name)"
  }

  /// What an identifier stands for: a slash is in no name.
  static func parts(_ id: String) -> (name: String, revision: String?) {
    guard let slash = id.utf8.firstIndex(of: 0x2F), isRevision(String(id[..<slash])) else { return (id, nil) }
    return (String(id[id.utf8.index(after: slash)...]), String(id[..<slash]))
  }

  private static func isRevision(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) }
  }

  /// Removes one version of a file, and nothing else: without a version a folder of this name would go, and all that is in
  /// it.
  func delete(_ name: String, _ revision: String) throws(TransportError) {
    let path = try path(name)
    let place = place(name)
    do throws(TransportError) {
      let answer = try ask("files/delete_v2", place, isIdempotent: false) { writer in
        writer.member("path", path)
        writer.member("parent_rev", revision)
      }
      guard answer.status == 200 else {
        let error = DropboxFault.error(answer, place: place)
        guard error.code == .exists else { throw error }
        throw TransportError(.failed, place: place, reason: "another version of it lies there now")
      }
    } catch {
      // It may have been done although nobody said so.
      guard [.unavailable, .timedOut].contains(error.code), try entry(name, place) == nil else { throw error }
    }
  }

  // MARK: - Names

  /// The path of a name.
  func path(_ name: String) throws(TransportError) -> String {
    guard Self.isName(name) else {
      throw TransportError(.notFound, place: displayName, reason: "this can't be a name of a file there")
    }
    return "\(folder)/\(name)"
  }

  /// A file as a person would write it.
  func place(_ name: String) -> String { "\(displayName)/\(name)" }

  /// Whether a name stays within the folder, and nothing in it has to be hidden from a terminal.
  static func isName(_ name: String) -> Bool {
    !name.isEmpty && name != "." && name != ".." && name.utf8.count <= 255
      && !name.utf8.contains { $0 == 0x2F || $0 < 0x20 || $0 == 0x7F }
  }

  // MARK: - Requests

  /// What lies under a name; nil: nothing.
  func entry(_ name: String, _ place: String) throws(TransportError) -> DropboxDocument.Entry? {
    let path = try path(name)
    let answer = try ask("files/get_metadata", place) { $0.member("path", path) }
    guard answer.status == 200 else {
      let error = DropboxFault.error(answer, place: place)
      if error.code == .notFound { return nil }
      throw error
    }
    let entry = try CloudDocument.read(place) { () throws(DropboxDocument.Fault) in
      try DropboxDocument.entry(answer.body)
    }
    return entry.kind == .gone ? nil : entry
  }

  /// A question whose answer is a document.
  func ask(
    _ route: String, _ place: String, isIdempotent: Bool = true, by client: (any HTTPClient)? = nil,
    _ members: (inout JSONWriter) -> Void
  ) throws(TransportError) -> HTTPResponse {
    var writer = JSONWriter()
    writer.beginObject()
    members(&writer)
    writer.endObject()
    let request = HTTPRequest(
      "POST", "\(servers.api)/2/\(route)", fields: [HTTPField("Content-Type", "application/json")],
      body: writer.finish(), limit: CloudDocument.maximumByteCount, isIdempotent: isIdempotent)
    return try session.send(request, place: place, by: client ?? self.client)
  }

  /// The arguments of a request whose body is a file: JSON in a field of the head, all but ASCII escaped.
  func argument(_ members: (inout JSONWriter) -> Void) throws(TransportError) -> HTTPField {
    var writer = JSONWriter()
    writer.beginObject()
    members(&writer)
    writer.endObject()
    // EXPOSE: names and digests aren't secret.
    guard let text = writer.finish().exposedText() else {
      throw TransportError(.failed, place: displayName, reason: "a name can't be sent")
    }
    var escaped = ""
    for unit in text.utf16 {
      if let scalar = Unicode.Scalar(unit), scalar.value < 0x7F {
        escaped.unicodeScalars.append(scalar)
      } else {
        let digits = String(unit, radix: 16)
        escaped += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
      }
    }
    return HTTPField("Dropbox-API-Arg", escaped)
  }
}
