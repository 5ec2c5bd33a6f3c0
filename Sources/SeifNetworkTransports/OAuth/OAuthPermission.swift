internal import SeifBackups
internal import SeifBytes
internal import SeifCrypto
internal import SeifHTTP

/// The ways in which a person allows Seif a place.
struct OAuthPermission {
  let oauth: OAuthClient
  let client: any HTTPClient
  let dialogue: any AuthorizationDialogue
  var time = RetryingClient.Time.system
  var random = RandomSource.system

  /// By a browser of this machine, which comes back to it.
  func byBrowser() throws -> OAuthAnswer.Tokens {
    let listener: LoopbackListener
    do throws(LoopbackListener.Failure) {
      listener = try LoopbackListener()
    } catch {
      throw TransportError(
        .failed, place: oauth.place, reason: "no port of this machine is free for the browser's answer")
    }
    let proof = PKCE.make(random)
    let state = Base64URL.encode(random.makeBytes(16).span.bytes)
    let redirect = listener.redirect
    // EXPOSE: the state stands in the address; it is good for one answer.
    let address = oauth.address(proof, state: state.exposedText(), redirect: redirect)
    dialogue.show("Open this address in a browser of this machine, and allow Seif there:")
    dialogue.show(address)
    dialogue.wait(LoopbackListener.waitSeconds, isFirst: true)
    let answer: RedirectRequest
    do throws(LoopbackListener.Failure) {
      answer = try listener.answer(to: state)
    } catch {
      throw TransportError(.timedOut, place: oauth.place, reason: "the browser didn't come back in five minutes")
    }
    switch answer {
    case .code(let code): return try redeemed(code, proof, redirect)
    case .refused(let code):
      throw TransportError(.unauthorized, place: oauth.place, reason: "it wasn't allowed: \(code)")
    case .forged, .elsewhere: throw TransportError(.badAnswer, place: oauth.place)
    }
  }

  /// By a browser of any machine, whose code is typed here.
  func byTypedCode() throws -> OAuthAnswer.Tokens {
    // The code is good for this address alone, so nobody comes back with it later.
    try dialogue.checkAsking()
    let proof = PKCE.make(random)
    dialogue.show("Open this address in any browser, and allow Seif there:")
    dialogue.show(oauth.address(proof, state: nil, redirect: nil))
    let code = try dialogue.askSecret("The code that it shows then")
    guard OAuthAnswer.isToken(code) else {
      throw TransportError(.unauthorized, place: oauth.place, reason: "this can't be the code")
    }
    return try redeemed(code, proof, nil)
  }

  /// By a browser of any machine, where a code from here is typed (RFC 8628).
  func byDevice() throws -> OAuthAnswer.Tokens {
    let device = try oauth.device(by: client)
    dialogue.show("Open \(device.address) in any browser, and type this code there: \(device.userCode)")
    dialogue.wait(device.seconds, isFirst: true)
    return try permanent(
      oauth.wait(for: device, by: client, time: time) { dialogue.wait($0, isFirst: false) })
  }

  private func redeemed(_ code: SecretValue, _ proof: PKCE, _ redirect: String?) throws -> OAuthAnswer.Tokens {
    try permanent(oauth.redeem(code, proof, redirect: redirect, by: client))
  }

  // An access token alone would end within hours.
  private func permanent(_ tokens: OAuthAnswer.Tokens) throws(TransportError) -> OAuthAnswer.Tokens {
    guard tokens.refresh != nil else {
      throw TransportError(.badAnswer, place: oauth.place, reason: "the permission would end within hours")
    }
    return tokens
  }
}
