internal import SeifBackups
internal import SeifBytes
internal import SeifHTTP
internal import SeifHTTPFields

/// What Seif is to an authorization server (RFC 6749), and where that is.
struct OAuthClient: Sendable {
  /// The destination's name, for what is said.
  let place: String
  let clientID: String
  /// Empty: there is none. One in a program on a person's machine is no secret to that person (RFC 8252 §8.5).
  let clientSecret: SecretValue
  /// Where a person allows it.
  let authorizationAddress: String
  /// Where codes and tokens are exchanged.
  let tokenAddress: String
  /// Where codes for another machine come from; nil: nowhere.
  let deviceAddress: String?
  /// What is asked for.
  let scope: String
  /// What must have been allowed of it.
  let neededScope: String
  /// What the server wants beside it in the address.
  let extras: [(name: String, value: String)]

  /// The address that a person opens; it holds no secret.
  func address(_ proof: PKCE, state: String?, redirect: String?) -> String {
    var query = OAuthForm()
    query.add("client_id", clientID)
    query.add("response_type", "code")
    if let redirect { query.add("redirect_uri", redirect) }
    query.add("scope", scope)
    query.add("code_challenge", proof.challenge)
    query.add("code_challenge_method", "S256")
    if let state { query.add("state", state) }
    for extra in extras { query.add(extra.name, extra.value) }
    // EXPOSE: nothing that was added is secret.
    return authorizationAddress + "?" + (query.finish().exposedText() ?? "")
  }

  /// The tokens for a code.
  func redeem(
    _ code: SecretValue, _ proof: PKCE, redirect: String?, by client: any HTTPClient
  ) throws(TransportError) -> OAuthAnswer.Tokens {
    var form = OAuthForm()
    form.add("grant_type", "authorization_code")
    form.add("code", code)
    form.add("code_verifier", proof.verifier)
    if let redirect { form.add("redirect_uri", redirect) }
    // A code is good for once.
    return try tokens(try ask(form.finish(), isIdempotent: false, by: client))
  }

  /// A new access token.
  func refresh(_ token: SecretValue, by client: any HTTPClient) throws(TransportError) -> OAuthAnswer.Tokens {
    guard OAuthAnswer.isToken(token) else { throw again("nobody has allowed it yet") }
    var form = OAuthForm()
    form.add("grant_type", "refresh_token")
    form.add("refresh_token", token)
    return try tokens(try ask(form.finish(), by: client))
  }

  /// Codes with which a person allows it on another machine (RFC 8628 §3.1).
  func device(by client: any HTTPClient) throws(TransportError) -> OAuthAnswer.Device {
    guard let deviceAddress else { throw TransportError(.badSettings, place: place, reason: "it has no such way") }
    var form = OAuthForm()
    form.add("client_id", clientID)
    form.add("scope", scope)
    let answer = try post(form.finish(), to: deviceAddress, isIdempotent: true, by: client)
    guard answer.status == 200 else { throw refusal(answer) }
    guard let device = OAuthAnswer.device(answer.body) else { throw badAnswer }
    return device
  }

  /// Asks until the person has decided, or the codes are too old.
  func wait(
    for device: OAuthAnswer.Device, by client: any HTTPClient, time: RetryingClient.Time,
    progress: (_ secondsLeft: Int64) -> Void = { _ in }
  ) throws(TransportError) -> OAuthAnswer.Tokens {
    var interval = device.interval
    let end = time.now() + device.seconds
    var told = device.seconds / 60
    // As many as there can be in that time, whatever the clock does meanwhile.
    for _ in 0..<max(1, device.seconds / device.interval) {
      time.sleep(Int(interval) * 1000)
      let left = end - time.now()
      guard left > 0 else { break }
      if left / 60 < told {
        told = left / 60
        progress(left)
      }
      var form = OAuthForm()
      form.add("grant_type", "urn:ietf:params:oauth:grant-type:device_code")
      form.add("device_code", device.code)
      let answer = try ask(form.finish(), by: client)
      guard answer.status != 200 else { return try tokens(answer) }
      switch OAuthAnswer.refusal(answer.body) {
      case "authorization_pending": break
      case "slow_down": interval = min(interval + 5, 120)
      default: throw refusal(answer)
      }
    }
    throw TransportError(.timedOut, place: place, reason: "nobody allowed it in time")
  }

