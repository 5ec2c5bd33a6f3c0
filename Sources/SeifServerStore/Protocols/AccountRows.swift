package import SeifBytes

/// An account. Nothing in it guards a vault's key.
package struct AccountRow: Sendable, Equatable {
  package var id: UUID
  /// 1 to 64 characters `a-z`, `0-9`, `.`, `_` and `-`, lower case.
  package var name: String
  /// Nil: not enrolled yet.
  package var password: PasswordHash?
  /// The TOTP secret, sealed; nil: none.
  package var totp: [UInt8]?
  /// A secret that waits for its first code, sealed.
  package var totpOffered: [UInt8]?
  package var isDisabled: Bool
  /// Bytes of sealed documents that it may have.
  package var quota: Int
  /// Whether the person tells monthly totals.
  package var tellsUsage: Bool
  package var createdAt: Timestamp

  package init(
    id: UUID, name: String, password: PasswordHash? = nil, totp: [UInt8]? = nil, totpOffered: [UInt8]? = nil,
    isDisabled: Bool = false, quota: Int, tellsUsage: Bool = false, createdAt: Timestamp
  ) {
    self.id = id
    self.name = name
    self.password = password
    self.totp = totp
    self.totpOffered = totpOffered
    self.isDisabled = isDisabled
    self.quota = quota
    self.tellsUsage = tellsUsage
    self.createdAt = createdAt
  }
}

/// A password as it is stored: Argon2id with the cost that it was made with.
package struct PasswordHash: Sendable, Equatable {
  package var memoryKiB: Int
  package var passes: Int
  package var lanes: Int
  /// 16 bytes.
  package var salt: [UInt8]
  /// 32 bytes.
  package var hash: [UInt8]

  package init(memoryKiB: Int, passes: Int, lanes: Int, salt: [UInt8], hash: [UInt8]) {
    self.memoryKiB = memoryKiB
    self.passes = passes
    self.lanes = lanes
    self.salt = salt
    self.hash = hash
  }
}

/// A link by which an account is taken into use, or its password set anew.
package struct EnrolmentRow: Sendable, Equatable {
  package var account: UUID
  /// SHA-256 of the 256-bit token.
  package var tokenHash: [UInt8]
  package var endsAt: Timestamp

  package init(account: UUID, tokenHash: [UInt8], endsAt: Timestamp) {
    self.account = account
    self.tokenHash = tokenHash
    self.endsAt = endsAt
  }
}

/// A passkey for signing in.
package struct PasskeyRow: Sendable, Equatable {
  package var account: UUID
  package var credentialID: [UInt8]
  /// COSE algorithm: -7 (ES256).
  package var algorithm: Int
  /// An uncompressed point of P-256, 65 bytes.
  package var publicKey: [UInt8]
  package var signCount: UInt32
  package var label: String
  package var createdAt: Timestamp
  package var usedAt: Timestamp?

  package init(
    account: UUID, credentialID: [UInt8], algorithm: Int = -7, publicKey: [UInt8], signCount: UInt32, label: String,
    createdAt: Timestamp, usedAt: Timestamp? = nil
  ) {
    self.account = account
    self.credentialID = credentialID
    self.algorithm = algorithm
    self.publicKey = publicKey
    self.signCount = signCount
    self.label = label
    self.createdAt = createdAt
    self.usedAt = usedAt
  }
}

/// Where a browser is signed in.
package struct SessionRow: Sendable, Equatable {
  /// SHA-256 of the cookie's 256 bits.
  package var idHash: [UInt8]
  /// What it is called in lists, unrelated to the cookie.
  package var handle: UUID
  package var account: UUID
  package var createdAt: Timestamp
  package var usedAt: Timestamp
  /// When the person last showed who they are.
  package var freshAt: Timestamp
  /// What the browser calls itself, shortened; for the person's list.
  package var agent: String

  package init(
    idHash: [UInt8], handle: UUID, account: UUID, createdAt: Timestamp, usedAt: Timestamp, freshAt: Timestamp,
    agent: String
  ) {
    self.idHash = idHash
    self.handle = handle
    self.account = account
    self.createdAt = createdAt
    self.usedAt = usedAt
    self.freshAt = freshAt
    self.agent = agent
  }
}

/// A token of an app or of the command line.
package struct TokenRow: Sendable, Equatable {
  package var id: UUID
  /// SHA-256 of the token's text.
  package var hash: [UInt8]
  package var account: UUID
  package var label: String
  /// Whether it may write.
  package var writes: Bool
  package var createdAt: Timestamp
  package var usedAt: Timestamp
  /// When the person last showed who they are with it in hand; nil: never.
  package var freshAt: Timestamp?

  package init(
    id: UUID, hash: [UInt8], account: UUID, label: String, writes: Bool, createdAt: Timestamp, usedAt: Timestamp,
    freshAt: Timestamp? = nil
  ) {
    self.id = id
    self.hash = hash
    self.account = account
    self.label = label
    self.writes = writes
    self.createdAt = createdAt
    self.usedAt = usedAt
    self.freshAt = freshAt
  }
}

/// A device that waits for a person's word.
package struct DeviceGrantRow: Sendable, Equatable {
  /// SHA-256 of the device code.
  package var deviceHash: [UInt8]
  /// 8 characters of `BCDFGHJKLMNPQRSTVWXZ`.
  package var userCode: String
  package var label: String
  package var writes: Bool
  package var endsAt: Timestamp
  package var polledAt: Timestamp?
  package var decision: DeviceDecision?

  package init(
    deviceHash: [UInt8], userCode: String, label: String, writes: Bool, endsAt: Timestamp,
    polledAt: Timestamp? = nil, decision: DeviceDecision? = nil
  ) {
    self.deviceHash = deviceHash
    self.userCode = userCode
    self.label = label
    self.writes = writes
    self.endsAt = endsAt
    self.polledAt = polledAt
    self.decision = decision
  }
}

package enum DeviceDecision: Sendable, Equatable {
  /// By this account.
  case granted(UUID)
  case denied
}

/// A challenge that a browser's authenticator is to sign.
package struct ChallengeRow: Sendable, Equatable {
  package enum Purpose: String, Sendable { case signIn = "sign-in", register, freshen }

  /// SHA-256 of the challenge's 32 bytes.
  package var hash: [UInt8]
  package var purpose: Purpose
  /// For whom; nil: for whoever signs in.
  package var account: UUID?
  package var endsAt: Timestamp

  package init(hash: [UInt8], purpose: Purpose, account: UUID?, endsAt: Timestamp) {
    self.hash = hash
    self.purpose = purpose
    self.account = account
    self.endsAt = endsAt
  }
}
