internal import SeifBytes
internal import SeifHTTPFields
internal import SeifHTTPServer
internal import SeifServerStore

extension AccountController {
  var freshenRoutes: [AccountRoute] {
    [
      AccountRoute(method: "POST", pattern: "/account/freshen", body: .json, need: .session, handler: freshen),
      AccountRoute(method: "POST", pattern: "/api/v1/freshen", body: .json, need: .token, handler: freshen),
      AccountRoute(
        method: "POST", pattern: "/account/freshen/passkey/begin", body: .none, need: .session,
        handler: beginPasskeyFreshen),
      AccountRoute(
        method: "POST", pattern: "/account/freshen/passkey/finish", body: .json, need: .session,
        handler: finishPasskeyFreshen),
    ]
  }

  var accountRoutes: [AccountRoute] {
    [
      AccountRoute(method: "GET", pattern: "/account/csrf", body: .none, need: .session, handler: csrf),
      AccountRoute(method: "GET", pattern: "/account", body: .none, need: .session, handler: show),
      AccountRoute(method: "DELETE", pattern: "/account", body: .none, need: .freshSession, handler: remove),
      AccountRoute(
        method: "PUT", pattern: "/account/password", body: .json, need: .freshSession, handler: setPassword),
      AccountRoute(method: "GET", pattern: "/account/sessions", body: .none, need: .session, handler: listSessions),
      AccountRoute(
        method: "DELETE", pattern: "/account/sessions", body: .none, need: .session, handler: endOtherSessions),
      AccountRoute(
        method: "DELETE", pattern: "/account/sessions/{uuid}", body: .none, need: .session, handler: endSession),
      AccountRoute(method: "GET", pattern: "/account/export", body: .none, need: .freshSession, handler: export),
    ]
  }

  // MARK: Who is there still

  @Sendable private func freshen(_ call: AccountCall, _ caller: AccountCaller?) throws(AccountProblem) -> AccountReply {
    let caller = try AccountCaller.of(caller)
    let members = try AccountMembers(call.body, required: ["password"], optional: ["code"])
    let (typed, code) = (try members.secret("password"), try members.optionalSecret("code"))
    // By the session or token: who has neither can't take an attempt from its owner.
    let subject =
      switch caller.means {
      case .session(let row, _): row.handle.bytes
      case .token(let row): row.id.bytes
      }
    let rule = Throttle.Rule("freshen", subject, perSlot: 5, strained: .init(after: 20, perSlot: 1))
    try throttle.admit([rule], at: call.now)
    let password = PasswordRules.normalised(typed) ?? .empty
    guard try hasher.isRight(password, caller.account.password) else { throw AccountProblem(.signInFailed) }
    let second = try checkSecondFactor(caller.account, code, subject: subject, at: call.now)
    try throttle.forget([rule] + second, at: call.now)
    try markFresh(caller, at: call.now)
    return .done
  }

  private func markFresh(_ caller: AccountCaller, at now: Timestamp) throws(AccountProblem) {
    try stored { () throws(StoreFailure) in
      switch caller.means {
      case .session(let row, _): try accounts.freshenSession(idHash: row.idHash, at: now)
      case .token(let row): try accounts.freshenToken(hash: row.hash, at: now)
      }
    }
  }

  @Sendable private func beginPasskeyFreshen(
    _ call: AccountCall, _ caller: AccountCaller?
  ) throws(AccountProblem) -> AccountReply {
    let account = try AccountCaller.of(caller).account
    try throttle.admit([Throttle.Rule("challenge", account.id.bytes, perSlot: 20)], at: call.now)
    let passkeys = try stored { () throws(StoreFailure) in try accounts.passkeys(account.id) }
    return try beginAssertion(.freshen, account: account.id, allowed: passkeys.map(\.credentialID), at: call.now)
  }

  @Sendable private func finishPasskeyFreshen(
    _ call: AccountCall, _ caller: AccountCaller?
  ) throws(AccountProblem) -> AccountReply {
    let caller = try AccountCaller.of(caller)
    _ = try finishAssertion(call, .freshen, account: caller.account.id)
    try markFresh(caller, at: call.now)
    return .done
  }

  @Sendable private func csrf(_ call: AccountCall, _ caller: AccountCaller?) throws(AccountProblem) -> AccountReply {
    guard let session = try AccountCaller.of(caller).session else { throw AccountProblem(.notSignedIn) }
    return .json { $0.member("token", session.secret.csrf) }
  }

  // MARK: The account

