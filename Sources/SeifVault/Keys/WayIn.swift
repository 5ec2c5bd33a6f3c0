public import SeifBytes

/// A way into a vault, as far as it is known without the key.
public struct WayIn: Sendable, Hashable {
  /// The kinds that this version opens.
  public enum Kind: Sendable, Hashable {
    case passphrase, recovery, tpm2, fido2, keyring
    /// A kind of another version, by its name.
    case other(String)

    /// Every kind that this version knows, the one that needs most to be had by somebody first.
    public static let known: [Kind] = [.passphrase, .recovery, .fido2, .tpm2, .keyring]

    /// The name in the file.
    public var name: String {
      switch self {
      case .passphrase: "passphrase"
      case .recovery: "recovery"
      case .tpm2: "tpm2"
      case .fido2: "fido2"
      case .keyring: "keyring"
      case .other(let name): name
      }
    }

    /// The kind of a name in a file.
    public init(name: String) {
      self = Self.known.first { $0.name == name } ?? .other(name)
    }
  }

  /// Whether it opens the vault on any machine by what a person has: a passphrase or a recovery code.
  public var isPortable: Bool { kind == .passphrase || kind == .recovery }

  /// Identifier of the way in.
  public let id: UUID
  /// Its kind.
  public let kind: Kind
  /// When it was made; nil where the row doesn't say.
  public let createdAt: Timestamp?
  /// The generation of the data key that it wraps.
  public let generation: Int64
  /// Its public parameters, in canonical JSON.
  public let parameters: String

  /// A public parameter; nil where it isn't there or of another type, or where the parameters aren't canonical JSON.
  public func text(_ name: String) -> String? { member(name)?.string }
  /// A public parameter that is a whole number.
  public func number(_ name: String) -> Int64? { member(name)?.int64 }
  /// A public parameter that is true or false.
  public func flag(_ name: String) -> Bool? { member(name)?.bool }
  /// A public parameter that is bytes, in base64.
  public func bytes(_ name: String) -> [UInt8]? {
    guard let decoded = member(name)?.withString({ try? Base64.decode($0) }) ?? nil else { return nil }
    // EXPOSE: parameters are public.
    return decoded.exposedBytes()
  }

  private func member(_ name: String) -> JSONValue? { Self.document(parameters)?.root[name] }

  /// The parameters parsed; nil for what isn't canonical JSON.
  static func document(_ parameters: String) -> JSONDocument? {
    let text = SecretValue(utf8: parameters)
    guard let document = try? JSONDocument(parsing: text, policy: .header), document.root.canonical == text else {
      return nil
    }
    return document
  }
}

extension WayIn {
  /// Whether these ways in are enough to hold a vault: a recovery code, two security keys, or a passphrase of which it was
  /// shown that it keeps the rules for new ones. TPM and keyring never count: they go with the machine.
  ///
  /// - Parameter passphrases: identifiers of those passphrases.
  public static func areStrong(_ ways: [WayIn], passphrases: Set<UUID>) -> Bool {
    ways.contains { $0.kind == .recovery || ($0.kind == .passphrase && passphrases.contains($0.id)) }
      || ways.count { $0.kind == .fido2 } >= 2
  }
}
