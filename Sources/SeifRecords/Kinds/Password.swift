public import SeifBytes

/// A login.
public struct Password: Sendable, Hashable {
  /// What every entry has.
  public var info = EntryInfo()
  /// Its name in lists.
  public var title = ""
  /// The person's name there.
  public var username = ""
  /// The password.
  public var password: SecretValue
  /// When any of it last changed.
  public var updatedAt: Timestamp?
  /// A Key URI (see `KeyURI`) that makes the login's one-time codes; empty: none.
  public var totp: SecretValue = .empty
  /// Passwords from before, newest first.
  public var history: [PreviousPassword] = []

  /// A login with a password.
  public init(password: SecretValue) {
    self.password = password
  }
}

/// A password that is no longer the present one.
public struct PreviousPassword: Sendable, Hashable {
  /// The password.
  public var password: SecretValue
  /// When it ceased to be the present one.
  public var changedAt: Timestamp?
  /// Members of the row that aren't understood here.
  public var opaque: [OpaqueMember] = []

  /// A password from before.
  public init(password: SecretValue, changedAt: Timestamp?) {
    self.password = password
    self.changedAt = changedAt
  }
}
