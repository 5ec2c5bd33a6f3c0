internal import CSeif
internal import Glibc
internal import SeifBytes
package import SeifCommandLine
internal import SeifServer
internal import SeifServerCommands
package import SeifServerStore

/// A server's folder: `server.db`, `server.key`, `blobs/`, and `origin`, the address that it was last served at.
struct ServerFolder {
  let path: String

  /// One that is there.
  init(_ path: String) throws(CommandFailure) {
    var status = stat()
    guard stat(path + "/server.db", &status) == 0 else {
      throw CommandFailure(
        .notFound, "there is no server's folder \(path)", hint: "Start one: seif serve --data \(path)")
    }
    self.path = path
  }

  private init(made path: String) { self.path = path }

  /// Makes it where it isn't there, with all folders above it.
  static func make(_ path: String) throws(CommandFailure) -> ServerFolder {
    var made = ""
    for part in path.split(separator: "/", omittingEmptySubsequences: false) {
      made += made.isEmpty && !path.hasPrefix("/") ? String(part) : "/\(part)"
      let place = made.hasPrefix("//") ? String(made.dropFirst()) : made
      if mkdir(place.isEmpty ? "/" : place, 0o700) != 0, ![EEXIST, EISDIR].contains(errno) {
        throw CommandFailure(.cannotCreate, "\(place) can't be made: \(String(cString: strerror(errno)))")
      }
    }
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw CommandFailure(.cannotCreate, "\(path) is no folder")
    }
    guard status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
      throw CommandFailure(
        .cannotCreate, "\(path) belongs to another user, or others may write in it",
        hint: "The server's folder is its own: chmod 700 \(path)")
    }
    return ServerFolder(made: path)
  }

  func open() throws(CommandFailure) -> SQLiteServerStore {
    do throws(StoreFailure) { return try SQLiteServerStore(path: path + "/server.db") } catch {
      throw Self.failure(error)
    }
  }

  func blobs() throws(CommandFailure) -> FolderBlobStore {
    do throws(StoreFailure) { return try FolderBlobStore(path: path + "/blobs") } catch { throw Self.failure(error) }
  }

  func key() throws(CommandFailure) -> ServerKey {
    do throws(ServerKey.Failure) { return try ServerKey.open(folder: path) } catch {
      throw CommandFailure(
        .ioFailed, "\(path)/\(ServerKey.fileName) can't be used",
        hint: "It has 32 bytes, is the server's own and nobody else's to read. Without it no TOTP secret opens.")
    }
  }

  /// The address for browsers: as given, else as it was last served.
  func origin(_ given: ServerOrigin?) throws(CommandFailure) -> ServerOrigin {
    if let given { return given }
    let descriptor = seif_open(path + "/origin", O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0)
    var buffer = [UInt8](repeating: 0, count: 512)
    let count = descriptor < 0 ? 0 : read(descriptor, &buffer, buffer.count)
    if descriptor >= 0 { close(descriptor) }
    let text = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    guard let line = text.split(separator: "\n").first, let origin = try? ServerOrigin(String(line)) else {
      throw CommandFailure(
        .usage, "nothing says at which address this server is", hint: "Give --origin URL, or serve it once.")
    }
    return origin
  }

  /// Keeps the address, for links that are made later.
  func note(_ origin: ServerOrigin) throws(CommandFailure) {
    let temporary = path + "/origin.part"
    let descriptor = seif_open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    let bytes = Array("\(origin.text)\n".utf8)
    let isWritten = descriptor >= 0 && Descriptor.writeAll(bytes.span.bytes, to: descriptor) == 0
    if descriptor >= 0 { close(descriptor) }
    guard isWritten, rename(temporary, path + "/origin") == 0 else {
      throw CommandFailure(.ioFailed, "\(path) can't be written to: \(String(cString: strerror(errno)))")
    }
  }

  func now() -> Timestamp { ServerClock.now() }

  static func failure(_ failure: StoreFailure) -> CommandFailure {
    switch failure.code {
    case .busy: CommandFailure(.busy, failure.reason)
    case .full: CommandFailure(.ioFailed, failure.reason, hint: "Make room and try again.")
    case .damaged:
      CommandFailure(.badInput, failure.reason, hint: "Put a backup in its place: seif help serve backup")
    case .unavailable: CommandFailure(.ioFailed, failure.reason)
    }
  }
}

/// The system's clock.
enum ServerClock {
  static func now() -> Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }
}

extension StoreFailure: CommandFailureConvertible {
  package var commandFailure: CommandFailure { ServerFolder.failure(self) }
}
