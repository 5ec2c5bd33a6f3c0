import CSQLite
import Glibc

extension Connection {
  /// Makes an empty file, mode 0600 whatever the umask; SQLite gives its companions the same mode.
  static func createFile(_ path: String) throws(SQLError) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SQLError.from(errno: errno) }
    // Closing it drops no lock: the file is new, so nobody else of this process has it open.
    defer { Glibc.close(descriptor) }
    guard fchmod(descriptor, 0o600) == 0 else {
      let number = errno
      unlink(path)
      throw SQLError.from(errno: number)
    }
  }

  /// Makes the names in the folder of `path` durable.
  static func syncFolder(of path: String) throws(SQLError) {
    let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SQLError.from(errno: errno) }
    defer { Glibc.close(descriptor) }
    // Some file systems can't sync a folder and say so with EINVAL; there is nothing more to be done on those.
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw SQLError.from(errno: errno) }
  }

  static func openHandle(path: String, mode: Mode, vfs: String?) throws(SQLError) -> OpaquePointer {
    let name = plainName(path)
    let access = mode == .readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
    let database = try openHandle(name: name, flags: access, vfs: vfs)
    guard mode == .readOnly else { return database }
    guard usesLog(database), nobodyUsesLog(path) else { return database }
    sqlite3_close_v2(database)
    return try openHandle(
      name: "file:" + percentEncoded(name) + "?immutable=1", flags: access | SQLITE_OPEN_URI, vfs: vfs)
  }

  static func openHandle(name: String, flags: Int32, vfs: String?) throws(SQLError) -> OpaquePointer {
    var database: OpaquePointer?
    let all = flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE
    let result = sqlite3_open_v2(name, &database, all, vfs)
    guard result == SQLITE_OK, let database else {
      let error = SQLError.from(result, on: database, sql: "", statementIsFixed: true)
      sqlite3_close_v2(database)
      throw error
    }
    return database
  }

  /// A name that SQLite can't take for a URI, `:memory:` or a flag: Debian's build reads `file:…` as a URI always.
  private static func plainName(_ path: String) -> String { path.hasPrefix("/") ? path : "./" + path }

  private static func percentEncoded(_ name: String) -> String {
    var encoded = ""
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
        UInt8(ascii: "_"):
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        encoded += (byte < 16 ? "%0" : "%") + String(byte, radix: 16)
      }
    }
    return encoded
  }

  /// Whether the header says that a write-ahead log belongs to the file. Read through SQLite's own descriptor, before
  /// anything that would make SQLite look for the log.
  static func usesLog(_ database: OpaquePointer) -> Bool {
    var file: UnsafeMutablePointer<sqlite3_file>?
    let found = withUnsafeMutablePointer(to: &file) {
      sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, $0)
    }
    guard found == SQLITE_OK, let file, let read = file.pointee.pMethods?.pointee.xRead else { return false }
    var header = [UInt8](repeating: 0, count: 20)
    guard read(file, &header, 20, 0) == SQLITE_OK else { return false }
    return header[18] == 2 && header[19] == 2
  }

  /// Whether what stands beside the file says that nobody has it open, so that it alone is the whole: no journal, no
  /// log or an empty one, and no index or one that is shorter than SQLite's least. A full disk leaves the latter two.
  private static func nobodyUsesLog(_ path: String) -> Bool {
    byteCount(path + "-journal") == nil && byteCount(path + "-wal") ?? 0 == 0
      && byteCount(path + "-shm") ?? 0 < leastIndexByteCount
  }

  /// SQLite makes the index in pieces of this length before it uses it (walIndexPage, WALINDEX_PGSZ).
  private static let leastIndexByteCount: off_t = 32_768

  /// The length of a file, nil where there is none; more than any where that can't be told.
  private static func byteCount(_ path: String) -> off_t? {
    var status = stat()
    if stat(path, &status) == 0 { return status.st_size }
    return errno == ENOENT ? nil : .max
  }
}
