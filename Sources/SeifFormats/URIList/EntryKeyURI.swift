internal import SeifOTP
package import SeifRecords
package import SeifBytes

extension Entry {
  /// What makes the entry's codes as a Key URI that other programs read; nil where it makes none, or none that a URI holds.
  package var keyURI: SecretValue? {
    switch self {
    case .account(let account): account.uri(.list).uri.write()
    case .otherAccount(let other): other.uri?.uri.write()
    case .password(let login): login.totp.isEmpty ? nil : login.totp
    case .card, .note, .document: nil
    }
  }
}
