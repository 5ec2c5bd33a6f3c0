package import SeifServerStore

/// Why a call about accounts isn't done. Holds no name, secret, label or address.
package struct AccountProblem: Error, Sendable, Equatable {
  package enum Kind: String, Sendable, CaseIterable {
    case badRequest = "bad-request"
    case signInFailed = "sign-in-failed"
    case secondFactor = "second-factor"
    case notSignedIn = "not-signed-in"
    case freshSignIn = "fresh-sign-in"
    case csrf
    case wrongOrigin = "wrong-origin"
    case readOnly = "read-only"
    case notFound = "not-found"
    case noSuchLink = "no-such-link"
    case conflict
    case tooMany = "too-many"
    case weakPassword = "weak-password"
    case badCode = "bad-code"
    case badCredential = "bad-credential"
    case throttled
    case busy
    case unavailable
    /// An answer of RFC 8628; its word is beside it.
    case device

    package var status: Int {
      switch self {
      case .badRequest, .device: 400
      case .signInFailed, .secondFactor, .notSignedIn: 401
      case .freshSignIn, .csrf, .wrongOrigin, .readOnly: 403
      case .notFound, .noSuchLink: 404
      case .conflict, .tooMany: 409
      case .weakPassword, .badCode, .badCredential: 422
      case .throttled: 429
      case .busy, .unavailable: 503
      }
    }

    package var title: String {
      switch self {
      case .badRequest: "The request isn't one that this call takes."
      case .signInFailed: "Name, password, code or passkey don't fit."
      case .secondFactor: "A code of the second factor is needed."
      case .notSignedIn: "This needs a sign-in."
      case .freshSignIn: "This needs a sign-in of the last five minutes."
      case .csrf: "The token against forged requests is missing or wrong."
      case .wrongOrigin: "The request doesn't come from this server's own pages."
      case .readOnly: "This token may only read."
      case .notFound: "There is nothing here."
      case .noSuchLink: "The link is used, over, or was never given."
      case .conflict: "It was changed meanwhile, or is there already."
      case .tooMany: "There are as many as there may be."
      case .weakPassword: "The password is too short, too long or too simple."
      case .badCode: "The code isn't right."
      case .badCredential: "The passkey can't be taken."
      case .throttled: "Too many attempts. Wait as long as Retry-After says."
      case .busy: "The server is busy. Try again."
      case .unavailable: "The server can't read or write what it keeps."
      case .device: "The device has no token yet."
      }
    }
  }

  /// The words of RFC 8628 §3.5 and RFC 6749 §5.2.
  package enum DeviceError: String, Sendable {
    case authorizationPending = "authorization_pending"
    case slowDown = "slow_down"
    case accessDenied = "access_denied"
    case expiredToken = "expired_token"
    case invalidRequest = "invalid_request"
    case invalidGrant = "invalid_grant"
    case invalidScope = "invalid_scope"
    case unsupportedGrantType = "unsupported_grant_type"
  }

  package var kind: Kind
  package var retryAfter: Int?
  package var device: DeviceError?

  package init(_ kind: Kind, retryAfter: Int? = nil) {
    self.kind = kind
    self.retryAfter = retryAfter
  }

  package init(device: DeviceError) {
    kind = .device
    self.device = device
  }

  package init(_ failure: StoreFailure) {
    self.init(failure.code == .busy ? .busy : .unavailable, retryAfter: failure.code == .busy ? 1 : nil)
  }
}

/// Runs some calls of a store, whose failures become problems.
func stored<R>(_ body: () throws(StoreFailure) -> R) throws(AccountProblem) -> R {
  do throws(StoreFailure) { return try body() } catch { throw AccountProblem(error) }
}
