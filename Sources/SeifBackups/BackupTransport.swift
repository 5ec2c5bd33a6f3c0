public import SeifBytes

/// Where backups go: moves bytes and knows nothing of what is in them.
public protocol BackupTransport: Sendable {
  /// Stable name of the kind: `folder`, `file`, …
  var id: String { get }
  /// Its name for people.
  var displayName: String { get }
  /// The place by all that makes it another one, such as server, port, user and folder: its name in the ledger, the same
  /// whatever the person calls it.
  var place: String { get }
  /// Whether it needs credentials.
  var requiresAuthentication: Bool { get }
  /// Whether a restore may be offered from it without being asked for.
  var supportsAutomaticRestore: Bool { get }
  /// The name that every file gets, for a transport that has a single place; nil: the name that is asked for.
  var fixedName: String? { get }
  /// Whether a name that is taken is refused by the place itself, in one step. Where it isn't, names carry random bits
  /// and the listing is looked at before and after.
  var createsConditionally: Bool { get }
  /// Whether it can be used now.
  func isAvailable() -> Bool
  /// Finds out whether a file can be made there, leaving nothing behind.
  func checkWriting() throws(TransportError)
  /// What is there, in no order. Names and times are claims of whoever holds the place.
  func listBackups() throws(TransportError) -> [BackupDescriptor]
  /// Stores a file under a new name, durably, before it returns. Never overwrites: `exists`.
  func upload(_ content: SecretValue, name: String) throws(TransportError) -> BackupDescriptor
  /// The bytes of a file, at most `limit`.
  func download(id: String, limit: Int) throws(TransportError) -> SecretValue
  /// Removes a file; one that is gone already is `notFound`.
  func delete(id: String) throws(TransportError)
}

extension BackupTransport {
  /// The kind and the name for people.
  public var place: String { "\(id):\(displayName)" }

  /// The place itself refuses.
  public var createsConditionally: Bool { true }

  /// Nothing, for a place that tells only when something is stored.
  public func checkWriting() throws(TransportError) {}
}

/// A file at a transport, as the transport tells it: none of it is proven.
public struct BackupDescriptor: Sendable, Hashable {
  /// What `download` and `delete` take.
  public var id: String
  /// Its name.
  public var name: String
  /// Its size in bytes, where the transport says it.
  public var byteCount: Int?

  /// A file.
  public init(id: String, name: String, byteCount: Int?) {
    self.id = id
    self.name = name
    self.byteCount = byteCount
  }
}
