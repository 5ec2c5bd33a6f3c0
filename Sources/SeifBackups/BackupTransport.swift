public import SeifBytes

/// Where backups go: moves bytes and knows nothing of what is in them.
public protocol BackupTransport {
  /// Stable name of the kind: `folder`, `file`, …
  var id: String { get }
  /// Its name for people.
  var displayName: String { get }
  /// Whether it needs credentials.
  var requiresAuthentication: Bool { get }
  /// Whether a restore may be offered from it without being asked for.
  var supportsAutomaticRestore: Bool { get }
  /// The name that every file gets, for a transport that has a single place; nil: the name that is asked for.
  var fixedName: String? { get }
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

/// Why a transport didn't do what it was asked.
public struct TransportError: Error, Equatable, CustomStringConvertible {
  /// The kinds of failure.
  public enum Code: Sendable, Equatable {
    case notFound, exists, noPermission, notAFolder, full, readOnly, tooLarge, unavailable, failed
  }
  /// What failed.
  public var code: Code
  /// The file or folder, as the person knows it.
  public var place: String
  /// What the system said, in its own words; never contents.
  public var reason: String

  /// A failure.
  public init(_ code: Code, place: String, reason: String = "") {
    self.code = code
    self.place = place
    self.reason = reason
  }

  public static func == (left: TransportError, right: TransportError) -> Bool { left.code == right.code }

  public var description: String {
    let what: String
    switch code {
    case .notFound: what = "\(place) isn't there"
    case .exists: what = "\(place) exists already"
    case .noPermission: what = "there is no permission for \(place)"
    case .notAFolder: what = "\(place) isn't a folder"
    case .full: what = "the disk that holds \(place) is full"
    case .readOnly: what = "\(place) can't be written to: the file system is read-only"
    case .tooLarge: what = "\(place) is larger than a backup may be"
    case .unavailable: what = "\(place) can't be reached"
    case .failed: what = "\(place) couldn't be read or written"
    }
    return reason.isEmpty ? what : "\(what) (\(reason))"
  }
}
