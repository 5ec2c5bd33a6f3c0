internal import SeifBytes
internal import SeifCrypto
internal import SeifHTTPFields
internal import SeifHTTPServer
internal import SeifServerStore

extension AccountController {
  var enrolmentRoutes: [AccountRoute] {
    [AccountRoute(method: "POST", pattern: "/account/enrol/{token}", body: .json, need: .nothing, handler: enrol)]
  }

  var signInRoutes: [AccountRoute] {
    [
      AccountRoute(method: "POST", pattern: "/account/session", body: .json, need: .nothing, handler: signIn),
      AccountRoute(method: "DELETE", pattern: "/account/session", body: .none, need: .session, handler: signOut),
      AccountRoute(
        method: "POST", pattern: "/account/session/passkey/begin", body: .none, need: .nothing,
        handler: beginPasskeySignIn),
      AccountRoute(
        method: "POST", pattern: "/account/session/passkey/finish", body: .json, need: .nothing,
        handler: finishPasskeySignIn),
    ]
  }

  private func signInAddressRule(_ head: HTTPRequestHead) -> Throttle.Rule {
    addressRule("sign-in", head, perSlot: 20)
  }

  @Sendable private func enrol(_ call: AccountCall, _: AccountCaller?) throws(AccountProblem) -> AccountReply {
    let members = try AccountMembers(call.body, required: ["password"])
    try throttle.admit([signInAddressRule(call.head)], at: call.now)
    // Before anything is derived: 256 bits aren't guessed, and a link that is none costs the server nothing.
    guard let token = call.parameters["token"].flatMap({ BearerSecret(text: $0) }),
      let invited = try stored({ () throws(StoreFailure) in
        try accounts.enrolment(tokenHash: token.hash, at: call.now)
      })
    else { throw AccountProblem(.noSuchLink) }
    guard let password = PasswordRules.accepted(try members.secret("password"), name: invited.name) else {
      throw AccountProblem(.weakPassword)
    }
    let hash = try hasher.hash(password)
    let used = try stored { () throws(StoreFailure) in
      try accounts.useEnrolment(tokenHash: token.hash, password: hash, at: call.now)
    }
    guard let account = used else { throw AccountProblem(.noSuchLink) }
    return .json { $0.member("name", account.name) }
  }

  @Sendable private func signIn(_ call: AccountCall, _: AccountCaller?) throws(AccountProblem) -> AccountReply {
    let members = try AccountMembers(call.body, required: ["name", "password"], optional: ["code"])
    let typed = try members.text("name")
    let (typedPassword, code) = (try members.secret("password"), try members.optionalSecret("code"))
    let name = AccountNames.normalised(typed)
    let found = try stored { () throws(StoreFailure) in
      try name.map { (name) throws(StoreFailure) in
        try accounts.account(named: name)
      } ?? nil
    }
    let known = found.flatMap { account in
      Cookies.value(cookies.knownName, in: call.head).flatMap { KnownBrowser($0, account: account.id, key: key) }
    }
    let rules: [Throttle.Rule]
    if let known {
      rules = [Throttle.Rule("known", known.number, perSlot: 10, strained: .init(after: 50, perSlot: 2))]
    } else {
      rules = [
        signInAddressRule(call.head),
        Throttle.Rule(
          "account", Array((name ?? typed).utf8.prefix(64)), perSlot: 10, strained: .init(after: 50, perSlot: 2)),
      ]
    }
    try throttle.admit(rules, at: call.now)
    // One derivation, whether there is such an account or not.
    let usable = found.flatMap { $0.isDisabled || $0.password == nil ? nil : $0 }
    let password = PasswordRules.normalised(typedPassword) ?? .empty
    guard try hasher.isRight(password, usable?.password), let account = usable else {
      throw AccountProblem(.signInFailed)
    }
    let second = try checkSecondFactor(account, code, subject: known?.number, at: call.now)
    try throttle.forget(rules.filter { $0.kind != "sign-in" } + second, at: call.now)
    return try makeSession(account, call, known: known)
  }