  @Sendable private func show(_ call: AccountCall, _ caller: AccountCaller?) throws(AccountProblem) -> AccountReply {
    let caller = try AccountCaller.of(caller)
    let account = caller.account
    let codes = try stored { () throws(StoreFailure) in try accounts.signInCodeCount(account.id) }
    let passkeys = try stored { () throws(StoreFailure) in try accounts.passkeys(account.id) }
    let fresh = caller.session.map {
      Timestamp(milliseconds: $0.row.freshAt.milliseconds + Lifetimes.fresh * 1000)
    }
    return .json { json in
      json.member("name", account.name)
      json.member("createdAt", account.createdAt)
      json.member("quota", account.quota)
      json.member("totp", account.totp != nil)
      json.member("signInCodes", codes)
      json.member("passkeys", passkeys.count)
      json.member("tellsUsage", account.tellsUsage)
      json.member("freshUntil", fresh)
    }
  }

  @Sendable private func remove(_ call: AccountCall, _ caller: AccountCaller?) throws(AccountProblem) -> AccountReply {
    let account = try AccountCaller.of(caller).account
    _ = try stored { () throws(StoreFailure) in try accounts.removeAccount(account.id) }
    return AccountReply(204, fields: [cookies.clear(cookies.sessionName), cookies.clear(cookies.knownName)])
  }

  @Sendable private func setPassword(
    _ call: AccountCall, _ caller: AccountCaller?
  ) throws(AccountProblem) -> AccountReply {
    let caller = try AccountCaller.of(caller)
    let members = try AccountMembers(call.body, required: ["password"])
    guard let password = PasswordRules.accepted(try members.secret("password"), name: caller.account.name) else {
      throw AccountProblem(.weakPassword)
    }
    let hash = try hasher.hash(password)
    let isChanged = try stored { () throws(StoreFailure) in
      try accounts.setPassword(caller.account.id, hash, keeping: caller.session?.row.idHash)
    }
    guard isChanged else { throw AccountProblem(.notSignedIn) }
    return .done
  }

  // MARK: Sessions

  @Sendable private func listSessions(
    _ call: AccountCall, _ caller: AccountCaller?
  ) throws(AccountProblem) -> AccountReply {
    let caller = try AccountCaller.of(caller)
    let rows = try liveSessions(caller.account.id, at: call.now)
    return .json { json in
      json.list("sessions", rows) { json, row in
        json.item { Self.write(row, current: caller.session?.row.handle, to: &$0) }
      }
    }
  }

  func liveSessions(_ account: UUID, at now: Timestamp) throws(AccountProblem) -> [SessionRow] {
    try stored { () throws(StoreFailure) in try accounts.sessions(account) }
      .filter { !Lifetimes.isOver($0, at: now) }
  }

  static func write(_ row: SessionRow, current: UUID?, to json: inout JSONWriter) {
    json.member("id", row.handle.description)
    json.member("agent", row.agent)
    json.member("createdAt", row.createdAt)
    json.member("usedAt", row.usedAt)
    json.member("current", row.handle == current)
  }

  @Sendable private func endOtherSessions(
    _ call: AccountCall, _ caller: AccountCaller?
  ) throws(AccountProblem) -> AccountReply {
    let caller = try AccountCaller.of(caller)
    try stored { () throws(StoreFailure) in
      try accounts.endSessions(caller.account.id, but: caller.session?.row.idHash)
    }
    return .done
  }

  @Sendable private func endSession(
    _ call: AccountCall, _ caller: AccountCaller?
  ) throws(AccountProblem) -> AccountReply {
    let caller = try AccountCaller.of(caller)
    let handle = try call.uuid()
    guard try stored({ () throws(StoreFailure) in try accounts.endSession(caller.account.id, handle: handle) }) else {
      throw AccountProblem(.notFound)
    }
    let isOwn = handle == caller.session?.row.handle
    return AccountReply(204, fields: isOwn ? [cookies.clear(cookies.sessionName)] : [])
  }

  // MARK: All that is held

  @Sendable private func export(_ call: AccountCall, _ caller: AccountCaller?) throws(AccountProblem) -> AccountReply {
    let caller = try AccountCaller.of(caller)
    let account = caller.account
    let contents = try stored { () throws(StoreFailure) in try ExportedAccount(account, stores) }
    let sessions = try liveSessions(account.id, at: call.now)
    var reply = AccountReply.json { json in
      json.member("schema", "seif-server-export")
      json.member("version", 1)
      json.member("exportedAt", call.now)
      contents.write(to: &json)
      json.list("sessions", sessions) { json, row in
        json.item { Self.write(row, current: caller.session?.row.handle, to: &$0) }
      }
    }
    reply.fields = [HTTPField("Content-Disposition", "attachment; filename=\"seif-account.json\"")]
    return reply
  }
}

extension AccountCall {
  /// The identifier in the path; what is none is nothing's.
  func uuid() throws(AccountProblem) -> UUID {
    guard let id = parameters["uuid"].flatMap({ UUID($0) }) else { throw AccountProblem(.notFound) }
    return id
  }
}
