internal import SeifBytes
internal import SeifCrypto
internal import SeifHTTPServer
internal import SeifServerStore

extension AccountController {
  var passkeyRoutes: [AccountRoute] {
    [
      AccountRoute(method: "GET", pattern: "/account/passkeys", body: .none, need: .session, handler: listPasskeys),
      AccountRoute(
        method: "POST", pattern: "/account/passkeys/begin", body: .none, need: .freshSession, handler: beginPasskey),
      AccountRoute(
        method: "POST", pattern: "/account/passkeys/finish", body: .json, need: .freshSession,
        handler: finishPasskey),
      AccountRoute(
        method: "DELETE", pattern: "/account/passkeys/{credential}", body: .none, need: .freshSession,
        handler: removePasskey),
    ]
  }

  var totpRoutes: [AccountRoute] {
    [
      AccountRoute(method: "POST", pattern: "/account/totp", body: .none, need: .freshSession, handler: offerTOTP),
      AccountRoute(
        method: "POST", pattern: "/account/totp/confirm", body: .json, need: .freshSession, handler: confirmTOTP),
      AccountRoute(method: "DELETE", pattern: "/account/totp", body: .none, need: .freshSession, handler: removeTOTP),
      AccountRoute(
        method: "GET", pattern: "/account/sign-in-codes", body: .none, need: .session, handler: countCodes),
      AccountRoute(
        method: "POST", pattern: "/account/sign-in-codes", body: .none, need: .freshSession, handler: renewCodes),
    ]
  }

  // MARK: Passkeys

  @Sendable private func listPasskeys(
    _ call: AccountCall, _ caller: AccountCaller?
  ) throws(AccountProblem) -> AccountReply {
    let account = try AccountCaller.of(caller).account
    let rows = try stored { () throws(StoreFailure) in try accounts.passkeys(account.id) }
    return .json { json in
      json.list("passkeys", rows) { json, row in
        json.item { json in
          json.member("id", Base64URL.text(row.credentialID))
          json.member("label", row.label)
          json.member("createdAt", row.createdAt)
          json.member("usedAt", row.usedAt)
        }
      }
    }
  }

  @Sendable private func beginPasskey(
    _ call: AccountCall, _ caller: AccountCaller?
  ) throws(AccountProblem) -> AccountReply {
    let account = try AccountCaller.of(caller).account
    try throttle.admit([Throttle.Rule("challenge", account.id.bytes, perSlot: 20)], at: call.now)
    let known = try stored { () throws(StoreFailure) in try accounts.passkeys(account.id) }
    let challenge = try makeChallenge(.register, account: account.id, at: call.now)
    return .json { json in
      json.object("publicKey") { json in
        json.member("challenge", challenge)
        json.object("rp") { json in
          json.member("id", settings.host)
          json.member("name", settings.host)
        }
        json.object("user") { json in
          json.member("id", Base64URL.text(account.id.bytes))
          json.member("name", account.name)
          json.member("displayName", account.name)
        }
        json.list("pubKeyCredParams", [-7]) { json, algorithm in
          json.item { json in
            json.member("type", "public-key")
            json.member("alg", algorithm)
          }
        }
        json.list("excludeCredentials", known) { json, row in
          json.item { json in
            json.member("type", "public-key")
            json.member("id", Base64URL.text(row.credentialID))
          }
        }
        json.object("authenticatorSelection") { json in
          json.member("residentKey", "required")
          json.member("requireResidentKey", true)
          json.member("userVerification", "required")
        }
        json.member("attestation", "none")
        json.member("timeout", Int(Lifetimes.challenge) * 1000)
      }
    }
  }

  @Sendable private func finishPasskey(
    _ call: AccountCall, _ caller: AccountCaller?
  ) throws(AccountProblem) -> AccountReply {
    let account = try AccountCaller.of(caller).account
    let members = try AccountMembers(call.body, required: ["label", "credential"])
    let label = try members.text("label")
    let credential = try members.object("credential", required: ["id", "type", "response"])
    let response = try credential.object("response", required: ["clientDataJSON", "attestationObject"])
    guard AccountNames.isLabel(label), try credential.text("type") == "public-key" else {
      throw AccountProblem(.badRequest)
    }
    let (id, clientData) = (try credential.bytes("id"), try response.bytes("clientDataJSON"))
    let attestation = try response.bytes("attestationObject")
    let registration: Registration
    do throws(WebAuthnError) {
      registration = try Registration(id: id, clientData: clientData, attestationObject: attestation, for: party)
    } catch {
      throw AccountProblem(.badCredential)
    }
    guard try useChallenge(registration.challenge, .register, account: account.id, at: call.now) else {
      throw AccountProblem(.badCredential)
    }
    let row = PasskeyRow(
      account: account.id, credentialID: id, publicKey: registration.publicKey, signCount: registration.signCount,
      label: label, createdAt: call.now)
    guard try stored({ () throws(StoreFailure) in try accounts.addPasskey(row, limit: Self.passkeyLimit) }) else {
      let count = try stored { () throws(StoreFailure) in try accounts.passkeys(account.id).count }
      throw AccountProblem(count >= Self.passkeyLimit ? .tooMany : .conflict)
    }
    return .json(201) { $0.member("id", Base64URL.text(id)) }
  }

