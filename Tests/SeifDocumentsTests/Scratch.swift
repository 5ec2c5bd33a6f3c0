import CSeif
import Glibc
import SeifBytes
import SeifDocuments
import Synchronization

/// A folder for one test, removed with it.
final class Scratch: Sendable {
  let root: String

  struct Failure: Error {}

  init() throws {
    var template = Array("/tmp/seif-documents-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { $0.baseAddress.map { mkdtemp($0) != nil } ?? false }
    guard made else { throw Failure() }
    root = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit { Self.remove(root) }

  func path(_ name: String) -> String { "\(root)/\(name)" }

  func write(_ name: String, _ bytes: [UInt8]) throws {
    let parts = name.split(separator: "/")
    for count in 1..<max(1, parts.count) { mkdir(path(parts[..<count].joined(separator: "/")), 0o700) }
    let file = seif_open(path(name), O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    guard file >= 0 else { throw Failure() }
    defer { close(file) }
    guard seif_write_all(file, bytes, bytes.count) == 0 else { throw Failure() }
  }

  func read(_ name: String) throws -> [UInt8] {
    let file = seif_open(path(name), O_RDONLY, 0)
    guard file >= 0 else { throw Failure() }
    defer { close(file) }
    var (all, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
    while true {
      let count = Glibc.read(file, &buffer, buffer.count)
      guard count > 0 else { return all }
      all += buffer[..<count]
    }
  }

  func exists(_ name: String) -> Bool { access(path(name), F_OK) == 0 }

  func isFolder(_ name: String) -> Bool {
    var status = stat()
    return lstat(path(name), &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  func names(_ folder: String) throws -> [String] { try Self.names(path(folder)).sorted() }

  /// The rights of a folder and of all in it.
  func modes(_ name: String) throws -> [(String, mode_t)] {
    var status = stat()
    guard lstat(path(name), &status) == 0 else { throw Failure() }
    var all = [(name, status.st_mode & 0o777)]
    if status.st_mode & S_IFMT == S_IFDIR {
      for child in try names(name) { all += try modes("\(name)/\(child)") }
    }
    return all
  }

  private static func names(_ path: String) throws -> [String] {
    guard let stream = opendir(path) else { throw Failure() }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = String(cString: seif_entry_name(entry))
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  private static func remove(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    if status.st_mode & S_IFMT == S_IFDIR {
      for name in (try? names(path)) ?? [] { remove("\(path)/\(name)") }
      rmdir(path)
    } else {
      unlink(path)
    }
  }
}

/// An identifier for a number.
func id(_ number: UInt8) -> UUID {
  guard let id = UUID(bytes: [UInt8](repeating: 0, count: 15) + [number]) else {
    fatalError("16 bytes are an identifier")
  }
  return id
}

/// A row of a kind that nobody knows.
func row(_ number: UInt8) throws -> StoredKeyWrap {
  let text = #"{"id":"\#(id(number))","kind":"other"}"#
  guard let row = StoredKeyWrap(json: SecretValue(utf8: text)) else { throw Scratch.Failure() }
  return row
}

/// Another writer of manifests, on a thread of its own.
final class SideWriter: Sendable {
  private let thread: pthread_t
  private let work: Work

  private final class Work: Sendable {
    let store: FolderDocumentStore
    let rounds: Int
    let done = Mutex(0)
    init(_ store: FolderDocumentStore, _ rounds: Int) { (self.store, self.rounds) = (store, rounds) }

    func run() {
      let blob = [UInt8](repeating: 7, count: 50)
      while done.withLock({ $0 }) < rounds {
        guard let tag = try? store.manifest()?.tag else { return }
        do throws(DocumentError) {
          _ = try store.replaceManifest(blob, expecting: tag)
          done.withLock { $0 += 1 }
        } catch { guard error.code == .conflict else { return } }
      }
    }
  }

  init(_ store: FolderDocumentStore, rounds: Int) {
    work = Work(store, rounds)
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { argument in
        if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run() }
        return nil
      }, Unmanaged.passRetained(work).toOpaque())
    self.thread = thread
  }

  /// How many manifests it stored.
  func wait() -> Int {
    pthread_join(thread, nil)
    return work.done.withLock { $0 }
  }
}