  /// Takes a permission back (RFC 7009 §2.1).
  func revoke(_ token: SecretValue, at address: String, by client: any HTTPClient) throws(TransportError) {
    var form = OAuthForm()
    form.add("token", token)
    let answer = try post(form.finish(), to: address, isIdempotent: true, by: client)
    guard answer.status == 200 else { throw refusal(answer) }
  }

  // MARK: - Answers

  /// The permission has ended or never was.
  func again(_ why: String) -> TransportError {
    TransportError(
      .unauthorized, place: place, reason: "\(why): allow Seif again, by transport remove and transport add")
  }

  private var badAnswer: TransportError {
    TransportError(.badAnswer, place: place, reason: "what gives the tokens gave none")
  }

  private func tokens(_ answer: HTTPResponse) throws(TransportError) -> OAuthAnswer.Tokens {
    guard answer.status == 200 else { throw refusal(answer) }
    guard let tokens = OAuthAnswer.tokens(answer.body) else { throw badAnswer }
    if let scope = tokens.scope {
      let allowed = Set(scope.split(separator: " "))
      guard neededScope.split(separator: " ").allSatisfy(allowed.contains) else {
        throw TransportError(.noPermission, place: place, reason: "not all that Seif needs was allowed: tick every box")
      }
    }
    return tokens
  }

  /// What a refusal means; of the server's words only its code is shown.
  func refusal(_ answer: HTTPResponse) -> TransportError {
    guard let code = OAuthAnswer.refusal(answer.body) else {
      let kind: TransportError.Code =
        switch answer.status {
        case 200..<300: .badAnswer
        case 300..<400: .redirected
        case 401, 403: .unauthorized
        case 408: .timedOut
        case 429, 503: .busy
        case 500..<600: .unavailable
        default: .failed
        }
      return TransportError(kind, place: place, reason: "what gives the tokens answers with status \(answer.status)")
    }
    switch code {
    case "invalid_grant": return again("the permission has ended")
    case "expired_token": return TransportError(.timedOut, place: place, reason: "the code is too old: \(code)")
    case "access_denied": return TransportError(.unauthorized, place: place, reason: "it wasn't allowed: \(code)")
    case "invalid_client", "unauthorized_client", "org_internal", "deleted_client", "disabled_client":
      return TransportError(
        .badSettings, place: place, reason: "this client isn't known there, or of another kind: \(code)")
    case "invalid_scope":
      return TransportError(.badSettings, place: place, reason: "this client may not ask for what Seif needs: \(code)")
    case "slow_down", "temporarily_unavailable", "rate_limit_exceeded":
      return TransportError(.busy, place: place, reason: code)
    case "server_error": return TransportError(.unavailable, place: place, reason: code)
    default: return TransportError(.failed, place: place, reason: "status \(answer.status), \(code)")
    }
  }

  // MARK: - Requests

  private func ask(
    _ form: SecretValue, isIdempotent: Bool = true, by client: any HTTPClient
  ) throws(TransportError) -> HTTPResponse {
    var own = OAuthForm()
    own.add("client_id", clientID)
    own.add("client_secret", clientSecret)
    var body = SecretBuffer()
    body.append(form)
    body.append(UInt8(ascii: "&"))
    body.append(own.finish())
    return try post(body.finish(), to: tokenAddress, isIdempotent: isIdempotent, by: client)
  }

  private func post(
    _ form: SecretValue, to address: String, isIdempotent: Bool, by client: any HTTPClient
  ) throws(TransportError) -> HTTPResponse {
    let fields = [
      HTTPField("Content-Type", "application/x-www-form-urlencoded"), HTTPField("Accept", "application/json"),
    ]
    do throws(HTTPFailure) {
      return try client.send(
        HTTPRequest(
          "POST", address, fields: fields, body: form, limit: OAuthAnswer.maximumByteCount,
          isIdempotent: isIdempotent))
    } catch {
      throw TransportError(error, isDownload: false, place: place)
    }
  }
}
