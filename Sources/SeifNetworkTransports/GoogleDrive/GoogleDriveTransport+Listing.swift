public import SeifBackups
internal import SeifHTTP

extension GoogleDriveTransport {
  public func listBackups() throws(TransportError) -> [BackupDescriptor] {
    try files(named: nil).map { BackupDescriptor(id: $0.id, name: $0.name, byteCount: $0.byteCount) }
  }

  /// The files there; of a name only those that have it byte for byte.
  func files(named name: String?) throws(TransportError) -> [GoogleDriveDocument.File] {
    var found: [GoogleDriveDocument.File] = []
    var ids = Set<String>()
    try ListingParts.read(displayName) { (token) throws(TransportError) in
      let page = try page(after: token, named: name, count: 1000, by: client)
      for file in page.files where !file.isFolder && Self.isName(file.name) {
        // Files that come or go meanwhile can shift others into the next part.
        guard name.map({ $0.utf8.elementsEqual(file.name.utf8) }) ?? true, ids.insert(file.id).inserted else {
          continue
        }
        found.append(file)
      }
      return page.next
    }
    return found
  }

  /// A part of the listing.
  func page(
    after token: String?, named name: String?, count: Int, by client: any HTTPClient
  ) throws(TransportError) -> GoogleDriveDocument.Page {
    var question = "'appDataFolder' in parents and trashed = false"
    if let name { question = "name = '\(Self.quoted(name))' and " + question }
    var query = [
      (name: "spaces", value: "appDataFolder"), (name: "q", value: question),
      (name: "fields", value: "nextPageToken,incompleteSearch,files(id,name,size,mimeType)"),
      (name: "pageSize", value: String(count)),
    ]
    if let token { query.append((name: "pageToken", value: token)) }
    let request = HTTPRequest(
      "GET", address("/drive/v3/files", query), limit: CloudDocument.maximumByteCount)
    let answer: HTTPResponse
    do throws(TransportError) {
      answer = try session.send(request, place: displayName, by: client)
    } catch {
      guard error.code == .tooLarge else { throw error }
      throw TransportError(.badAnswer, place: displayName, reason: "a part of its listing has no end")
    }
    guard answer.status == 200 else { throw GoogleDriveFault.error(answer, place: displayName) }
    return try CloudDocument.read(displayName) { () throws(GoogleDriveDocument.Fault) in
      try GoogleDriveDocument.page(answer.body)
    }
  }

  /// Whether a name can be one of ours: it leads nowhere, and nothing in it has to be hidden from a terminal.
  static func isName(_ name: String) -> Bool {
    !name.isEmpty && name != "." && name != ".." && name.utf8.count <= 1024
      && !name.utf8.contains { $0 == 0x2F || $0 < 0x20 || $0 == 0x7F }
  }

  // Drive, "Search query terms": quotes and backslashes are escaped by a backslash.
  private static func quoted(_ name: String) -> String {
    String(
      name.unicodeScalars.reduce(into: String.UnicodeScalarView()) { text, scalar in
        if scalar == "'" || scalar == "\\" { text.append("\\") }
        text.append(scalar)
      })
  }
}
