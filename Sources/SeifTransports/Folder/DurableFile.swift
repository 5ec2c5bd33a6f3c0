internal import CSeif
internal import Glibc
internal import SeifBackups
internal import SeifBytes

/// Has something undone should the program be interrupted, until what it returns is called.
public typealias UndoOnInterrupt = @Sendable (_ undo: @escaping @Sendable () -> Void) -> @Sendable () -> Void

/// Files that are there whole or not at all.
enum DurableFile {
  /// Writes a new file: a nameless one where the file system has them, else one with a temporary name; its bytes reach the
  /// disk before it has its name, and the name before this returns. After an error nothing is there.
  ///
  /// - Parameters:
  ///   - allowsUnnamed: off in tests of file systems that have no nameless files.
  ///   - undo: has the temporary name removed should the program be interrupted.
  static func write(
    _ content: SecretValue, folder: Int32, name: String, place: String, allowsUnnamed: Bool = true,
    undo: UndoOnInterrupt = { _ in {} }
  ) throws(TransportError) {
    // A nameless file gets its name through /proc, which a container may lack.
    if allowsUnnamed, access("/proc/self/fd", X_OK) == 0 {
      let file = seif_openat(folder, ".", seif_O_TMPFILE | O_WRONLY | O_CLOEXEC, 0o600)
      if file >= 0 {
        defer { close(file) }
        try fill(file, content, place)
        // A link, unlike a rename, never takes the place of a file that is there.
        guard seif_link_unnamed(file, folder, name) == 0 else { throw SystemFault.error(place: place) }
        return try syncName(name, folder, place)
      }
      guard [EOPNOTSUPP, EISDIR, ENOENT, EINVAL].contains(errno) else { throw SystemFault.error(place: place) }
    }
    TemporaryName.removeLeftOver(in: folder)
    let temporary = TemporaryName.make()
    let remains = undo { unlinkat(folder, temporary, 0) }
    defer { remains() }
    let file = seif_openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw SystemFault.error(place: place) }
    defer {
      close(file)
      unlinkat(folder, temporary, 0)
    }
    try fill(file, content, place)
    guard seif_rename_new(folder, temporary, name) == 0 else { throw SystemFault.error(place: place) }
    try syncName(name, folder, place)
  }

  /// Makes a file and takes it away again.
  static func tryOut(
    folder: Int32, place: String, allowsUnnamed: Bool, undo: UndoOnInterrupt
  ) throws(TransportError) {
    if allowsUnnamed {
      let file = seif_openat(folder, ".", seif_O_TMPFILE | O_WRONLY | O_CLOEXEC, 0o600)
      if file >= 0 {
        close(file)
        return
      }
    }
    let temporary = TemporaryName.make()
    let remains = undo { unlinkat(folder, temporary, 0) }
    defer { remains() }
    let file = seif_openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else {
      // What the kernel makes up, such as /proc, says of a new file that it isn't there.
      guard errno != ENOENT else { throw TransportError(.failed, place: place, reason: "no file can be made there") }
      throw SystemFault.error(place: place)
    }
    close(file)
    unlinkat(folder, temporary, 0)
  }

  private static func fill(_ file: Int32, _ content: SecretValue, _ place: String) throws(TransportError) {
    // The umask can only take rights away; an odd one mustn't leave a file that its owner can't read.
    fchmod(file, 0o600)
    try writeAll(content, to: file, place: place)
    guard fsync(file) == 0 else { throw SystemFault.error(place: place) }
  }

  // A name that may not last through a loss of power is taken back: what was called stored must stay.
  private static func syncName(_ name: String, _ folder: Int32, _ place: String) throws(TransportError) {
    do {
      try sync(folder: folder, place: place)
    } catch {
      unlinkat(folder, name, 0)
      throw error
    }
  }

  /// Makes the names in a folder durable. Some file systems can't do that to a folder; there they are as durable as it
  /// gets.
  static func sync(folder: Int32, place: String) throws(TransportError) {
    if fsync(folder) != 0, errno != EINVAL, errno != EROFS { throw SystemFault.error(place: place) }
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
