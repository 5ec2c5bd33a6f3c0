internal import Glibc
public import SeifBackups
internal import SeifBytes
internal import SeifHTTP

extension GoogleDriveTransport {
  /// The kind, for a registry.
  public static let kind = TransportKind(
    id: "google-drive", displayName: "Google Drive",
    fields: [
      TransportField("client-id", "client ID of your own project at Google (docs/transports.md says how to make one)"),
      TransportField("client-secret", "client secret of the same", isSecret: true, preset: ""),
      TransportField("refresh-token", "permission", isSecret: true, preset: "", isAsked: false),
      TransportField("account", "address of the account", preset: "", isAsked: false),
      TransportField("ca-file", "file with the certificates to trust instead of the system's", preset: ""),
      TransportField("api", "address of the interface", preset: "https://www.googleapis.com", isAsked: false),
      TransportField(
        "accounts", "address where Seif is allowed", preset: "https://accounts.google.com", isAsked: false),
      TransportField(
        "tokens", "address where tokens are exchanged", preset: "https://oauth2.googleapis.com", isAsked: false),
    ] + NetworkClient.proxyFields, authorize: { try authorize(&$0, $1) },
    revoke: { (settings) throws(TransportError) in
      try oauth(settings).revoke(
        settings.secrets["refresh-token"] ?? .empty, at: CloudAddress.server(settings, "tokens") + "/revoke",
        by: clients(settings).1)
    }
  ) { (settings) throws(TransportError) in
    let (client, quick) = try clients(settings)
    return try GoogleDriveTransport(settings, client: client, quickClient: quick)
  }

  /// The one thing that is asked for: a folder that only this client sees.
  static let scope = "https://www.googleapis.com/auth/drive.appdata"

  /// What sends requests, and the same for what isn't worth waiting for; they share connections.
  static func clients(
    _ settings: TransportSettings, time: RetryingClient.Time = .system
  ) throws(TransportError) -> (any HTTPClient, any HTTPClient) {
    let quick = GoogleDriveLimits(
      client: try NetworkClient.make(settings, allowsHTTP: false, followsRedirects: false, retries: false))
    return (RetryingClient(quick, time: time), quick)
  }

  /// A transport of settings, with what sends its requests.
  init(
    _ settings: TransportSettings, client: any HTTPClient, quickClient: any HTTPClient,
    now: @escaping @Sendable () -> Int64 = { Int64(time(nil)) }
  ) throws(TransportError) {
    let oauth = try Self.oauth(settings)
    let account = settings.values["account"] ?? ""
    guard account.isEmpty || OAuthAnswer.isPlain(account, 254) else {
      throw CloudAddress.fault(settings, "account", "it isn't one")
    }
    api = try CloudAddress.server(settings, "api")
    identity = Identity(clientID: oauth.clientID, account: account)
    self.client = client
    self.quickClient = quickClient
    session = OAuthSession(oauth, settings, now: now)
  }

  static func oauth(_ settings: TransportSettings) throws(TransportError) -> OAuthClient {
    let clientID = settings.values["client-id"] ?? ""
    guard OAuthAnswer.isPlain(clientID, 256) else {
      throw CloudAddress.fault(settings, "client-id", "it has at most 256 characters, and no spaces")
    }
    let secret = settings.secrets["client-secret"] ?? .empty
    guard secret.isEmpty || OAuthAnswer.isToken(secret) else {
      throw CloudAddress.fault(settings, "client-secret", "it holds a space or another character that none has")
    }
    let accounts = try CloudAddress.server(settings, "accounts")
    let tokens = try CloudAddress.server(settings, "tokens")
    return OAuthClient(
      place: settings.name, clientID: clientID, clientSecret: secret,
      authorizationAddress: accounts + "/o/oauth2/v2/auth", tokenAddress: tokens + "/token",
      deviceAddress: tokens + "/device/code", scope: scope, neededScope: scope,
      // Else a second permission comes without a token that lasts.
      extras: [("access_type", "offline"), ("prompt", "consent")])
  }

  private static func authorize(
    _ settings: inout TransportSettings, _ dialogue: any AuthorizationDialogue
  ) throws {
    let (client, _) = try clients(settings)
    let permission = OAuthPermission(oauth: try oauth(settings), client: client, dialogue: dialogue)
    let tokens = try dialogue.isBrowserElsewhere ? permission.byDevice() : permission.byBrowser()
    settings.secrets["refresh-token"] = tokens.refresh
    settings.values["account"] = try account(settings, tokens.access, client)
  }

  // Two people of one machine have a folder each, and the ledger has to tell them apart.
  private static func account(
    _ settings: TransportSettings, _ token: SecretValue, _ client: any HTTPClient
  ) throws(TransportError) -> String {
    let api = try CloudAddress.server(settings, "api")
    let answer: HTTPResponse
    do throws(HTTPFailure) {
      answer = try client.send(
        HTTPRequest(
          "GET", api + "/drive/v3/about?fields=user(emailAddress,permissionId)", authentication: .bearer(token)))
    } catch {
      throw TransportError(error, isDownload: false, place: settings.name)
    }
    guard answer.status == 200 else { throw GoogleDriveFault.error(answer, place: settings.name) }
    guard let account = GoogleDriveDocument.account(answer.body) else {
      throw TransportError(
        .badAnswer, place: settings.name, reason: "it doesn't say whose folder this is, so two couldn't be told apart")
    }
    return account
  }
}
