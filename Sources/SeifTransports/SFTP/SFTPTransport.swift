public import SeifBackups
public import SeifBytes
internal import Synchronization

/// A folder of a server with SFTP version 3, reached by the system's `ssh`: keys, agents, host keys and proxies are as the
/// person's configuration of it says.
///
/// A connection is kept for the next call, and ends with the transport; calls at the same time have one each.
public struct SFTPTransport: BackupTransport {
  /// The folder's path on the server, from the root or from where the login begins.
  public let folder: String
  /// Whether the server refuses a name that is taken.
  public let createsConditionally: Bool
  let connections: SFTPConnections
  private let name: String

  /// A folder of a server.
  ///
  /// - Parameters:
  ///   - host: a name, an address, or a `Host` of ssh's configuration.
  ///   - user, port, identityFile: empty: as ssh decides.
  /// - Throws: `TransportError` with code `badSettings`: what can't be handed to ssh.
  public init(
    host: String, user: String = "", port: String = "", folder: String, identityFile: String = "",
    createsConditionally: Bool = false
  ) throws(TransportError) {
    let command = SSHCommand(host: host, user: user, port: port, identityFile: identityFile)
    try self.init(command, folder: folder, createsConditionally: createsConditionally)
  }

  init(_ command: SSHCommand, folder: String, createsConditionally: Bool) throws(TransportError) {
    func refusal(_ field: String, _ words: String) -> TransportError {
      TransportError(.badSettings, place: command.host, reason: "\(field) \(words)", field: field)
    }
    if let fault = command.fault { throw refusal(fault.field, fault.words) }
    guard PlainName.isIdentifier(folder), !folder.hasPrefix("~") else {
      throw refusal("folder", "isn't a path: without / in front it begins where the login does")
    }
    self.folder = folder
    self.createsConditionally = createsConditionally
    name = "\(command.user.isEmpty ? "" : command.user + "@")\(command.host):\(folder)"
    place = "sftp:\(command.user)@\(command.host):\(command.port):\(folder)"
    connections = SFTPConnections(command)
  }

  public var id: String { "sftp" }
  public var displayName: String { name }
  public let place: String
  /// Credentials are ssh's own.
  public var requiresAuthentication: Bool { false }
  public var supportsAutomaticRestore: Bool { true }
  public var fixedName: String? { nil }

  public func isAvailable() -> Bool {
    (try? connections.use { (session) throws(TransportError) in try files(session).isFolder() }) ?? false
  }

  public func checkWriting() throws(TransportError) {
    try connections.use { (session) throws(TransportError) in try files(session).tryOut() }
  }

  public func listBackups() throws(TransportError) -> [BackupDescriptor] {
    try connections.use { (session) throws(TransportError) in try files(session).list() }
  }

  public func upload(_ content: SecretValue, name: String) throws(TransportError) -> BackupDescriptor {
    guard PlainName.isName(name) else { throw PlainName.refusal(displayName) }
    try connections.use { (session) throws(TransportError) in try files(session).store(content, name) }
    return BackupDescriptor(id: name, name: name, byteCount: content.byteCount)
  }

  public func download(id: String, limit: Int) throws(TransportError) -> SecretValue {
    guard PlainName.isName(id) else { throw PlainName.refusal(displayName) }
    return try connections.use { (session) throws(TransportError) in try files(session).fetch(id, limit: limit) }
  }

  public func delete(id: String) throws(TransportError) {
    guard PlainName.isName(id) else { throw PlainName.refusal(displayName) }
    try connections.use { (session) throws(TransportError) in try files(session).remove(id) }
  }

  private func files(_ session: SFTPSession) -> SFTPFolder {
    SFTPFolder(session: session, path: folder, place: name, refusesByItself: createsConditionally)
  }
}

/// Connections that are between two calls.
final class SFTPConnections: Sendable {
  // More at once than a program of ours has threads for.
  private static let kept = 2
  private let command: SSHCommand
  private let idle = Mutex<[SFTPSession]>([])

  init(_ command: SSHCommand) { self.command = command }

  /// Calls with a connection that nobody else uses.
  func use<Value>(_ body: (SFTPSession) throws(TransportError) -> Value) throws(TransportError) -> Value {
    let session = try take()
    defer { giveBack(session) }
    return try body(session)
  }

  private func take() throws(TransportError) -> SFTPSession {
    while let session = idle.withLock({ $0.popLast() }) {
      if session.isFresh { return session }
    }
    return try command.connect()
  }

  private func giveBack(_ session: SFTPSession) {
    guard !session.isBroken else { return }
    idle.withLock { if $0.count < Self.kept { $0.append(session) } }
  }
}
