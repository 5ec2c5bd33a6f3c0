internal import Glibc
public import SeifBackups
internal import SeifBytes
internal import SeifHTTP

extension DropboxTransport {
  /// The kind, for a registry.
  public static let kind = TransportKind(
    id: "dropbox", displayName: "Dropbox",
    fields: [
      TransportField("app-key", "app key of your own app at Dropbox (docs/transports.md says how to make one)"),
      TransportField("refresh-token", "permission", isSecret: true, preset: "", isAsked: false),
      TransportField("account", "identifier of the account", preset: "", isAsked: false),
      TransportField("folder", "folder, such as /backups; none: the whole folder of the app", preset: ""),
      TransportField("ca-file", "file with the certificates to trust instead of the system's", preset: ""),
      TransportField("api", "address for questions and tokens", preset: "https://api.dropboxapi.com", isAsked: false),
      TransportField("content", "address for files", preset: "https://content.dropboxapi.com", isAsked: false),
      TransportField("accounts", "address where Seif is allowed", preset: "https://www.dropbox.com", isAsked: false),
    ] + NetworkClient.proxyFields, authorize: { try authorize(&$0, $1) },
    revoke: { (settings) throws(TransportError) in try revoke(settings) }
  ) { (settings) throws(TransportError) in
    let quick = try quickClient(settings)
    return try DropboxTransport(settings, client: RetryingClient(quick), quickClient: quick)
  }

  /// What is asked for: the files of the folder, and what they are called.
  static let scope = "files.content.read files.content.write files.metadata.read"

  /// What sends requests and doesn't wait.
  static func quickClient(_ settings: TransportSettings) throws(TransportError) -> any HTTPClient {
    try NetworkClient.make(settings, allowsHTTP: false, followsRedirects: false, retries: false)
  }

  /// A transport of settings, with what sends its requests.
  init(
    _ settings: TransportSettings, client: any HTTPClient, quickClient: any HTTPClient,
    now: @escaping @Sendable () -> Int64 = { Int64(time(nil)) }
  ) throws(TransportError) {
    let oauth = try Self.oauth(settings)
    let account = settings.values["account"] ?? ""
    guard account.isEmpty || OAuthAnswer.isPlain(account, 256) else {
      throw CloudAddress.fault(settings, "account", "it isn't one")
    }
    servers = Servers(
      api: try CloudAddress.server(settings, "api"), content: try CloudAddress.server(settings, "content"))
    appKey = oauth.clientID
    self.account = account
    folder = try Self.folder(settings)
    self.client = client
    self.quickClient = quickClient
    session = OAuthSession(oauth, settings, now: now)
  }

  static func oauth(_ settings: TransportSettings) throws(TransportError) -> OAuthClient {
    let appKey = settings.values["app-key"] ?? ""
    guard OAuthAnswer.isPlain(appKey, 64) else {
      throw CloudAddress.fault(settings, "app-key", "it has at most 64 characters, and no spaces")
    }
    return OAuthClient(
      place: settings.name, clientID: appKey, clientSecret: .empty,
      authorizationAddress: try CloudAddress.server(settings, "accounts") + "/oauth2/authorize",
      tokenAddress: try CloudAddress.server(settings, "api") + "/oauth2/token", deviceAddress: nil, scope: scope,
      neededScope: scope, extras: [("token_access_type", "offline")])
  }

  // A slash at its beginning is a person's matter of taste, one at its end too.
  private static func folder(_ settings: TransportSettings) throws(TransportError) -> String {
    let parts = (settings.values["folder"] ?? "").split(separator: "/").map(String.init)
    guard parts.count <= 32, parts.allSatisfy(isName) else {
      throw CloudAddress.fault(settings, "folder", "it is a path of folders such as /a/b, without . and ..")
    }
    return parts.map { "/" + $0 }.joined()
  }

  // By an access token, whose permission ends with it.
  private static func revoke(_ settings: TransportSettings) throws(TransportError) {
    let client = try quickClient(settings)
    let tokens = try oauth(settings).refresh(settings.secrets["refresh-token"] ?? .empty, by: client)
    let request = HTTPRequest(
      "POST", try CloudAddress.server(settings, "api") + "/2/auth/token/revoke",
      authentication: .bearer(tokens.access), limit: CloudDocument.maximumByteCount)
    let answer: HTTPResponse
    do throws(HTTPFailure) { answer = try client.send(request) } catch {
      throw TransportError(error, isDownload: false, place: settings.name)
    }
    guard answer.status == 200 else { throw DropboxFault.error(answer, place: settings.name) }
  }

  // Dropbox takes only addresses that an app has listed, port and all, so none of this machine: the code is typed.
  private static func authorize(
    _ settings: inout TransportSettings, _ dialogue: any AuthorizationDialogue
  ) throws {
    let client = RetryingClient(try quickClient(settings))
    let tokens = try OAuthPermission(oauth: try oauth(settings), client: client, dialogue: dialogue).byTypedCode()
    settings.secrets["refresh-token"] = tokens.refresh
    settings.values["account"] = tokens.account ?? ""
  }
}
