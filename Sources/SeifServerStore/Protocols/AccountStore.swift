package import SeifBytes

/// What a server keeps of accounts: how they sign in, and where they are signed in. Secrets are stored as hashes; what must
/// be read again (a TOTP secret) is stored as its caller gives it, sealed.
///
/// Each call is one transaction and durable before it returns; times are arguments.
package protocol AccountStore: Sendable {
  // MARK: Accounts

  /// Makes an account that waits for its enrolment.
  ///
  /// - Returns: false where the name is taken (names are compared in lower case).
  func makeAccount(_ account: AccountRow, enrolment: EnrolmentRow) throws(StoreFailure) -> Bool
  func account(_ id: UUID) throws(StoreFailure) -> AccountRow?
  func account(named name: String) throws(StoreFailure) -> AccountRow?
  /// By name, from the one after `after`.
  func accounts(after: String?, limit: Int) throws(StoreFailure) -> [AccountRow]
  /// Changes one; nil: there is none. What `change` throws or refuses leaves it as it was.
  func updateAccount(
    _ id: UUID, _ change: @Sendable (inout AccountRow) -> Void
  ) throws(StoreFailure) -> AccountRow?
  /// Sets another password and ends all sessions but one. False: there is no such account.
  func setPassword(
    _ id: UUID, _ password: PasswordHash, keeping idHash: [UInt8]?
  ) throws(StoreFailure) -> Bool
  /// Removes an account and all that belongs to it, in the vault's tables too. The blobs go at the next sweep.
  func removeAccount(_ id: UUID) throws(StoreFailure) -> Bool

  /// Puts a link in the place of an account's earlier ones.
  func putEnrolment(_ row: EnrolmentRow) throws(StoreFailure)
  /// Whose link it is; nil: there is no such link, it is over, or the account is disabled.
  func enrolment(tokenHash: [UInt8], at now: Timestamp) throws(StoreFailure) -> AccountRow?
  /// Uses a link up, once: sets the password and ends all sessions.
  ///
  /// - Returns: the account; nil: there is no such link, or it is over.
  func useEnrolment(
    tokenHash: [UInt8], password: PasswordHash, at now: Timestamp
  ) throws(StoreFailure) -> AccountRow?

  // MARK: Second factors

  func passkeys(_ account: UUID) throws(StoreFailure) -> [PasskeyRow]
  func passkey(credentialID: [UInt8]) throws(StoreFailure) -> PasskeyRow?
  /// - Returns: false where the credential is known, of this account or another, or `limit` is reached.
  func addPasskey(_ row: PasskeyRow, limit: Int) throws(StoreFailure) -> Bool
  /// Notes a use: counter and time, unless the counter didn't grow.
  ///
  /// - Returns: false where it didn't, but for an authenticator that has none: 0 and 0.
  func usePasskey(credentialID: [UInt8], signCount: UInt32, at now: Timestamp) throws(StoreFailure) -> Bool
  func removePasskey(_ account: UUID, credentialID: [UInt8]) throws(StoreFailure) -> Bool
  /// Takes a TOTP step as used; false: it was, or a later one.
  func useTOTPStep(_ account: UUID, step: Int64) throws(StoreFailure) -> Bool
  /// Hashes of codes for signing in, each good once.
  func setSignInCodes(_ account: UUID, hashes: [[UInt8]]) throws(StoreFailure)
  func signInCodeCount(_ account: UUID) throws(StoreFailure) -> Int
  func useSignInCode(_ account: UUID, hash: [UInt8]) throws(StoreFailure) -> Bool

  // MARK: Sessions and tokens

  /// Signs a browser in, if the account is as it was when its sign-in was checked.
  ///
  /// - Parameter password: the account's at that moment.
  /// - Returns: false where the account is gone or disabled, or has another password by now.
  func makeSession(_ row: SessionRow, password: PasswordHash?) throws(StoreFailure) -> Bool
  func session(idHash: [UInt8]) throws(StoreFailure) -> SessionRow?
  func touchSession(idHash: [UInt8], at now: Timestamp) throws(StoreFailure)
  /// Notes that the person has just shown again who they are.
  func freshenSession(idHash: [UInt8], at now: Timestamp) throws(StoreFailure)
  func sessions(_ account: UUID) throws(StoreFailure) -> [SessionRow]
  func endSession(_ account: UUID, handle: UUID) throws(StoreFailure) -> Bool
  func endSession(idHash: [UInt8]) throws(StoreFailure)
  func endSessions(_ account: UUID, but idHash: [UInt8]?) throws(StoreFailure)

  /// - Returns: false where `limit` is reached.
  func makeToken(_ row: TokenRow, limit: Int) throws(StoreFailure) -> Bool
  func token(hash: [UInt8]) throws(StoreFailure) -> TokenRow?
  func touchToken(hash: [UInt8], at now: Timestamp) throws(StoreFailure)
  /// Notes that the person has just shown who they are with it in hand.
  func freshenToken(hash: [UInt8], at now: Timestamp) throws(StoreFailure)
  func tokens(_ account: UUID) throws(StoreFailure) -> [TokenRow]
  func removeToken(_ account: UUID, id: UUID) throws(StoreFailure) -> Bool

  // MARK: Short-lived

  /// A device that waits for a person's word (RFC 8628). False: the code is taken, or too many wait.
  func makeDeviceGrant(_ row: DeviceGrantRow, limit: Int) throws(StoreFailure) -> Bool
  func deviceGrant(userCode: String) throws(StoreFailure) -> DeviceGrantRow?
  func deviceGrant(deviceHash: [UInt8]) throws(StoreFailure) -> DeviceGrantRow?
  /// Grants or denies one that waits. False: there is none, it is over or was decided.
  func decideDeviceGrant(
    userCode: String, _ decision: DeviceDecision, at now: Timestamp
  ) throws(StoreFailure) -> Bool
  /// Notes a question for it, and gives when the one before was.
  func pollDeviceGrant(deviceHash: [UInt8], at now: Timestamp) throws(StoreFailure) -> Timestamp?
  /// Takes one away. True to one caller alone, who may then make its token.
  func removeDeviceGrant(deviceHash: [UInt8]) throws(StoreFailure) -> Bool

  /// A WebAuthn challenge, and what it was given for.
  func makeChallenge(_ row: ChallengeRow, limit: Int) throws(StoreFailure) -> Bool
  /// Uses a challenge up, once; nil: there is none.
  func useChallenge(hash: [UInt8]) throws(StoreFailure) -> ChallengeRow?

  /// Counts an attempt under each key (a hash of an address prefix or an account) in windows of `seconds`.
  ///
  /// - Returns: for each key how many there were in its window, this one included, and when the last one before was.
  func count(
    attempts keys: [[UInt8]], seconds: Int, at now: Timestamp
  ) throws(StoreFailure) -> [(count: Int, before: Timestamp?)]
  /// Forgets the attempts of a key.
  func forget(attempts key: [UInt8]) throws(StoreFailure)

  /// Ends sessions, tokens, links, grants, challenges and counts that are over.
  func sweepAccounts(_ limits: AccountSweep) throws(StoreFailure)
}

/// Before which moments what is over.
package struct AccountSweep: Sendable {
  /// Sessions used last before, and made before.
  package var sessionUse: Timestamp
  package var sessionMade: Timestamp
  /// Tokens used last before.
  package var tokenUse: Timestamp
  /// What has an end of its own: now.
  package var now: Timestamp

  package init(sessionUse: Timestamp, sessionMade: Timestamp, tokenUse: Timestamp, now: Timestamp) {
    self.sessionUse = sessionUse
    self.sessionMade = sessionMade
    self.tokenUse = tokenUse
    self.now = now
  }
}
