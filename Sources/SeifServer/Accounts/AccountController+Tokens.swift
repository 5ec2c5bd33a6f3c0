internal import SeifBytes
package import SeifCrypto
internal import SeifHTTPServer
internal import SeifServerStore

/// What a token may do.
enum TokenScope: String {
  case read
  case readWrite = "read write"

  init(writes: Bool) { self = writes ? .readWrite : .read }
  var writes: Bool { self == .readWrite }
}

/// Codes that a person types for a device (RFC 8628 §6.1): no vowels, so no words.
package enum UserCode {
  package static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ".utf8)
  package static let characterCount = 8

  package static func make(_ random: RandomSource) -> String {
    let bytes = (0..<characterCount).map { _ in alphabet[Int(random.makeNumber(below: UInt32(alphabet.count)))] }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// In two groups, as it is shown.
  package static func grouped(_ code: String) -> String { "\(code.prefix(4))-\(code.dropFirst(4))" }

  /// The code that was typed: in either case, with hyphens and spaces anywhere.
  package static func typed(_ text: String) -> String? {
    guard text.utf8.count <= 32 else { return nil }
    let kept = text.utf8.filter { $0 != 0x20 && $0 != 0x2D }
      .map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 }
    guard kept.count == characterCount, kept.allSatisfy({ alphabet.contains($0) }) else { return nil }
    return String(decoding: kept, as: UTF8.self)
  }
}

extension AccountController {
  static let grantType = "urn:ietf:params:oauth:grant-type:device_code"
  static let pollSeconds: Int64 = 5

  var tokenRoutes: [AccountRoute] {
    [
      AccountRoute(method: "GET", pattern: "/account/tokens", body: .none, need: .session, handler: listTokens),
      AccountRoute(
        method: "POST", pattern: "/account/tokens", body: .json, need: .freshSession, handler: createToken),
      AccountRoute(
        method: "DELETE", pattern: "/account/tokens/{uuid}", body: .none, need: .session, handler: removeToken),
    ]
  }

  var deviceRoutes: [AccountRoute] {
    [
      AccountRoute(method: "POST", pattern: "/account/device", body: .json, need: .session, handler: showDevice),
      AccountRoute(
        method: "POST", pattern: "/account/device/decision", body: .json, need: .session, handler: decideDevice),
      AccountRoute(method: "POST", pattern: "/api/v1/device/code", body: .form, need: .nothing, handler: deviceCode),
      AccountRoute(
        method: "POST", pattern: "/api/v1/device/token", body: .form, need: .nothing, handler: deviceToken),
    ]
  }

  // MARK: Tokens

  static func write(_ row: TokenRow, to json: inout JSONWriter) {
    json.member("id", row.id.description)
    json.member("label", row.label)
    json.member("scope", TokenScope(writes: row.writes).rawValue)
    json.member("createdAt", row.createdAt)
    json.member("usedAt", row.usedAt)
  }

  @Sendable private func listTokens(
    _ call: AccountCall, _ caller: AccountCaller?
  ) throws(AccountProblem) -> AccountReply {
    let account = try AccountCaller.of(caller).account
    let rows = try stored { () throws(StoreFailure) in try accounts.tokens(account.id) }
      .filter { !Lifetimes.isOver($0, at: call.now) }
    return .json { json in
      json.list("tokens", rows) { json, row in json.item { Self.write(row, to: &$0) } }
    }
  }

  @Sendable private func createToken(
    _ call: AccountCall, _ caller: AccountCaller?
  ) throws(AccountProblem) -> AccountReply {
    let account = try AccountCaller.of(caller).account
    let members = try AccountMembers(call.body, required: ["label", "scope"])
    let label = try members.text("label")
    guard let scope = TokenScope(rawValue: try members.text("scope")), AccountNames.isLabel(label) else {
      throw AccountProblem(.badRequest)
    }
    let (row, secret) = makeToken(account.id, label: label, writes: scope.writes, at: call.now)
    guard try stored({ () throws(StoreFailure) in try accounts.makeToken(row, limit: Self.tokenLimit) }) else {
      throw AccountProblem(.tooMany)
    }
    return .json(201) { json in
      json.member("id", row.id.description)
      json.member("token", secret.token)
    }
  }

  private func makeToken(
    _ account: UUID, label: String, writes: Bool, at now: Timestamp
  ) -> (row: TokenRow, secret: BearerSecret) {
    let secret = BearerSecret(random)
    let row = TokenRow(
      id: random.makeUUID(), hash: secret.hash, account: account, label: label, writes: writes, createdAt: now,
      usedAt: now)
    return (row, secret)
  }

  @Sendable private func removeToken(
    _ call: AccountCall, _ caller: AccountCaller?
  ) throws(AccountProblem) -> AccountReply {
    let account = try AccountCaller.of(caller).account
    let id = try call.uuid()
    guard try stored({ () throws(StoreFailure) in try accounts.removeToken(account.id, id: id) }) else {
      throw AccountProblem(.notFound)
    }
    return .done
  }

  // MARK: A device, on the person's side

