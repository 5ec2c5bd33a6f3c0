internal import Glibc
internal import SeifBackups
internal import SeifBytes

/// The files of one folder, over one connection.
struct SFTPFolder {
  /// Most files of a listing.
  static let fileLimit = 100_000

  let session: SFTPSession
  let path: String
  let place: String
  /// Whether the server was found to refuse a name that is taken.
  var refusesByItself = false

  // MARK: - What there is

  func isFolder() throws(TransportError) -> Bool {
    session.begin(moving: 0)
    guard case .attributes(let attributes) = try session.ask(.status(path: path)) else { return false }
    return attributes.isFolder
  }

  /// The regular files; links are neither listed nor followed.
  func list() throws(TransportError) -> [BackupDescriptor] {
    try entries().compactMap { entry in
      guard let name = entry.text, entry.attributes.isRegularFile, PlainName.isName(name) else { return nil }
      return BackupDescriptor(id: name, name: name, byteCount: entry.attributes.byteCount.flatMap { Int(exactly: $0) })
    }
  }

  private func entries() throws(TransportError) -> [SFTPName] {
    session.begin(moving: 0)
    let handle = try open(.openFolder(path: path), place)
    var found: [SFTPName] = []
    while true {
      switch try session.ask(.readFolder(handle: handle)) {
      case .names(let names):
        guard !names.isEmpty, found.count + names.count <= Self.fileLimit else {
          throw session.broken(.count(field: "names"))
        }
        found += names
      case .status(let status) where status.code == SFTPStatus.endOfFile:
        _ = try session.perform(.close(handle: handle))
        return found
      case .status(let status): throw failure(status, place)
      default: throw session.broken(.otherAnswer(to: "READDIR"))
      }
    }
  }

  func fetch(_ name: String, limit: Int) throws(TransportError) -> SecretValue {
    session.begin(moving: limit)
    let file = file(name)
    let attributes: SFTPAttributes
    switch try session.ask(.linkStatus(path: path(name))) {
    case .attributes(let found): attributes = found
    case .status(let status): throw failure(status, file)
    default: throw session.broken(.otherAnswer(to: "LSTAT"))
    }
    guard attributes.isRegularFile else { throw TransportError(.failed, place: file, reason: "not a regular file") }
    guard let size = attributes.byteCount else {
      throw TransportError(.badAnswer, place: file, reason: "the server doesn't say how large it is")
    }
    guard let byteCount = Int(exactly: size), byteCount <= limit else { throw TransportError(.tooLarge, place: file) }
    return try moving { () throws(TransportError) in
      let handle = try open(.open(path: path(name), flags: SFTPRequest.OpenFlags.read), file)
      let (content, refusal) = try session.read(byteCount, of: handle)
      _ = try session.perform(.close(handle: handle))
      if let refusal {
        guard refusal.code != SFTPStatus.endOfFile else { throw TransportError(.incomplete, place: file) }
        throw failure(refusal, file)
      }
      return content
    }
  }

  // MARK: - What changes it

  /// Writes under a temporary name, has it made durable where the server can, and gives it its name in a step that fails
  /// where the name is taken.
  func store(_ content: SecretValue, _ name: String) throws(TransportError) {
    try removeLeftOver()
    session.begin(moving: content.byteCount)
    let file = file(name)
    // A server that refuses by itself is left to do it: only so does a test find out whether it does.
    if !refusesByItself, try exists(name) { throw TransportError(.exists, place: file) }
    let temporary = TemporaryName.make()
    try moving { () throws(TransportError) in
      let handle = try open(.open(path: path(temporary), flags: SFTPRequest.OpenFlags.createNew), place)
      do throws(TransportError) {
        try fill(handle, content, file)
        try publish(temporary, name)
      } catch {
        // Where the connection is gone, a later one finds it.
        if !session.isBroken { _ = try session.perform(.remove(path: path(temporary))) }
        throw error
      }
    }
  }

  func remove(_ name: String) throws(TransportError) {
    session.begin(moving: 0)
    try check(try session.perform(.remove(path: path(name))), file(name))
  }

  /// Makes a file and takes it away again.
  func tryOut() throws(TransportError) {
    session.begin(moving: 0)
    let temporary = path(TemporaryName.make())
    let handle = try open(.open(path: temporary, flags: SFTPRequest.OpenFlags.createNew), place)
    let closed = try session.perform(.close(handle: handle))
    let removed = try session.perform(.remove(path: temporary))
    try check(closed, place)
    try check(removed, place)
  }

  private func fill(_ handle: [UInt8], _ content: SecretValue, _ file: String) throws(TransportError) {
    var refusal = try session.write(content, to: handle)
    if refusal == nil, session.extensions.contains(SFTPExtension.synchronize) {
      let status = try session.perform(.synchronize(handle: handle))
      if status.code != SFTPStatus.ok { refusal = status }
    }
    // Some systems tell at the end that there was no space.
    let closed = try session.perform(.close(handle: handle))
    if let refusal { throw try whyNotWritten(refusal, file) }
    if closed.code != SFTPStatus.ok { throw try whyNotWritten(closed, file) }
  }

