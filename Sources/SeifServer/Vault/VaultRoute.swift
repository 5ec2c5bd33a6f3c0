package import SeifBytes
package import SeifHTTPServer

/// A call about a vault, with a body that fits in memory read.
package struct VaultCall: Sendable {
  package var head: HTTPRequestHead
  /// What stands in the path where the pattern has `{uuid}`.
  package var id: UUID?
  package var body: SecretValue
  package var now: Timestamp

  /// The identifier of a path that has one.
  func requireID() throws(VaultProblem) -> UUID {
    guard let id else { throw .notFound }
    return id
  }
}

/// One call: where it is below a mount, what it takes, what it needs.
package struct VaultRoute: Sendable {
  package enum Body: Sendable {
    case none
    /// JSON of at most so many bytes.
    case json(Int)
    /// A sealed document, taken as it comes.
    case object
  }
  package enum Need: Sendable { case read, write, freshWrite }
  package typealias Handler = @Sendable (VaultCall, AccountCaller) throws(VaultProblem) -> HTTPAnswer

  package let method: String
  /// `/manifest`, `/objects/{uuid}`.
  package let pattern: String
  package let body: Body
  package let need: Need
  let handler: Handler

  init(
    _ method: String, _ pattern: String, body: Body = .none, need: Need, _ handler: @escaping Handler
  ) {
    self.method = method
    self.pattern = pattern
    self.body = body
    self.need = need
    self.handler = handler
  }
}

/// Where the calls about vaults stand: for apps by token, for a browser by session.
package enum VaultMount: String, Sendable, CaseIterable {
  case token = "/api/v1/vault"
  case session = "/account/vault"
}

/// What a vault may hold.
package enum VaultBounds {
  /// What sealing adds: nonce and tag.
  package static let sealedOverhead = 28
  /// Of a sealed document.
  package static let objectByteCount = 50 * 1024 * 1024 + sealedOverhead
  /// Of a sealed manifest.
  package static let manifestByteCount = 16 * 1024 * 1024
  package static let objectCount = 10_000
  package static let keyWrapCount = 32
  /// Of a body of JSON with a manifest in base64, and up to 32 rows.
  static let manifestBodyByteCount = manifestByteCount / 3 * 4 + (128 << 10)
  /// Of a body of JSON without one.
  static let smallBodyByteCount = 16 << 10
  static let wrappedKeyByteCount = 60
  static let recoverySaltByteCount = 16
  static let recoveryIterations = 600_000
}
