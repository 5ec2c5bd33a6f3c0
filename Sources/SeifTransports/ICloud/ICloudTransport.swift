internal import CSeif
internal import Glibc
public import SeifBackups
public import SeifBytes

/// A folder that something else keeps in step with iCloud, laid out as the iPhone's: backups lie in
/// `Documents/TwoFacBackups`, one that isn't here yet as a placeholder `.NAME.icloud`.
///
/// A copy that a conflict made (`NAME 2.ext`, `NAME (conflicted copy …)`) is a file of its own and never taken for the
/// original.
public struct ICloudTransport: BackupTransport {
  /// Where the backups lie.
  public let path: String
  /// A program that has a file fetched, and its arguments; empty: none.
  public let hook: [String]
  /// How many seconds a file is waited for.
  public let wait: Int
  private let documents: String
  private let folder: FolderTransport

  /// A folder.
  ///
  /// - Parameters:
  ///   - path: the folder that holds `Documents`, or `…/Documents/TwoFacBackups` itself.
  ///   - hook: a command that has a file fetched, its words parted by spaces, its program a whole path; the file's path
  ///     is its last argument.
  ///   - wait: seconds, 0 to 3,600.
  /// - Throws: `TransportError` with code `badSettings`.
  public init(path: String, hook: String = "", wait: Int = 30) throws(TransportError) {
    func refusal(_ field: String, _ words: String) -> TransportError {
      TransportError(.badSettings, place: path, reason: "\(field) \(words)", field: field)
    }
    guard path.hasPrefix("/"), PlainName.isIdentifier(path) else { throw refusal("path", "isn't a whole path") }
    var base = path
    while base.utf8.count > 1, base.hasSuffix("/") { base.removeLast() }
    let inner = "/Documents/TwoFacBackups"
    if base.hasSuffix(inner) { base.removeLast(inner.count) }
    documents = base == "/" ? "/Documents" : base + "/Documents"
    self.path = documents + "/TwoFacBackups"
    self.hook = hook.split(separator: " ").map(String.init)
    guard hook.utf8.count <= 4_096, self.hook.first.map({ $0.hasPrefix("/") }) ?? true else {
      throw refusal("hook", "doesn't begin with a whole path")
    }
    guard (0...3_600).contains(wait) else { throw refusal("wait", "isn't a number of seconds from 0 to 3600") }
    self.wait = wait
    folder = FolderTransport(path: self.path)
  }

  public var id: String { "icloud" }
  public var displayName: String { path }
  public var requiresAuthentication: Bool { false }
  public var supportsAutomaticRestore: Bool { true }
  public var fixedName: String? { nil }

  public func isAvailable() -> Bool {
    var status = stat()
    return stat(documents, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  public func checkWriting() throws(TransportError) {
    try makeFolder()
    try folder.checkWriting()
  }

  public func listBackups() throws(TransportError) -> [BackupDescriptor] {
    guard isAvailable() else { throw TransportError(.notFound, place: documents) }
    // Nothing has been stored yet.
    guard folder.isAvailable() else { return [] }
    var here: [BackupDescriptor] = []
    // By their bytes: texts that look alike can be two files.
    var away = Set<[UInt8]>()
    for file in try folder.listBackups() {
      if let name = Placeholder.realName(file.name) {
        away.insert(Array(name.utf8))
      } else {
        here.append(file)
      }
    }
    away.subtract(here.map { Array($0.name.utf8) })
    // A placeholder's own size says nothing.
    return here
      + away.map { bytes in
        let name = String(decoding: bytes, as: UTF8.self)
        return BackupDescriptor(id: name, name: name, byteCount: nil)
      }
  }

  public func upload(_ content: SecretValue, name: String) throws(TransportError) -> BackupDescriptor {
    try checkName(name)
    try makeFolder()
    guard !isAway(name) else { throw TransportError(.exists, place: place(name)) }
    return try folder.upload(content, name: name)
  }

  public func download(id: String, limit: Int) throws(TransportError) -> SecretValue {
    try checkName(id)
    do throws(TransportError) {
      return try folder.download(id: id, limit: limit)
    } catch  where error.code == .notFound && isAway(id) {
      try fetch(id)
      return try folder.download(id: id, limit: limit)
    }
  }

  public func delete(id: String) throws(TransportError) {
    try checkName(id)
    do throws(TransportError) {
      try folder.delete(id: id)
    } catch  where error.code == .notFound && isAway(id) {
      // The placeholder stands for the file: without it the file goes from the cloud.
      return try folder.delete(id: Placeholder.name(of: id))
    }
    if isAway(id) { try folder.delete(id: Placeholder.name(of: id)) }
  }

  // MARK: - Files that aren't here

  private func isAway(_ name: String) -> Bool {
    var status = stat()
    return lstat(place(Placeholder.name(of: name)), &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  // Has it fetched, and waits until it is there and has stopped to grow.
  private func fetch(_ name: String) throws(TransportError) {
    let deadline = seif_milliseconds_since_boot() + Int64(wait) * 1_000
    var reason = hook.isEmpty ? "open it on a device that fetches it" : ""
    if let program = hook.first {
      do throws(PipedProgram.Failure) {
        let words = Array(hook.dropFirst()) + [place(name)]
        let outcome = try ProgramRun.run(program, words, limit: 1 << 16, seconds: max(1, wait))
        switch outcome.end {
        case .exited(0): reason = outcome.message
        case .exited(let status):
          reason = outcome.message.isEmpty ? "the hook's exit status is \(status)" : outcome.message
        case .timedOut: reason = "the hook took too long"
        case .tooLong: reason = "the hook writes without end"
        }
      } catch {
        reason = "the hook can't be started: \(String(cString: strerror(error.code)))"
      }
    }
    var before: Look?
    while true {
      let look = look(name)
      if let look, look == before { return }
      before = look
      let isLate = seif_milliseconds_since_boot() >= deadline
      guard !isLate || look != nil else { break }
      usleep(100_000)
    }
    throw TransportError(.notDownloaded, place: place(name), reason: reason)
  }

  private struct Look: Equatable {
    var byteCount: Int
    var seconds: Int
    var nanoseconds: Int
  }

  private func look(_ name: String) -> Look? {
    var status = stat()
    guard lstat(place(name), &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Look(
      byteCount: Int(status.st_size), seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
  }

  private func makeFolder() throws(TransportError) {
    guard !folder.isAvailable() else { return }
    guard isAvailable() else { throw TransportError(.notFound, place: documents) }
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw SystemFault.error(place: path) }
    let parent = seif_open(documents, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    guard parent >= 0 else { throw SystemFault.error(place: documents) }
    defer { close(parent) }
    try DurableFile.sync(folder: parent, place: documents)
  }

  private func checkName(_ name: String) throws(TransportError) {
    // Its placeholder must have a name too.
    guard PlainName.isName(name), name.utf8.count <= 247, Placeholder.realName(name) == nil else {
      throw PlainName.refusal(path)
    }
  }

  private func place(_ name: String) -> String { "\(path)/\(name)" }
}

/// `.NAME.icloud` stands for a file that isn't on this machine.
enum Placeholder {
  static func name(of real: String) -> String { ".\(real).icloud" }

  /// The name of the file that a placeholder stands for; nil: no placeholder.
  static func realName(_ name: String) -> String? {
    let ending = ".icloud"
    guard name.hasPrefix("."), name.hasSuffix(ending), name.utf8.count > ending.utf8.count + 1 else { return nil }
    let real = String(name.dropFirst().dropLast(ending.count))
    return PlainName.isName(real) ? real : nil
  }
}
