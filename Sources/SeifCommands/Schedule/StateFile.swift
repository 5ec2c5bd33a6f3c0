internal import SeifCommandLine
internal import CSeif
internal import Glibc
internal import SeifBytes

/// A small JSON document in the state folder, one for each vault: read strictly and bounded, written whole or not at all.
struct StateFile {
  /// Most bytes that are read.
  private static let byteLimit = 256 << 10
  let path: String

  init(_ folder: String, _ vault: UUID, _ name: String) { path = "\(folder)/\(vault).\(name)" }

  /// The document; nil: there is none.
  ///
  /// - Throws: exit 65 for one that isn't of this schema.
  func read(schema: String) throws(CommandFailure) -> JSONValue? {
    guard let bytes = try bytes() else { return nil }
    guard let root = try? JSONDocument(parsing: bytes, policy: .strict).root, root["schema"]?.string == schema,
      root["version"]?.int64 == 1
    else { throw broken }
    return root
  }

  private func bytes() throws(CommandFailure) -> SecretValue? {
    let descriptor = seif_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw InputFile.notReadable(path, errno)
    }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: Self.byteLimit + 1)
    var count = 0
    while count < bytes.count {
      let got = bytes.withUnsafeMutableBytes { buffer in
        Descriptor.read(descriptor, into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
      }
      guard got >= 0 else { throw InputFile.notReadable(path, Int32(truncatingIfNeeded: -got)) }
      if got == 0 { break }
      count += got
    }
    guard count <= Self.byteLimit else { throw broken }
    return SecretValue(Array(bytes.prefix(count)))
  }

  var broken: CommandFailure {
    CommandFailure(.badInput, "\(path) can't be understood", hint: "Make it anew: seif backup schedule")
  }

  func write(_ document: SecretValue) throws(CommandFailure) {
    UserFolder.make(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
    var file = try OutputFile(path, replacing: true)
    try document.withBytes { (bytes) throws(CommandFailure) in try file.write(bytes) }
    try file.commit()
  }

  func remove() { unlink(path) }

  /// Runs work that no other process does at the same time.
  func alone<Result>(_ body: () throws(CommandFailure) -> Result) throws(CommandFailure) -> Result {
    UserFolder.make(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
    let descriptor = seif_open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw CommandFailure(.ioFailed, "\(path) can't be locked: \(Descriptor.words(for: errno))")
    }
    // Closing it gives the lock back.
    defer { close(descriptor) }
    while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
    return try body()
  }
}

enum UserFolder {
  /// Makes a folder, 0700, and those above it that aren't there; a failure shows when something is written there.
  static func make(_ path: String) {
    guard mkdir(path, 0o700) != 0, errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex
    else { return }
    make(String(path[..<slash]))
    mkdir(path, 0o700)
  }
}