  private func publish(_ temporary: String, _ name: String) throws(TransportError) {
    let file = file(name)
    if session.extensions.contains(SFTPExtension.link) {
      let linked = try session.perform(.link(from: path(temporary), to: path(name)))
      if linked.code == SFTPStatus.ok {
        // The file has its name; a second one that stays is no failure, and goes after a day.
        _ = try session.perform(.remove(path: path(temporary)))
        return
      }
    }
    // Not every file system has links. In version 3 a rename fails where the name is taken (§6.5); some servers know
    // better, so they are asked first unless this one was found to refuse.
    if !refusesByItself, try exists(name) { throw TransportError(.exists, place: file) }
    let renamed = try session.perform(.rename(from: path(temporary), to: path(name)))
    guard renamed.code != SFTPStatus.ok else { return }
    guard try !exists(name) else { throw TransportError(.exists, place: file) }
    throw failure(renamed, file)
  }

  /// What a killed program left here is removed once in a connection, before something is stored.
  private func removeLeftOver() throws(TransportError) {
    guard !session.hasCleaned else { return }
    session.hasCleaned = true
    let now = UInt64(clamping: time(nil))
    for entry in try entries() {
      guard let name = entry.text, TemporaryName.matches(name), entry.attributes.isRegularFile,
        let modified = entry.attributes.modified, UInt64(modified) + UInt64(TemporaryName.lifetime) < now
      else { continue }
      // Another may have removed it.
      _ = try session.perform(.remove(path: path(name)))
    }
  }

  // MARK: - Answers

  private func open(_ request: SFTPRequest, _ place: String) throws(TransportError) -> [UInt8] {
    switch try session.ask(request) {
    case .handle(let handle): return handle
    case .status(let status) where status.code != SFTPStatus.ok:
      // Servers say of a file in the place of a folder that it isn't there, and have one word for many failures.
      if case .openFolder = request, case .attributes(let found) = try session.ask(.status(path: path)),
        !found.isFolder
      {
        throw TransportError(.notAFolder, place: place)
      }
      throw status.code == SFTPStatus.failure ? try whyNotWritten(status, place) : failure(status, place)
    default: throw session.broken(.otherAnswer(to: request.name))
    }
  }

  private func exists(_ name: String) throws(TransportError) -> Bool {
    switch try session.ask(.linkStatus(path: path(name))) {
    case .attributes: return true
    case .status(let status) where status.code != SFTPStatus.ok: return false
    default: throw session.broken(.otherAnswer(to: "LSTAT"))
    }
  }

  // Version 3 has one word for a full disk, a read-only one and everything else.
  private func whyNotWritten(_ status: SFTPStatus, _ file: String) throws(TransportError) -> TransportError {
    guard status.code == SFTPStatus.failure, session.extensions.contains(SFTPExtension.fileSystem),
      case .extended(let fields) = try session.ask(.fileSystem(path: path))
    else { return failure(status, file) }
    let system: SFTPFileSystem
    do throws(SFTPFault) {
      system = try SFTPFileSystem(fields)
    } catch {
      throw session.broken(error)
    }
    if system.isReadOnly { return TransportError(.readOnly, place: file) }
    if system.freeBytes < SFTPSession.pieceByteCount { return TransportError(.full, place: file) }
    return failure(status, file)
  }

  private func check(_ status: SFTPStatus, _ file: String) throws(TransportError) {
    guard status.code == SFTPStatus.ok else { throw failure(status, file) }
  }

  private func failure(_ status: SFTPStatus, _ file: String) -> TransportError {
    switch status.code {
    case SFTPStatus.noSuchFile: return TransportError(.notFound, place: file)
    case SFTPStatus.permissionDenied: return TransportError(.noPermission, place: file)
    default:
      let words = String(Display.cleaned(status.message).prefix(200))
      let reason = words.isEmpty ? "status \(status.code)" : "the server says: \(words)"
      return TransportError(.failed, place: file, reason: reason)
    }
  }

  // A connection that ends while bytes move leaves them incomplete.
  private func moving<Value>(_ body: () throws(TransportError) -> Value) throws(TransportError) -> Value {
    do throws(TransportError) {
      return try body()
    } catch  where error.code == .unavailable {
      throw TransportError(.incomplete, place: error.place, reason: "the connection ended \(error.reason)")
    }
  }

  private func path(_ name: String) -> String { path.hasSuffix("/") ? path + name : "\(path)/\(name)" }
  private func file(_ name: String) -> String { place.hasSuffix("/") ? place + name : "\(place)/\(name)" }
}
