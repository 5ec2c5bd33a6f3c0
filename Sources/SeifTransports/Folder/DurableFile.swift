internal import CSeif
internal import Glibc
internal import SeifBackups
internal import SeifBytes

/// Files that are there whole or not at all.
enum DurableFile {
  /// Writes a new file: a nameless one where the file system has them, else one with a temporary name; its bytes reach the
  /// disk before it has its name, and the name before this returns.
  static func write(_ content: SecretValue, folder: Int32, name: String, place: String) throws(TransportError) {
    var temporary: String?
    var file = seif_openat(folder, ".", seif_O_TMPFILE | O_WRONLY | O_CLOEXEC, 0o600)
    if file < 0 {
      guard [EOPNOTSUPP, EISDIR, ENOENT, EINVAL].contains(errno) else { throw SystemFault.error(place: place) }
      let hidden = ".\(name).\(getpid()).part"
      file = seif_openat(folder, hidden, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard file >= 0 else { throw SystemFault.error(place: place) }
      temporary = hidden
    }
    defer {
      close(file)
      if let temporary { unlinkat(folder, temporary, 0) }
    }
    try writeAll(content, to: file, place: place)
    guard fsync(file) == 0 else { throw SystemFault.error(place: place) }
    // A link, unlike a rename, never takes the place of a file that is there.
    let linked =
      temporary.map { linkat(folder, $0, folder, name, 0) }
      ?? linkat(AT_FDCWD, "/proc/self/fd/\(file)", folder, name, AT_SYMLINK_FOLLOW)
    guard linked == 0 else { throw SystemFault.error(place: place) }
    guard fsync(folder) == 0 else {
      let failure = SystemFault.error(place: place)
      // What isn't certain to stay isn't there.
      unlinkat(folder, name, 0)
      throw failure
    }
  }

  /// The bytes of a regular file of at most `limit` bytes.
  static func read(folder: Int32, name: String, place: String, limit: Int) throws(TransportError) -> SecretValue {
    let file = seif_openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0)
    guard file >= 0 else { throw SystemFault.error(place: place) }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw SystemFault.error(place: place) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw TransportError(.failed, place: place, reason: "not a regular file")
    }
    guard status.st_size <= limit else { throw TransportError(.tooLarge, place: place) }
    return try SecretValue(byteCount: Int(status.st_size)) { (buffer) throws(TransportError) in
      var done = 0
      while done < buffer.count {
        guard let start = buffer.baseAddress else { return }
        let count = Glibc.read(file, start + done, buffer.count - done)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else {
          throw count == 0
            ? TransportError(.failed, place: place, reason: "it became shorter while it was read")
            : SystemFault.error(place: place)
        }
        done += count
      }
    }
  }

  private static func writeAll(_ content: SecretValue, to file: Int32, place: String) throws(TransportError) {
    try content.withBytes { (bytes) throws(TransportError) in
      var done = 0
      while done < bytes.byteCount {
        let count = bytes.extracting(done..<bytes.byteCount).withUnsafeBytes {
          Glibc.write(file, $0.baseAddress, $0.count)
        }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw SystemFault.error(place: place) }
        done += count
      }
    }
  }
}

/// The system's refusals as failures of a transport.
enum SystemFault {
  static func error(_ code: Int32 = errno, place: String) -> TransportError {
    let reason = String(cString: strerror(code))
    switch code {
    case ENOENT: return TransportError(.notFound, place: place)
    case EEXIST: return TransportError(.exists, place: place)
    case EACCES, EPERM: return TransportError(.noPermission, place: place)
    case ENOTDIR: return TransportError(.notAFolder, place: place)
    case ENOSPC, EDQUOT, EFBIG: return TransportError(.full, place: place)
    case EROFS: return TransportError(.readOnly, place: place)
    default: return TransportError(.failed, place: place, reason: reason)
    }
  }
}
