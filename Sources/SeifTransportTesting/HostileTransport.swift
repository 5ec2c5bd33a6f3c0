public import SeifBackups
public import SeifBytes
internal import Synchronization

/// A way in which a place can fail or lie, and what Seif must make of it. Each stands in a file of its own.
public protocol Fault: Sendable {
  /// What it does, as a clause.
  static var name: String { get }
  /// What is done at the place while it does it.
  static var deed: Deed { get }
  /// What must be said, in part.
  static var says: String { get }
  /// The exit code of the command.
  static var exitCode: Int32 { get }
  /// The same at a place that doesn't refuse a name that is taken, where it differs.
  static var withoutConditions: Outcome? { get }

  init()
  /// The place as it is, and what the fault makes of each call.
  func list(_ place: HonestPlace) throws(TransportError) -> [BackupDescriptor]
  func upload(_ content: SecretValue, _ name: String, _ place: HonestPlace) throws(TransportError) -> BackupDescriptor
  func download(_ id: String, _ limit: Int, _ place: HonestPlace) throws(TransportError) -> SecretValue
  func delete(_ id: String, _ place: HonestPlace) throws(TransportError)
}

/// What is done at a place that fails.
public enum Deed: Sendable {
  /// A backup is made, beside older proven ones.
  case create
  /// As that, and the rule lets only three stay, so that older ones have to go.
  case prune
  /// The newest backup is looked for.
  case restore
}

/// What must be said, and the exit code.
public struct Outcome: Sendable {
  public let says: String
  public let exitCode: Int32

  public init(_ says: String, _ exitCode: Int32) {
    self.says = says
    self.exitCode = exitCode
  }
}

extension Fault {
  public static var withoutConditions: Outcome? { nil }

  /// What it must come to at a place.
  public static func outcome(_ transport: any BackupTransport) -> Outcome {
    transport.createsConditionally ? Outcome(says, exitCode) : withoutConditions ?? Outcome(says, exitCode)
  }

  public static var deed: Deed { .create }
  public static var exitCode: Int32 { 2 }

  public func list(_ place: HonestPlace) throws(TransportError) -> [BackupDescriptor] {
    try place.transport.listBackups()
  }
  public func upload(
    _ content: SecretValue, _ name: String, _ place: HonestPlace
  ) throws(TransportError) -> BackupDescriptor {
    try place.upload(content, name)
  }
  public func download(_ id: String, _ limit: Int, _ place: HonestPlace) throws(TransportError) -> SecretValue {
    try place.transport.download(id: id, limit: limit)
  }
  public func delete(_ id: String, _ place: HonestPlace) throws(TransportError) {
    try place.transport.delete(id: id)
  }
}

/// The place behind the fault, which does what it is told.
public final class HonestPlace: Sendable {
  /// What the place really is.
  public let transport: any BackupTransport
  private let state = Mutex<(uploaded: BackupDescriptor?, calls: Int)>((nil, 0))

  init(_ transport: any BackupTransport) { self.transport = transport }

  /// The file that was stored last.
  public var uploaded: BackupDescriptor? { state.withLock(\.uploaded) }

  /// Counts, from 1.
  public func next() -> Int {
    state.withLock {
      $0.calls += 1
      return $0.calls
    }
  }

  /// Stores as it is asked for.
  public func upload(_ content: SecretValue, _ name: String) throws(TransportError) -> BackupDescriptor {
    let stored = try transport.upload(content, name: name)
    state.withLock { $0.uploaded = stored }
    return stored
  }

  /// The files that were there before the one that was stored last, oldest name first.
  public func older() throws(TransportError) -> [BackupDescriptor] {
    let own = uploaded?.id
    return try transport.listBackups().filter { $0.id != own }
      .sorted { BackupName.isNewerClaim($1.name, than: $0.name) }
  }
}

/// Any transport, with a fault.
public struct HostileTransport: BackupTransport {
  private let inner: HonestPlace
  private let fault: any Fault

  /// A place that has a fault.
  public init(_ transport: any BackupTransport, _ fault: any Fault.Type) {
    inner = HonestPlace(transport)
    self.fault = fault.init()
  }

  public var id: String { inner.transport.id }
  public var displayName: String { inner.transport.displayName }
  public var place: String { inner.transport.place }
  public var requiresAuthentication: Bool { inner.transport.requiresAuthentication }
  public var supportsAutomaticRestore: Bool { inner.transport.supportsAutomaticRestore }
  public var fixedName: String? { inner.transport.fixedName }
  public var createsConditionally: Bool { inner.transport.createsConditionally }
  public func isAvailable() -> Bool { inner.transport.isAvailable() }
  public func listBackups() throws(TransportError) -> [BackupDescriptor] { try fault.list(inner) }
  public func upload(_ content: SecretValue, name: String) throws(TransportError) -> BackupDescriptor {
    try fault.upload(content, name, inner)
  }
  public func download(id: String, limit: Int) throws(TransportError) -> SecretValue {
    try fault.download(id, limit, inner)
  }
  public func delete(id: String) throws(TransportError) { try fault.delete(id, inner) }
}
