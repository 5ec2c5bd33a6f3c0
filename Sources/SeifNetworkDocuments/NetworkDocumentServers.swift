package import SeifBytes
package import SeifDocuments
package import SeifHTTP
internal import SeifHTTPFields

/// Servers of document vaults over HTTP (docs/api-accounts.md). A session lives for one call here: what stays is a token.
package struct NetworkDocumentServers: DocumentServers {
  private let client: any HTTPClient

  /// - Parameter client: tries again where that does no harm, and follows no redirect.
  package init(client: any HTTPClient) { self.client = client }

  /// As a program has it: the system's certificates, the environment's proxy.
  ///
  /// - Parameter userAgent: `seif/1.2.3`.
  package init(userAgent: String) {
    self.init(client: RetryingClient(CurlClient(CurlSettings(userAgent: userAgent))))
  }

  package func origin(of text: String) throws(SignInError) -> String {
    let address: HTTPAddress
    do throws(HTTPFailure) { address = try HTTPAddress(text) } catch {
      guard case .badAddress(let why) = error else { throw .badAddress("it can't be read") }
      throw .badAddress(why)
    }
    guard address.path == "/", address.query == nil else { throw .badAddress("it names a place at the server") }
    guard address.scheme == "https" || address.isLoopback else {
      throw .badAddress("http is for this machine alone: what is sent could be read and changed on the way")
    }
    let origin = address.description
    return String(origin.dropLast(origin.hasSuffix("/") ? 1 : 0))
  }

  package func store(at origin: String, token: SecretValue) -> any DocumentStore {
    ServerDocumentStore(client: client, origin: origin, token: token)
  }

  package func enrol(at origin: String, link: SecretValue, password: SecretValue) throws(SignInError) -> String {
    // EXPOSE: the link's token is a part of the address; it is good once, and used up by this.
    guard let token = link.exposedText(), token.utf8.count == 43, token.utf8.allSatisfy(Self.isBase64URL) else {
      throw .noSuchLink
    }
    let answer = try post(origin, "/account/enrol/\(token)", Self.object([("password", password)]))
    guard answer.status == 200, let name = Self.root(answer)?["name"]?.string, !name.isEmpty, name.utf8.count <= 256
    else { throw Self.error(answer) }
    return name
  }

  package func makeToken(
    at origin: String, _ person: ServerPerson, label: String
  ) throws(SignInError) -> ServerToken {
    let session = try signIn(origin, person)
    defer { end(session) }
    let body = Self.object([("label", SecretValue(utf8: label)), ("scope", SecretValue(utf8: "read write"))])
    let answer = try post(origin, "/account/tokens", body, session)
    guard answer.status == 201, let root = Self.root(answer), let id = root["id"]?.string.flatMap({ UUID($0) }),
      let token = root["token"]?.secret, token.byteCount == 48
    else { throw Self.error(answer) }
    return ServerToken(id: id, token: token)
  }

  package func revokeToken(at origin: String, _ person: ServerPerson, id: UUID) throws(SignInError) {
    let session = try signIn(origin, person)
    defer { end(session) }
    let answer = try send(HTTPRequest("DELETE", "\(origin)/account/tokens/\(id)", fields: session.fields))
    // One that is gone already is none any more.
    guard [204, 404].contains(answer.status) else { throw Self.error(answer) }
  }

  package func freshen(at origin: String, _ person: ServerPerson, token: SecretValue) throws(SignInError) {
    var fields = [("password", person.password)]
    if let code = person.code { fields.append(("code", code)) }
    let answer = try send(
      HTTPRequest(
        "POST", "\(origin)/api/v1/freshen", fields: [ServerBounds.json], body: Self.object(fields),
        authentication: .bearer(token), limit: Self.limit, isIdempotent: false))
    guard answer.status == 204 else { throw Self.error(answer) }
  }

  // MARK: - Sessions

  private static let limit = 64 << 10

  private struct Session {
    var origin: String
    var fields: [HTTPField]
  }

  private func signIn(_ origin: String, _ person: ServerPerson) throws(SignInError) -> Session {
    var fields = [("name", SecretValue(utf8: person.name)), ("password", person.password)]
    if let code = person.code { fields.append(("code", code)) }
    let answer = try post(origin, "/account/session", Self.object(fields))
    guard answer.status == 200, let csrf = Self.root(answer)?["csrf"]?.string, Self.isFieldValue(csrf),
      let cookie = Self.cookie(answer)
    else { throw Self.error(answer) }
    return Session(
      origin: origin,
      fields: [HTTPField("Origin", origin), HTTPField("Cookie", cookie), HTTPField("X-CSRF-Token", csrf)])
  }

  private func end(_ session: Session) {
    // It ends by itself, too.
    _ = try? send(HTTPRequest("DELETE", "\(session.origin)/account/session", fields: session.fields))
  }

  /// The cookie of a session, as it is sent back.
  private static func cookie(_ answer: HTTPResponse) -> String? {
    for field in answer.fields where field.name.lowercased() == "set-cookie" {
      let pair = field.value.prefix { $0 != ";" }
      guard let equals = pair.firstIndex(of: "="), ["__Host-seif", "seif"].contains(String(pair[..<equals])),
        isFieldValue(String(pair)), pair[equals...].utf8.count > 1
      else { continue }
      return String(pair)
    }
    return nil
  }

  private static func isFieldValue(_ text: String) -> Bool {
    text.utf8.count <= 512 && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x3B && $0 != 0x2C }
  }

  private static func isBase64URL(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
    default: false
    }
  }

  // MARK: - Asking

  private func post(
    _ origin: String, _ path: String, _ body: SecretValue, _ session: Session? = nil
  ) throws(SignInError) -> HTTPResponse {
    // Codes and links are good once, so nothing is sent again unless it surely wasn't done.
    try send(
      HTTPRequest(
        "POST", origin + path, fields: (session?.fields ?? [HTTPField("Origin", origin)]) + [ServerBounds.json],
        body: body, limit: Self.limit, isIdempotent: false))
  }

  private func send(_ request: HTTPRequest) throws(SignInError) -> HTTPResponse {
    do throws(HTTPFailure) { return try client.send(request) } catch { throw .failed(ServerProblem.words(error)) }
  }

  private static func object(_ members: [(String, SecretValue)]) -> SecretValue {
    var writer = JSONWriter()
    writer.beginObject()
    for (name, value) in members {
      writer.key(name)
      writer.string(value)
    }
    writer.endObject()
    return writer.finish()
  }

  private static func root(_ answer: HTTPResponse) -> JSONValue? {
    let policy = JSONPolicy(isStrict: true, maximumByteCount: limit, maximumDepth: 4, maximumValueCount: 100)
    guard let document = try? JSONDocument(parsing: answer.body, policy: policy), document.root.kind == .object else {
      return nil
    }
    return document.root
  }

  private static func error(_ answer: HTTPResponse) -> SignInError {
    let type = root(answer)?["type"]?.string ?? ""
    let word = type.hasPrefix("/problems/") ? String(type.dropFirst("/problems/".count)) : ""
    return switch (answer.status, word) {
    case (401, "second-factor"): .secondFactor
    case (401, "not-signed-in"): .unknownToken
    case (401, _): .refused
    case (403, "wrong-origin"): .otherAddress
    case (404, "no-such-link"): .noSuchLink
    case (409, _): .tooManyTokens
    case (422, "weak-password"): .weakPassword
    case (429, _), (503, _): .throttled
    case (200...299, _): .failed("its answer isn't one of such a server")
    default: .failed("it answers with status \(answer.status)")
    }
  }
}