  private func waitingGrant(
    _ members: AccountMembers, _ call: AccountCall, _ account: AccountRow
  ) throws(AccountProblem) -> DeviceGrantRow {
    let rule = Throttle.Rule("device", account.id.bytes, perSlot: 5, strained: .init(after: 20, perSlot: 1))
    let typed = try members.text("code")
    try throttle.admit([rule], at: call.now)
    guard let code = UserCode.typed(typed),
      let grant = try stored({ () throws(StoreFailure) in try accounts.deviceGrant(userCode: code) }),
      grant.endsAt > call.now, grant.decision == nil
    else { throw AccountProblem(.notFound) }
    return grant
  }

  @Sendable private func showDevice(
    _ call: AccountCall, _ caller: AccountCaller?
  ) throws(AccountProblem) -> AccountReply {
    let account = try AccountCaller.of(caller).account
    let members = try AccountMembers(call.body, required: ["code"])
    let grant = try waitingGrant(members, call, account)
    return .json { json in
      json.member("label", grant.label)
      json.member("scope", TokenScope(writes: grant.writes).rawValue)
      json.member("endsAt", grant.endsAt)
    }
  }

  @Sendable private func decideDevice(
    _ call: AccountCall, _ caller: AccountCaller?
  ) throws(AccountProblem) -> AccountReply {
    let caller = try AccountCaller.of(caller)
    let members = try AccountMembers(call.body, required: ["code", "grant"])
    let isGranted = try members.bool("grant")
    guard !isGranted || caller.isFresh else { throw AccountProblem(.freshSignIn) }
    let grant = try waitingGrant(members, call, caller.account)
    let isDecided = try stored { () throws(StoreFailure) in
      try accounts.decideDeviceGrant(
        userCode: grant.userCode, isGranted ? .granted(caller.account.id) : .denied, at: call.now)
    }
    guard isDecided else { throw AccountProblem(.notFound) }
    return .done
  }

  // MARK: A device, on its own side

  @Sendable private func deviceCode(_ call: AccountCall, _: AccountCaller?) throws(AccountProblem) -> AccountReply {
    try throttle.admit([addressRule("device-code", call.head, perSlot: 10)], at: call.now)
    guard let form = AccountForm(call.body), let label = form["client_id"], AccountNames.isLabel(label) else {
      throw AccountProblem(device: .invalidRequest)
    }
    guard let scope = TokenScope(rawValue: form["scope"] ?? "read") else { throw AccountProblem(device: .invalidScope) }
    let secret = BearerSecret(random)
    let endsAt = Timestamp(milliseconds: call.now.milliseconds + Lifetimes.deviceGrant * 1000)
    // Another device may have the code: one in 25 thousand million each.
    for _ in 0..<3 {
      let code = UserCode.make(random)
      let row = DeviceGrantRow(
        deviceHash: secret.hash, userCode: code, label: label, writes: scope.writes, endsAt: endsAt)
      let isMade = try stored { () throws(StoreFailure) in
        try accounts.makeDeviceGrant(row, limit: Self.deviceGrantLimit)
      }
      guard isMade else { continue }
      return .json { json in
        json.member("device_code", secret.text)
        json.member("user_code", UserCode.grouped(code))
        json.member("verification_uri", settings.origin + "/device")
        json.member("expires_in", Int(Lifetimes.deviceGrant))
        json.member("interval", Int(Self.pollSeconds))
      }
    }
    throw AccountProblem(.busy, retryAfter: 30)
  }

  @Sendable private func deviceToken(_ call: AccountCall, _: AccountCaller?) throws(AccountProblem) -> AccountReply {
    try throttle.admit([addressRule("device-token", call.head, perSlot: 60)], at: call.now)
    guard let form = AccountForm(call.body), let type = form["grant_type"], let client = form["client_id"],
      let code = form["device_code"]
    else { throw AccountProblem(device: .invalidRequest) }
    guard type == Self.grantType else { throw AccountProblem(device: .unsupportedGrantType) }
    guard let hash = BearerSecret(text: code)?.hash,
      let grant = try stored({ () throws(StoreFailure) in try accounts.deviceGrant(deviceHash: hash) }),
      grant.label.utf8.elementsEqual(client.utf8)
    else { throw AccountProblem(device: .invalidGrant) }
    guard grant.endsAt > call.now else { throw AccountProblem(device: .expiredToken) }
    let before = try stored { () throws(StoreFailure) in
      try accounts.pollDeviceGrant(deviceHash: hash, at: call.now)
    }
    if let before, !Lifetimes.isOver(before, Self.pollSeconds, at: call.now) {
      throw AccountProblem(device: .slowDown)
    }
    guard let decision = grant.decision else { throw AccountProblem(device: .authorizationPending) }
    // Of two questions at once one gets the token.
    guard try stored({ () throws(StoreFailure) in try accounts.removeDeviceGrant(deviceHash: hash) }) else {
      throw AccountProblem(device: .invalidGrant)
    }
    guard case .granted(let id) = decision,
      let account = try stored({ () throws(StoreFailure) in try accounts.account(id) }), !account.isDisabled
    else { throw AccountProblem(device: .accessDenied) }
    let (row, secret) = makeToken(id, label: grant.label, writes: grant.writes, at: call.now)
    guard try stored({ () throws(StoreFailure) in try accounts.makeToken(row, limit: Self.tokenLimit) }) else {
      throw AccountProblem(device: .accessDenied)
    }
    return .json { json in
      json.member("access_token", secret.token)
      json.member("token_type", "Bearer")
      json.member("scope", TokenScope(writes: grant.writes).rawValue)
    }
  }
}
