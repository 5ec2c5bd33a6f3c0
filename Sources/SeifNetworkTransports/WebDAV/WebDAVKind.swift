public import SeifBackups
internal import SeifBytes
internal import SeifHTTP

extension WebDAVTransport {
  /// The kind, for a registry.
  public static let kind = TransportKind(
    id: "webdav", displayName: "WebDAV",
    fields: [
      TransportField("url", "address of the folder, such as https://cloud.example/remote.php/dav/files/me/backups/"),
      TransportField("user", "user's name", preset: ""),
      TransportField("password", "password, best one for this program alone", isSecret: true, preset: ""),
      TransportField("ca-file", "file with the certificates to trust instead of the system's", preset: ""),
      TransportField("allow-http", "allow http://, open to anybody on the way: yes or no", preset: "no"),
    ] + NetworkClient.proxyFields
  ) { (settings) throws(TransportError) in
    let allowsHTTP = settings.values["allow-http"] == "yes"
    // One client below both, so that they share its connections.
    let quick = try NetworkClient.make(
      settings, allowsHTTP: allowsHTTP, followsRedirects: true, retries: false)
    return try WebDAVTransport(settings, client: RetryingClient(quick), quickClient: quick)
  }

  /// A transport of settings, with what sends its requests.
  ///
  /// - Parameter quickClient: for what isn't worth waiting for.
  init(
    _ settings: TransportSettings, client: any HTTPClient, quickClient: any HTTPClient
  ) throws(TransportError) {
    func fault(_ field: String, _ words: String) -> TransportError {
      TransportError(.badSettings, place: settings.name, reason: "\(field): \(words)", field: field)
    }
    let allowed = settings.values["allow-http"] ?? "no"
    guard ["yes", "no"].contains(allowed) else { throw fault("allow-http", "it is yes or no") }
    let address: HTTPAddress
    do throws(HTTPFailure) {
      address = try HTTPAddress(HTTPAddress.encoding(settings.values["url"] ?? ""))
    } catch {
      guard case .badAddress(let words) = error else { throw fault("url", "it isn't an address") }
      throw fault("url", words)
    }
    guard address.query == nil, DAVListing.segments(address.path) != nil else {
      throw fault("url", "a folder's address has no question mark")
    }
    guard address.scheme == "https" || address.isLoopback || allowed == "yes" else {
      throw fault("url", "http shows the password to anybody on the way: use https")
    }
    let user = settings.values["user"] ?? ""
    guard !user.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }), user.utf8.count <= 1024 else {
      throw fault("user", "it holds a control character or is too long")
    }
    let password = settings.secrets["password"] ?? SecretValue.empty
    guard password.byteCount <= 4096 else { throw fault("password", "it is too long") }
    self.init(
      address: address, authentication: user.isEmpty ? .none : .password(user: user, password),
      createsConditionally: settings.createsConditionally, client: client, quickClient: quickClient)
  }
}