  /// The code of an account that has a second factor.
  ///
  /// - Parameter subject: by whom attempts are counted; nil: by account.
  /// - Returns: the rules that the attempt was counted under.
  func checkSecondFactor(
    _ account: AccountRow, _ typed: SecretValue?, subject: [UInt8]?, at now: Timestamp
  ) throws(AccountProblem) -> [Throttle.Rule] {
    guard let sealed = account.totp else { return [] }
    guard let typed else { throw AccountProblem(.secondFactor) }
    let rule = Throttle.Rule(
      subject == nil ? "second" : "known-second", subject ?? account.id.bytes, perSlot: 5,
      strained: .init(after: 20, perSlot: 1))
    try throttle.admit([rule], at: now)
    let isRight: Bool
    switch SecondFactor.typed(typed) {
    case .totp(let code):
      let secret = try openTOTP(sealed, account)
      guard let step = SecondFactor.step(code, secret: secret, at: now) else { throw AccountProblem(.signInFailed) }
      isRight = try stored { () throws(StoreFailure) in try accounts.useTOTPStep(account.id, step: step) }
    case .signInCode(let code):
      let hash = SignInCodes.hash(code, account: account.id)
      isRight = try stored { () throws(StoreFailure) in try accounts.useSignInCode(account.id, hash: hash) }
    case nil: isRight = false
    }
    guard isRight else { throw AccountProblem(.signInFailed) }
    return [rule]
  }

  func openTOTP(_ sealed: [UInt8], _ account: AccountRow) throws(AccountProblem) -> SecretValue {
    do throws(CryptoError) {
      return try key.open(sealed, purpose: SecondFactor.purpose, account: account.id)
    } catch {
      // Another server's key: nothing that the person could mend.
      throw AccountProblem(.unavailable)
    }
  }

