public import SeifBytes

/// A way into a vault, as far as it is known without the key.
public struct WayIn: Sendable, Hashable {
  /// The kinds that this version opens.
  public enum Kind: Sendable, Hashable {
    case passphrase, recovery
    /// A kind of another version, by its name.
    case other(String)

    /// The name in the file.
    public var name: String {
      switch self {
      case .passphrase: "passphrase"
      case .recovery: "recovery"
      case .other(let name): name
      }
    }

    init(name: String) {
      self = name == "passphrase" ? .passphrase : name == "recovery" ? .recovery : .other(name)
    }
  }

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
}
