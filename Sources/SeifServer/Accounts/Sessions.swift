package import SeifBytes
package import SeifCrypto
package import SeifHTTPFields
package import SeifHTTPServer
package import SeifServerStore

/// How long sessions and tokens last, in seconds.
package enum Lifetimes {
  package static let sessionIdle: Int64 = 30 * 60
  package static let session: Int64 = 12 * 3600
  package static let fresh: Int64 = 5 * 60
  package static let token: Int64 = 90 * 86_400
  package static let enrolment: Int64 = 24 * 3600
  package static let challenge: Int64 = 5 * 60
  package static let deviceGrant: Int64 = 10 * 60
  /// How exactly uses are noted: a store isn't written for each request.
  package static let sessionNote: Int64 = 60
  package static let tokenNote: Int64 = 3600

  /// Whether a moment and so many seconds after it are past. A moment that is yet to come, by another server's clock,
  /// isn't.
  static func isOver(_ moment: Timestamp, _ seconds: Int64, at now: Timestamp) -> Bool {
    now.milliseconds - moment.milliseconds >= seconds * 1000
  }

  package static func isOver(_ session: SessionRow, at now: Timestamp) -> Bool {
    isOver(session.usedAt, sessionIdle, at: now) || isOver(session.createdAt, Lifetimes.session, at: now)
  }

  package static func isFresh(_ session: SessionRow, at now: Timestamp) -> Bool {
    !isOver(session.freshAt, fresh, at: now)
  }

  package static func isOver(_ token: TokenRow, at now: Timestamp) -> Bool {
    isOver(token.usedAt, Lifetimes.token, at: now)
  }

  package static func isFresh(_ token: TokenRow, at now: Timestamp) -> Bool {
    token.freshAt.map { !isOver($0, fresh, at: now) } ?? false
  }

  /// Before which moments a store may end what is over.
  package static func sweep(at now: Timestamp) -> AccountSweep {
    func before(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: now.milliseconds - seconds * 1000) }
    return AccountSweep(
      sessionUse: before(sessionIdle), sessionMade: before(session), tokenUse: before(token), now: now)
  }
}

/// 256 random bits that a browser or an app shows, and what is stored in their place.
package struct BearerSecret: Sendable {
  package static let byteCount = 32
  /// Of its text in base64url.
  package static let characterCount = 43
  package static let tokenPrefix = "seif_"

  package let value: SecretValue

  package init(_ random: RandomSource) { value = SecretValue(copying: random.makeSecret(byteCount: Self.byteCount)) }

  /// Reads 43 characters of base64url.
  package init?(text: String) {
    guard text.utf8.count == Self.characterCount, let value = Base64URL.bytes(text), value.byteCount == Self.byteCount
    else { return nil }
    self.value = value
  }

  /// Reads `seif_` and 43 characters.
  package init?(token: String) {
    guard token.utf8.count == Self.characterCount + Self.tokenPrefix.utf8.count, token.hasPrefix(Self.tokenPrefix)
    else {
      return nil
    }
    self.init(text: String(token.dropFirst(Self.tokenPrefix.count)))
  }

  package var text: SecretValue { value.withBytes { Base64URL.encode($0) } }
  package var hash: [UInt8] { value.withBytes { Digest.sha256($0) } }

  package var token: SecretValue {
    var buffer = SecretBuffer(capacity: 64)
    buffer.append(utf8: Self.tokenPrefix)
    buffer.append(text)
    return buffer.finish()
  }

  /// What a session's requests show against forged ones: HMAC-SHA256 of `csrf` under the session's bits.
  package var csrf: SecretValue {
    let code = value.withBytes { key in
      HMAC.secretCode(.sha256, key: key, message: Array("csrf".utf8).span.bytes)
    }
    return code.withBytes { Base64URL.encode($0) }
  }
}

extension SecretValue {
  init(copying bytes: borrowing SecretBytes) { self = bytes.withBytes { SecretValue(copying: $0) } }
}

/// The cookies of a server.
package struct Cookies: Sendable {
  /// Whether the server's address is `https`; else it stands on this machine alone.
  package let isSecure: Bool

  package init(isSecure: Bool) { self.isSecure = isSecure }

  package var sessionName: String { isSecure ? "__Host-seif" : "seif" }
  package var knownName: String { isSecure ? "__Host-seif-known" : "seif-known" }

  package func set(_ name: String, _ value: SecretValue, seconds: Int64? = nil) -> HTTPField {
    // EXPOSE: the browser is to have it.
    field(name, value.exposedText() ?? "", seconds: seconds)
  }

  package func clear(_ name: String) -> HTTPField { field(name, "", seconds: 0) }

  private func field(_ name: String, _ value: String, seconds: Int64?) -> HTTPField {
    let age = seconds.map { "; Max-Age=\($0)" } ?? ""
    return HTTPField(
      "Set-Cookie", "\(name)=\(value)\(age); Path=/\(isSecure ? "; Secure" : ""); HttpOnly; SameSite=Strict")
  }

  /// The value of a cookie that stands once in a request; nil: none, or several, of which a foreign one may be first.
  package static func value(_ name: String, in head: HTTPRequestHead) -> String? {
    var found: [Substring] = []
    for field in head.values("Cookie") {
      for pair in field.split(separator: ";") {
        let pair = pair.drop { $0 == " " }
        guard let equals = pair.firstIndex(of: "=") else { continue }
        if pair[..<equals].utf8.elementsEqual(name.utf8) { found.append(pair[pair.index(after: equals)...]) }
      }
    }
    return found.count == 1 ? found.first.map(String.init) : nil
  }
}

/// Whether a request comes from the server's own pages.
package enum OriginRules {
  /// - Parameters:
  ///   - origin: the server's address as browsers write it.
  ///   - session: the session that the request shows; its token is asked for where the request changes something.
  package static func check(
    _ head: HTTPRequestHead, origin: String, session: BearerSecret?
  ) throws(AccountProblem) {
    let site = head.values("Sec-Fetch-Site")
    guard head.method != "GET", head.method != "HEAD" else {
      // `none`: typed by the person.
      guard site.isEmpty || site == ["same-origin"] || site == ["none"] else { throw AccountProblem(.wrongOrigin) }
      return
    }
    guard site.isEmpty || site == ["same-origin"] else { throw AccountProblem(.wrongOrigin) }
    let origins = head.values("Origin")
    guard origins.count == 1, let shown = origins.first, shown.utf8.elementsEqual(origin.utf8) else {
      throw AccountProblem(.wrongOrigin)
    }
    guard let session else { return }
    guard let token = head["X-CSRF-Token"], SecretValue(utf8: token) == session.csrf else {
      throw AccountProblem(.csrf)
    }
  }
}
