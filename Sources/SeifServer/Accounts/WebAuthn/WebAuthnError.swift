/// Why a credential of WebAuthn isn't taken: which check failed, never what it was about.
package enum WebAuthnError: Error, Sendable, Equatable {
  /// The members of the credential itself.
  case malformed
  case clientData, type, challenge, origin, crossOrigin
  case authenticatorData, relyingParty, notPresent, notVerified, backupFlags, extensions
  case attestation, format, algorithm, key, credentialID
  case unknownCredential, userHandle, counter, signature
}

/// For whom credentials are made: a server, as browsers see it.
package struct RelyingParty: Sendable, Equatable {
  /// Its domain.
  package var id: String
  /// Scheme, host and port as a browser writes them.
  package var origin: String

  package init(id: String, origin: String) {
    self.id = id
    self.origin = origin
  }
}