  @Sendable private func removePasskey(
    _ call: AccountCall, _ caller: AccountCaller?
  ) throws(AccountProblem) -> AccountReply {
    let account = try AccountCaller.of(caller).account
    guard let id = call.parameters["credential"].flatMap({ Base64URL.bytes($0) })?.exposedBytes(),
      try stored({ () throws(StoreFailure) in try accounts.removePasskey(account.id, credentialID: id) })
    else { throw AccountProblem(.notFound) }
    return .done
  }

  // MARK: TOTP

  @Sendable private func offerTOTP(
    _ call: AccountCall, _ caller: AccountCaller?
  ) throws(AccountProblem) -> AccountReply {
    let account = try AccountCaller.of(caller).account
    let secret = SecretValue(copying: random.makeSecret(byteCount: SecondFactor.secretByteCount))
    let sealed: [UInt8]
    do throws(CryptoError) {
      sealed = try key.seal(secret, purpose: SecondFactor.purpose, account: account.id, random: random)
    } catch {
      throw AccountProblem(.unavailable)
    }
    let changed = try stored { () throws(StoreFailure) in
      try accounts.updateAccount(account.id) { $0.totpOffered = sealed }
    }
    guard changed != nil else { throw AccountProblem(.notSignedIn) }
    return .json { json in
      json.member("secret", Base32.encode(secret))
      json.member("uri", SecondFactor.uri(secret: secret, account: account.name, issuer: settings.host))
    }
  }

  @Sendable private func confirmTOTP(
    _ call: AccountCall, _ caller: AccountCaller?
  ) throws(AccountProblem) -> AccountReply {
    let account = try AccountCaller.of(caller).account
    let typed = try AccountMembers(call.body, required: ["code"]).secret("code")
    guard let offered = account.totpOffered else { throw AccountProblem(.conflict) }
    try throttle.admit([Throttle.Rule("confirm", account.id.bytes, perSlot: 5)], at: call.now)
    guard case .totp(let code) = SecondFactor.typed(typed),
      let step = SecondFactor.step(code, secret: try openTOTP(offered, account), at: call.now)
    else { throw AccountProblem(.badCode) }
    // The codes first: an account never has TOTP and no way round it.
    let codes = try makeCodes(account.id)
    let changed = try stored { () throws(StoreFailure) in
      try accounts.updateAccount(account.id) { row in
        // Another offer may have come between.
        guard row.totpOffered == offered else { return }
        row.totp = offered
        row.totpOffered = nil
      }
    }
    guard changed?.totp == offered else { throw AccountProblem(.conflict) }
    // Afterwards: a store forgets the steps of a secret with the secret. This one's code signs nobody in.
    _ = try stored { () throws(StoreFailure) in try accounts.useTOTPStep(account.id, step: step) }
    return Self.reply(codes)
  }

  @Sendable private func removeTOTP(
    _ call: AccountCall, _ caller: AccountCaller?
  ) throws(AccountProblem) -> AccountReply {
    let account = try AccountCaller.of(caller).account
    _ = try stored { () throws(StoreFailure) in
      try accounts.updateAccount(account.id) { row in
        row.totp = nil
        row.totpOffered = nil
      }
    }
    try stored { () throws(StoreFailure) in try accounts.setSignInCodes(account.id, hashes: []) }
    return .done
  }

  // MARK: Sign-in codes

  @Sendable private func countCodes(
    _ call: AccountCall, _ caller: AccountCaller?
  ) throws(AccountProblem) -> AccountReply {
    let account = try AccountCaller.of(caller).account
    let count = try stored { () throws(StoreFailure) in try accounts.signInCodeCount(account.id) }
    return .json { $0.member("left", count) }
  }

  @Sendable private func renewCodes(
    _ call: AccountCall, _ caller: AccountCaller?
  ) throws(AccountProblem) -> AccountReply {
    let account = try AccountCaller.of(caller).account
    // Without TOTP nothing asks for them.
    guard account.totp != nil else { throw AccountProblem(.conflict) }
    return Self.reply(try makeCodes(account.id))
  }

  private func makeCodes(_ account: UUID) throws(AccountProblem) -> [SecretValue] {
    let codes = SignInCodes.make(random)
    let hashes = codes.map { SignInCodes.hash($0, account: account) }
    try stored { () throws(StoreFailure) in try accounts.setSignInCodes(account, hashes: hashes) }
    return codes
  }

  private static func reply(_ codes: [SecretValue]) -> AccountReply {
    .json { json in
      json.list("codes", codes) { $0.string(SignInCodes.grouped($1)) }
    }
  }
}
