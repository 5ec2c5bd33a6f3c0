public import SeifBackups
public import SeifBytes
internal import SeifHTTP

/// The folder that Google Drive keeps for Seif in a person's account (Drive API v3, `appDataFolder`), which nothing else
/// sees: each backup a file of its own.
///
/// Files have identifiers there, and two may have one name: a name is looked for before, and both are listed after.
public struct GoogleDriveTransport: BackupTransport {
  /// Who may ask, and as whom.
  struct Identity: Sendable, Equatable {
    var clientID: String
    /// Empty: it isn't known.
    var account: String
  }

  /// The server of the interface.
  let api: String
  let identity: Identity
  let session: OAuthSession
  let client: any HTTPClient
  /// For what isn't worth waiting for.
  let quickClient: any HTTPClient

  public var id: String { "google-drive" }
  public var displayName: String { identity.account.isEmpty ? "Google Drive" : "Google Drive of \(identity.account)" }
  public var place: String { "google-drive:\(api):\(identity.clientID):\(identity.account)" }
  public var requiresAuthentication: Bool { true }
  public var supportsAutomaticRestore: Bool { true }
  public var fixedName: String? { nil }
  public var createsConditionally: Bool { false }

  public func isAvailable() -> Bool { (try? page(after: nil, named: nil, count: 1, by: quickClient)) != nil }

  public func download(id: String, limit: Int) throws(TransportError) -> SecretValue {
    try check(id)
    let place = place(id)
    let request = HTTPRequest("GET", address("/drive/v3/files/\(id)", [("alt", "media")]), limit: limit)
    let answer = try session.send(request, isDownload: true, place: place, by: client)
    guard answer.status == 200 else { throw GoogleDriveFault.error(answer, place: place) }
    // Stored as bytes without a meaning, so that no page is one of them.
    guard answer["content-type"]?.lowercased().hasPrefix("text/html") != true else {
      throw TransportError(.badAnswer, place: place, reason: "a page instead of a file")
    }
    // Without a length a connection that breaks off looks like the end.
    let length = answer["content-length"]
    guard length == String(answer.body.byteCount) || length == nil && answer["transfer-encoding"] != nil else {
      throw TransportError(.incomplete, place: place, reason: "\(answer.body.byteCount) bytes came")
    }
    return answer.body
  }

  public func delete(id: String) throws(TransportError) {
    try check(id)
    let place = place(id)
    do throws(TransportError) {
      let request = HTTPRequest("DELETE", address("/drive/v3/files/\(id)"), isIdempotent: false)
      let answer = try session.send(request, place: place, by: client)
      guard answer.status == 204 || answer.status == 200 else { throw GoogleDriveFault.error(answer, place: place) }
    } catch {
      // It may have been done although nobody said so.
      guard [.unavailable, .timedOut].contains(error.code), try file(id, place) == nil else { throw error }
    }
  }

  // MARK: - Requests

  /// An address of the interface.
  func address(_ path: String, _ query: [(name: String, value: String)] = []) -> String {
    let pairs = query.map { "\($0.name)=\(HTTPAddress.encodingSegment($0.value))" }
    return api + path + (pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&"))
  }

  /// A file as a person would write it.
  func place(_ name: String) -> String { "\(displayName)/\(name)" }

  /// What the place tells of a file; nil: there is none.
  func file(_ id: String, _ place: String) throws(TransportError) -> GoogleDriveDocument.File? {
    let answer = try session.send(
      HTTPRequest("GET", address("/drive/v3/files/\(id)", [("fields", Self.fileFields)])), place: place, by: client)
    if answer.status == 404 { return nil }
    guard answer.status == 200 else { throw GoogleDriveFault.error(answer, place: place) }
    return try CloudDocument.read(place) { () throws(GoogleDriveDocument.Fault) in
      try GoogleDriveDocument.file(answer.body)
    }
  }

  /// What is asked of a file.
  static let fileFields = "id,name,size,md5Checksum,sha256Checksum,mimeType"

  private func check(_ id: String) throws(TransportError) {
    guard GoogleDriveDocument.isID(id) else {
      throw TransportError(.notFound, place: displayName, reason: "this can't be a file there")
    }
  }
}
