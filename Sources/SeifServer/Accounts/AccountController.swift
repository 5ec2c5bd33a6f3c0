package import SeifBytes
package import SeifCrypto
internal import SeifHTTPFields
package import SeifHTTPServer
internal import SeifServerStore

/// The address of a server, and before what it stands.
package struct AccountSettings: Sendable {
  /// Scheme, host and port as a browser writes them.
  package var origin: String
  /// The host alone: the relying party of passkeys.
  package var host: String
  /// Addresses of proxies whose `X-Forwarded-For` counts.
  package var proxies: [String]
  package var isSecure: Bool { origin.hasPrefix("https://") }

  package init(origin: String, host: String, proxies: [String] = []) {
    self.origin = origin
    self.host = host
    self.proxies = proxies
  }
}

/// Answers all calls about accounts. Holds nothing between them: what it must know again is in the store.
package struct AccountController: Sendable {
  package static let passkeyLimit = 20
  package static let tokenLimit = 50
  package static let challengeLimit = 100_000
  package static let deviceGrantLimit = 10_000

  let settings: AccountSettings
  let stores: ServerStores
  let key: ServerKey
  let hasher: PasswordHasher
  let random: RandomSource
  let throttle: Throttle
  let cookies: Cookies
  var accounts: any AccountStore { stores.accounts }
  var party: RelyingParty { RelyingParty(id: settings.host, origin: settings.origin) }

  package init(
    settings: AccountSettings, stores: ServerStores, key: ServerKey, hasher: PasswordHasher,
    random: RandomSource = .system
  ) {
    self.settings = settings
    self.stores = stores
    self.key = key
    self.hasher = hasher
    self.random = random
    throttle = Throttle(store: stores.accounts, key: key)
    cookies = Cookies(isSecure: settings.isSecure)
  }

  /// All calls. Patterns of other calls never match what these do.
  package var routes: [AccountRoute] {
    enrolmentRoutes + signInRoutes + freshenRoutes + accountRoutes + passkeyRoutes + totpRoutes + tokenRoutes
      + deviceRoutes
  }

  /// Does a call: who calls is found out, what the route needs is checked, then its handler runs.
  package func answer(_ route: AccountRoute, _ call: AccountCall) throws(AccountProblem) -> AccountReply {
    switch route.need {
    case .nothing:
      if route.pattern.hasPrefix("/account") {
        try OriginRules.check(call.head, origin: settings.origin, session: nil)
      }
      return try route.handler(call, nil)
    case .session: return try route.handler(call, try session(call.head, at: call.now))
    case .freshSession:
      let caller = try session(call.head, at: call.now)
      guard caller.isFresh else { throw AccountProblem(.freshSignIn) }
      return try route.handler(call, caller)
    case .token: return try route.handler(call, try token(call.head, at: call.now))
    }
  }

  /// Who a browser is signed in as, from the server's own pages.
  ///
  /// - Throws: `badRequest` where it shows a token too, `wrongOrigin`, `csrf`, `notSignedIn`.
  package func session(_ head: HTTPRequestHead, at now: Timestamp) throws(AccountProblem) -> AccountCaller {
    let cookie = Cookies.value(cookies.sessionName, in: head)
    let secret = cookie.flatMap { BearerSecret(text: $0) }
    guard cookie == nil || head.values("Authorization").isEmpty else { throw AccountProblem(.badRequest) }
    try OriginRules.check(head, origin: settings.origin, session: secret)
    guard let secret else { throw AccountProblem(.notSignedIn) }
    let hash = secret.hash
    guard var row = try stored({ () throws(StoreFailure) in try accounts.session(idHash: hash) }),
      !Lifetimes.isOver(row, at: now),
      let account = try stored({ () throws(StoreFailure) in try accounts.account(row.account) }), !account.isDisabled
    else { throw AccountProblem(.notSignedIn) }
    if Lifetimes.isOver(row.usedAt, Lifetimes.sessionNote, at: now) {
      try stored { () throws(StoreFailure) in try accounts.touchSession(idHash: hash, at: now) }
      row.usedAt = now
    }
    return AccountCaller(
      account: account, means: .session(row, secret), isFresh: Lifetimes.isFresh(row, at: now), mayWrite: true)
  }

  /// Whose token a request shows.
  ///
  /// - Throws: `badRequest` where it shows a session too, `notSignedIn`.
  package func token(_ head: HTTPRequestHead, at now: Timestamp) throws(AccountProblem) -> AccountCaller {
    let fields = head.values("Authorization")
    guard fields.isEmpty || Cookies.value(cookies.sessionName, in: head) == nil else {
      throw AccountProblem(.badRequest)
    }
    guard fields.count == 1, let field = fields.first, let space = field.firstIndex(of: " "),
      field[..<space].lowercased() == "bearer",
      let secret = BearerSecret(token: String(field[field.index(after: space)...]))
    else { throw AccountProblem(.notSignedIn) }
    let hash = secret.hash
    guard var row = try stored({ () throws(StoreFailure) in try accounts.token(hash: hash) }),
      !Lifetimes.isOver(row, at: now),
      let account = try stored({ () throws(StoreFailure) in try accounts.account(row.account) }), !account.isDisabled
    else { throw AccountProblem(.notSignedIn) }
    if Lifetimes.isOver(row.usedAt, Lifetimes.tokenNote, at: now) {
      try stored { () throws(StoreFailure) in try accounts.touchToken(hash: hash, at: now) }
      row.usedAt = now
    }
    return AccountCaller(
      account: account, means: .token(row), isFresh: Lifetimes.isFresh(row, at: now), mayWrite: row.writes)
  }

  /// A rule for the prefix of the address that a request comes from.
  func addressRule(_ kind: String, _ head: HTTPRequestHead, perSlot: Int) -> Throttle.Rule {
    let address = ClientAddress.of(
      peer: head.peer, forwarded: head.values("X-Forwarded-For"), proxies: settings.proxies)
    return Throttle.Rule(kind, ClientAddress.prefix(address), perSlot: perSlot)
  }
}