  /// Signs a browser in: another session in the place of the one it showed.
  func makeSession(
    _ account: AccountRow, _ call: AccountCall, known: KnownBrowser?
  ) throws(AccountProblem) -> AccountReply {
    if let earlier = Cookies.value(cookies.sessionName, in: call.head).flatMap({ BearerSecret(text: $0) }) {
      try stored { () throws(StoreFailure) in try accounts.endSession(idHash: earlier.hash) }
    }
    let secret = BearerSecret(random)
    let row = SessionRow(
      idHash: secret.hash, handle: random.makeUUID(), account: account.id, createdAt: call.now, usedAt: call.now,
      freshAt: call.now, agent: Self.shortened(call.head["User-Agent"] ?? ""))
    // Whose password was changed meanwhile isn't signed in by the old one.
    let isMade = try stored { () throws(StoreFailure) in try accounts.makeSession(row, password: account.password) }
    guard isMade else { throw AccountProblem(.signInFailed) }
    let number = known?.number ?? random.makeBytes(16)
    let mark = KnownBrowser.make(account.id, key: key, number: number)
    let fields = [
      cookies.set(cookies.sessionName, secret.text),
      cookies.set(cookies.knownName, mark, seconds: KnownBrowser.seconds),
    ]
    func after(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: call.now.milliseconds + seconds * 1000) }
    return .json(fields: fields) { json in
      json.member("name", account.name)
      json.member("freshUntil", after(Lifetimes.fresh))
      json.member("idleUntil", after(Lifetimes.sessionIdle))
      json.member("endsAt", after(Lifetimes.session))
      json.member("csrf", secret.csrf)
    }
  }

  /// What a browser calls itself: at most 120 printable characters of ASCII.
  static func shortened(_ agent: String) -> String {
    String(decoding: agent.utf8.filter { (0x20...0x7E).contains($0) }.prefix(120), as: UTF8.self)
  }

  @Sendable private func signOut(_ call: AccountCall, _ caller: AccountCaller?) throws(AccountProblem) -> AccountReply {
    guard let session = try AccountCaller.of(caller).session else { throw AccountProblem(.notSignedIn) }
    try stored { () throws(StoreFailure) in try accounts.endSession(idHash: session.row.idHash) }
    return AccountReply(204, fields: [cookies.clear(cookies.sessionName)])
  }

  // MARK: Passkeys

  @Sendable private func beginPasskeySignIn(
    _ call: AccountCall, _: AccountCaller?
  ) throws(AccountProblem) -> AccountReply {
    try throttle.admit([signInAddressRule(call.head)], at: call.now)
    return try beginAssertion(.signIn, account: nil, allowed: [], at: call.now)
  }

  @Sendable private func finishPasskeySignIn(
    _ call: AccountCall, _: AccountCaller?
  ) throws(AccountProblem) -> AccountReply {
    try throttle.admit([signInAddressRule(call.head)], at: call.now)
    let account = try finishAssertion(call, .signIn, account: nil)
    return try makeSession(account, call, known: nil)
  }

  /// A challenge, and what a page hands to the browser with it.
  func beginAssertion(
    _ purpose: ChallengeRow.Purpose, account: UUID?, allowed: [[UInt8]], at now: Timestamp
  ) throws(AccountProblem) -> AccountReply {
    let challenge = try makeChallenge(purpose, account: account, at: now)
    return .json { json in
      json.object("publicKey") { json in
        json.member("challenge", challenge)
        json.member("rpId", settings.host)
        if !allowed.isEmpty {
          json.list("allowCredentials", allowed) { json, id in
            json.item {
              $0.member("type", "public-key")
              $0.member("id", Base64URL.text(id))
            }
          }
        }
        json.member("userVerification", "required")
        json.member("timeout", Int(Lifetimes.challenge) * 1000)
      }
    }
  }

  func makeChallenge(
    _ purpose: ChallengeRow.Purpose, account: UUID?, at now: Timestamp
  ) throws(AccountProblem) -> SecretValue {
    let secret = BearerSecret(random)
    let row = ChallengeRow(
      hash: secret.hash, purpose: purpose, account: account,
      endsAt: Timestamp(milliseconds: now.milliseconds + Lifetimes.challenge * 1000))
    let isMade = try stored { () throws(StoreFailure) in
      try accounts.makeChallenge(row, limit: Self.challengeLimit)
    }
    guard isMade else { throw AccountProblem(.busy, retryAfter: 30) }
    return secret.text
  }

  /// Uses a challenge up, and says whether it was for this.
  func useChallenge(
    _ challenge: SecretValue, _ purpose: ChallengeRow.Purpose, account: UUID?, at now: Timestamp
  ) throws(AccountProblem) -> Bool {
    let hash = challenge.withBytes { Digest.sha256($0) }
    guard let row = try stored({ () throws(StoreFailure) in try accounts.useChallenge(hash: hash) }) else {
      return false
    }
    return row.purpose == purpose && row.account == account && row.endsAt > now
  }

  /// The account whose passkey answered a challenge. Whatever is wrong, the answer is the same.
  func finishAssertion(
    _ call: AccountCall, _ purpose: ChallengeRow.Purpose, account expected: UUID?
  ) throws(AccountProblem) -> AccountRow {
    let credential = try AccountMembers(call.body, required: ["credential"])
      .object("credential", required: ["id", "type", "response"])
    guard try credential.text("type") == "public-key" else { throw AccountProblem(.badRequest) }
    let response = try credential.object(
      "response", required: ["clientDataJSON", "authenticatorData", "signature", "userHandle"])
    let (id, clientData) = (try credential.bytes("id"), try response.bytes("clientDataJSON"))
    let (data, signature) = (try response.bytes("authenticatorData"), try response.bytes("signature"))
    let userHandle = try response.bytes("userHandle")
    let failed = AccountProblem(.signInFailed)
    let assertion: Assertion
    do throws(WebAuthnError) {
      assertion = try Assertion(
        id: id, clientData: clientData, authenticatorData: data, signature: signature, userHandle: userHandle,
        for: party)
    } catch {
      throw failed
    }
    guard try useChallenge(assertion.challenge, purpose, account: expected, at: call.now) else { throw failed }
    guard let row = try stored({ () throws(StoreFailure) in try accounts.passkey(credentialID: id) }),
      expected == nil || row.account == expected
    else { throw failed }
    do throws(WebAuthnError) {
      try assertion.check(publicKey: row.publicKey, account: row.account, signCount: row.signCount)
    } catch {
      throw failed
    }
    guard let account = try stored({ () throws(StoreFailure) in try accounts.account(row.account) }),
      !account.isDisabled,
      // The store looks at the counter again: two requests with one answer can't both be right.
      try stored({ () throws(StoreFailure) in
        try accounts.usePasskey(credentialID: id, signCount: assertion.signCount, at: call.now)
      })
    else { throw failed }
    return account
  }
}
