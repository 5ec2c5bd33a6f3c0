public import SeifBytes

/// A note.
public struct Note: Sendable, Hashable {
  /// What every entry has; its `notes` are empty.
  public var info = EntryInfo()
  /// Its name in lists.
  public var title = ""
  /// Its text.
  public var text: SecretValue
  /// When any of it last changed.
  public var updatedAt: Timestamp?

  /// A note with a text.
  public init(text: SecretValue) {
    self.text = text
  }
}

/// The key of a document vault, local or at a server.
public struct DocumentVault: Sendable, Hashable {
  /// Where the vault is.
  public enum Kind: String, Sendable, Hashable {
    case local, server
  }
  /// Identifier of the document vault, as the source writes it.
  public var id: String
  /// Where it is.
  public var kind: Kind
  /// Its master key, 32 bytes.
  public var masterKey: SecretValue
  /// The server's public address; empty for a local vault.
  public var server = ""
  /// The person's name at the server.
  public var account = ""
  /// The ways in, a JSON list as the server gave it, rows that can't be used among them; nil: none.
  public var wraps: SecretValue?
  /// Members that aren't understood here.
  public var opaque: [OpaqueMember] = []

  /// A document vault.
  public init(id: String, kind: Kind, masterKey: SecretValue) {
    self.id = id
    self.kind = kind
    self.masterKey = masterKey
  }
}
