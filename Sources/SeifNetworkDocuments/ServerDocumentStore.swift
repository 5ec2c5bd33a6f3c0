package import SeifBytes
internal import SeifDocumentFormat
package import SeifDocuments
package import SeifHTTP
internal import SeifHTTPFields

/// A document vault at a server (docs/api.md, the mount for apps). Whatever the server says is bounded and checked for its
/// form; whether it is true, only the client that stands on this can find out.
package struct ServerDocumentStore: DocumentStore {
  private let client: any HTTPClient
  /// Scheme, host and port.
  private let origin: String
  private let token: SecretValue

  package var place: String { origin }

  /// - Parameters:
  ///   - client: sends and tries again; follows no redirect.
  ///   - origin: `https://docs.example.org`, without a slash at its end.
  ///   - token: `seif_…`.
  package init(client: any HTTPClient, origin: String, token: SecretValue) {
    self.client = client
    self.origin = origin
    self.token = token
  }

  // MARK: - Status and manifest

  package func status() throws(DocumentError) -> StoreStatus {
    let root = try ServerJSON(ask("GET", ""), place: place)
    return try StoreStatus(
      isEnabled: root.bool("enabled"), revision: root.number("manifestVersion"), objectCount: root.number("objects"),
      byteCount: root.number("bytes"), keyWrapCount: root.number("wraps"))
  }

  package func manifest() throws(DocumentError) -> StoredManifest? {
    let answer: HTTPResponse
    do throws(DocumentError) {
      answer = try ask("GET", "/manifest", limit: ServerBounds.manifestAnswerByteCount)
    } catch {
      guard error.code == .notFound else { throw error }
      return nil
    }
    let root = try ServerJSON(answer, place: place)
    let manifest = StoredManifest(
      revision: try root.number("version"), blob: try root.base64("manifest", at: 28...DocumentLimits.manifestByteCount)
    )
    guard manifest.revision > 0, answer["ETag"] == "\"\(manifest.tag)\"" else {
      throw broken("its manifest has another tag")
    }
    return manifest
  }

  package func replaceManifest(_ blob: [UInt8], expecting: ManifestTag?) throws(DocumentError) -> ManifestTag {
    guard blob.count <= DocumentLimits.manifestByteCount else { throw DocumentError(.tooLarge, place: place) }
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("manifest")
    writer.string(Base64.encode(blob.span.bytes))
    writer.endObject()
    let condition = expecting.map { HTTPField("If-Match", "\"\($0)\"") } ?? HTTPField("If-None-Match", "*")
    return try tag(ask("PUT", "/manifest", fields: [condition, ServerBounds.json], body: writer.finish()), of: blob)
  }

  private func tag(_ answer: HTTPResponse, of blob: [UInt8]) throws(DocumentError) -> ManifestTag {
    let tag = ManifestTag(revision: try ServerJSON(answer, place: place).number("version"), blob: blob)
    guard tag.revision > 0, answer["ETag"] == "\"\(tag)\"" else { throw broken("it confirms another manifest") }
    return tag
  }

  // MARK: - Objects

  package func putObject(_ id: UUID, from source: ObjectSource) throws(DocumentError) -> StoreOutcome {
    guard source.byteCount >= DocumentLimits.sealedOverhead else { throw DocumentError(.damaged, place: place) }
    guard source.byteCount <= DocumentLimits.documentByteCount + DocumentLimits.sealedOverhead else {
      throw DocumentError(.tooLarge, place: place)
    }
    let body = PulledBody(source, place: place)
    var request = request("PUT", "/objects/\(id)", fields: [ServerBounds.octets])
    request.source = body
    let answer: HTTPResponse
    do throws(DocumentError) { answer = try send(request) } catch { throw body.failure ?? error }
    if let failure = body.failure { throw failure }
    return answer.status == 201 ? .stored : .present
  }

  package func objectByteCount(_ id: UUID) throws(DocumentError) -> Int? {
    do throws(DocumentError) {
      let answer = try ask("HEAD", "/objects/\(id)", fields: [ServerBounds.acceptOctets])
      guard let text = answer["Content-Length"], text.utf8.count <= 12, let count = Int(text), count >= 0 else {
        throw broken("it gives no length")
      }
      return count
    } catch {
      guard error.code == .notFound else { throw error }
      return nil
    }
  }

  package func readObject(
    _ id: UUID, range: Range<Int>?, _ body: (RawSpan) throws(DocumentError) -> Void
  ) throws(DocumentError) {
    let most = DocumentLimits.documentByteCount + DocumentLimits.sealedOverhead
    if let range, range.isEmpty {
      guard try objectByteCount(id) != nil else { throw DocumentError(.notFound, place: "\(place), object \(id)") }
      return
    }
    var fields = [ServerBounds.acceptOctets]
    if let range { fields.append(HTTPField("Range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)")) }
    let result = try withoutActuallyEscaping(body) { (body) throws(DocumentError) in
      let sink = PushedBody(body)
      var request = request("GET", "/objects/\(id)", fields: fields, limit: range.map(\.count) ?? most)
      request.sink = sink
      do throws(DocumentError) {
        let answer = try send(request)
        if let failure = sink.end() { throw failure }
        return (status: answer.status, failure: DocumentError?.none)
      } catch {
        // Behind the end there is nothing, which is no failure.
        if let failure = sink.end() { throw failure }
        if range != nil, error.reason == ServerBounds.rangeWords { return (status: 206, failure: nil) }
        throw error
      }
    }
    guard (result.status == 206) == (range != nil) else { throw broken("it gives another part than was asked for") }
  }

  package func deleteObject(_ id: UUID) throws(DocumentError) { _ = try ask("DELETE", "/objects/\(id)") }

  package func restoreObject(_ id: UUID) throws(DocumentError) { _ = try ask("POST", "/objects/\(id)/restore") }

  package func listObjects(after: UUID?, limit: Int) throws(DocumentError) -> ObjectPage {
    let limit = min(max(1, limit), ObjectPage.limit)
    let query = "?limit=\(limit)" + (after.map { "&after=\($0)" } ?? "")
    let answer = try ask("GET", "/objects" + query, limit: ServerBounds.listAnswerByteCount)
    let root = try ServerJSON(answer, place: place)
    var page = ObjectPage(objects: [], next: try root.optionalID("next"))
    try root.forEach("objects", most: limit) { (row) throws(DocumentError) in
      page.objects.append(
        ObjectEntry(id: try row.id("id"), byteCount: try row.number("bytes"), createdAt: try row.time("createdAt")))
    }
    return page
  }

  // MARK: - Ways in

  package func keyWraps() throws(DocumentError) -> [StoredKeyWrap] {
    let root = try ServerJSON(ask("GET", "/key-wraps", limit: 1 << 20), place: place)
    var rows: [StoredKeyWrap] = []
    try root.forEach("wraps", most: DocumentLimits.keyWrapCount) { (row) throws(DocumentError) in
      rows.append(StoredKeyWrap(id: try row.id("id"), json: row.canonical))
    }
    return rows
  }

  package func putKeyWrap(_ row: StoredKeyWrap) throws(DocumentError) -> StoreOutcome {
    let answer = try ask("PUT", "/key-wraps/\(row.id)", fields: [ServerBounds.json], body: row.json)
    return answer.status == 201 ? .stored : .present
  }

  package func removeKeyWrap(_ id: UUID) throws(DocumentError) { _ = try ask("DELETE", "/key-wraps/\(id)") }

  package func restoreKeyWrap(_ id: UUID) throws(DocumentError) { _ = try ask("POST", "/key-wraps/\(id)/restore") }

  package func replaceKeyWraps(
    _ rows: [StoredKeyWrap], manifest: [UInt8], expecting: ManifestTag
  ) throws(DocumentError) -> ManifestTag {
    guard !rows.isEmpty else { throw DocumentError(.lastKeyWrap, place: place) }
    guard rows.count <= DocumentLimits.keyWrapCount else { throw DocumentError(.tooManyKeyWraps, place: place) }
    guard manifest.count <= DocumentLimits.manifestByteCount else { throw DocumentError(.tooLarge, place: place) }
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("manifest")
    writer.string(Base64.encode(manifest.span.bytes))
    writer.key("wraps")
    writer.beginArray()
    for row in rows { writer.raw(row.json) }
    writer.endArray()
    writer.endObject()
    let condition = HTTPField("If-Match", "\"\(expecting)\"")
    return try tag(
      ask("PUT", "/key-wraps", fields: [condition, ServerBounds.json], body: writer.finish()), of: manifest)
  }

  // MARK: - Asking

  private func ask(
    _ method: String, _ path: String, fields: [HTTPField] = [], body: SecretValue? = nil, limit: Int = 64 << 10
  ) throws(DocumentError) -> HTTPResponse {
    try send(request(method, path, fields: fields, body: body, limit: limit))
  }

  private func request(
    _ method: String, _ path: String, fields: [HTTPField], body: SecretValue? = nil, limit: Int = 64 << 10
  ) -> HTTPRequest {
    // Each call may be made twice: what is there already counts as done, and a manifest names the one before.
    HTTPRequest(
      method, "\(origin)/api/v1/vault\(path)", fields: fields, body: body, authentication: .bearer(token), limit: limit)
  }

  private func send(_ request: HTTPRequest) throws(DocumentError) -> HTTPResponse {
    let answer: HTTPResponse
    do throws(HTTPFailure) { answer = try client.send(request) } catch {
      throw DocumentError(error == .tooLarge ? .damaged : .failed, place: place, reason: ServerProblem.words(error))
    }
    guard !(200...299).contains(answer.status) else { return answer }
    throw ServerProblem(answer).error(place: place)
  }

  private func broken(_ what: String) -> DocumentError { DocumentError(.damaged, place: place, reason: what) }
}
