package import SeifBytes

/// Servers of document vaults: how a person signs in at one, and the vault of who did. What has the network implements it.
package protocol DocumentServers: Sendable {
  /// The address of a server as it is kept and compared: scheme, host, and a port that isn't the scheme's own.
  ///
  /// - Throws: `badAddress` for one that isn't https, nor http on this machine, or that names a place at the server.
  func origin(of address: String) throws(SignInError) -> String
  /// The vault of whom a token belongs to.
  func store(at origin: String, token: SecretValue) -> any DocumentStore
  /// Sets the password of an account by the link that its operator gave.
  ///
  /// - Returns: the account's name.
  func enrol(at origin: String, link: SecretValue, password: SecretValue) throws(SignInError) -> String
  /// Signs in, makes a token that may read and write, and ends the session again.
  func makeToken(at origin: String, _ person: ServerPerson, label: String) throws(SignInError) -> ServerToken
  /// Signs in, has the server forget a token, and ends the session again.
  func revokeToken(at origin: String, _ person: ServerPerson, id: UUID) throws(SignInError)
  /// Shows who it is once more, for the next five minutes of a token.
  func freshen(at origin: String, _ person: ServerPerson, token: SecretValue) throws(SignInError)
}

/// Who signs in.
package struct ServerPerson: Sendable {
  package var name: String
  package var password: SecretValue
  /// Of the app or of the list; nil: none was asked for yet.
  package var code: SecretValue?

  package init(name: String, password: SecretValue, code: SecretValue? = nil) {
    self.name = name
    self.password = password
    self.code = code
  }
}

/// What stands for a person at a server from then on.
package struct ServerToken: Sendable {
  package var id: UUID
  package var token: SecretValue

  package init(id: UUID, token: SecretValue) {
    self.id = id
    self.token = token
  }
}

/// Why somebody couldn't sign in. Holds no name, password or code.
package enum SignInError: Error, Equatable {
  /// What is wrong with it.
  case badAddress(String)
  /// The account wants a code too.
  case secondFactor
  /// Name, password or code: the server doesn't say which.
  case refused
  /// The token isn't known, or no longer.
  case unknownToken
  /// The link is unknown, used or over.
  case noSuchLink
  case weakPassword
  case tooManyTokens
  /// The server is called otherwise than it was asked for.
  case otherAddress
  /// Too many tried; or the server is busy.
  case throttled
  /// In words.
  case failed(String)
}
