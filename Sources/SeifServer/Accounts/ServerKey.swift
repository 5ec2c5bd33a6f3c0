internal import CSeif
internal import Glibc
package import SeifBytes
package import SeifCrypto

/// The server's own key: seals secrets that it must read again (TOTP), and makes the keys of counts. It opens no
/// document.
package struct ServerKey: Sendable {
  package static let fileName = "server.key"
  package static let byteCount = 32

  /// Why there is none.
  package enum Failure: Error, Sendable, Equatable {
    /// Not 32 bytes, no plain file, of another owner, or others may read it.
    case refused
    /// The call that failed and its error number.
    case system(String, Int32)
  }

  private let key: SecretValue

  /// - Parameter key: 32 bytes.
  package init(_ key: SecretValue) {
    precondition(key.byteCount == Self.byteCount, "internal error: a server's key of another length")
    self.key = key
  }

  /// The key of a folder: read from its file, which is made with mode 0600 where there is none.
  package static func open(folder: String, random: RandomSource = .system) throws(Failure) -> ServerKey {
    let path = folder + "/" + fileName
    if let key = try read(path) { return key }
    try make(path, folder: folder, random: random)
    // Of two that began at once the first one's counts for both.
    guard let key = try read(path) else { throw .refused }
    return key
  }

  private static func read(_ path: String) throws(Failure) -> ServerKey? {
    let file = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else {
      if errno == ENOENT { return nil }
      throw errno == ELOOP ? .refused : .system("open", errno)
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw .system("fstat", errno) }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 == 0, status.st_uid == geteuid(),
      status.st_size == off_t(byteCount)
    else { throw .refused }
    var count = 0
    let value = SecretValue(byteCount: byteCount) { count = Glibc.read(file, $0.baseAddress, $0.count) }
    guard count == byteCount else { throw count < 0 ? .system("read", errno) : .refused }
    return ServerKey(value)
  }

  // Whole before it has its name, so that a start that was killed leaves no half key.
  private static func make(_ path: String, folder: String, random: RandomSource) throws(Failure) {
    let temporary = "\(path).\(Base16.encode(random.makeBytes(8))).part"
    let file = Glibc.open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw .system("open", errno) }
    defer { unlink(temporary) }
    let written = random.makeSecret(byteCount: byteCount).withBytes { key in
      key.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
    }
    let isDurable = written == byteCount && fsync(file) == 0
    let code = errno
    close(file)
    guard isDurable else { throw .system("write", code) }
    guard link(temporary, path) == 0 || errno == EEXIST else { throw .system("link", errno) }
    let place = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard place >= 0 else { throw .system("open", errno) }
    defer { close(place) }
    guard fsync(place) == 0 else { throw .system("fsync", errno) }
  }

  /// A secret of an account, sealed and bound to that account and its purpose.
  package func seal(
    _ secret: SecretValue, purpose: String, account: UUID, random: RandomSource
  ) throws(CryptoError) -> [UInt8] {
    let cipher = try AES256GCM(key: SecretBytes(copying: derived("seal")))
    let aad = Self.data(purpose, account.bytes)
    let nonce = random.makeBytes(AES256GCM.nonceByteCount)
    return try secret.withBytes { (bytes) throws(CryptoError) in
      try cipher.sealCombined(bytes, nonce: nonce, aad: aad.span.bytes)
    }
  }

  /// What `seal` sealed.
  ///
  /// - Throws: `authenticationFailed` for another account's or purpose's, too.
  package func open(_ sealed: [UInt8], purpose: String, account: UUID) throws(CryptoError) -> SecretValue {
    let cipher = try AES256GCM(key: SecretBytes(copying: derived("seal")))
    let aad = Self.data(purpose, account.bytes)
    return try cipher.openCombined(sealed.span.bytes, aad: aad.span.bytes)
  }

  /// A code that only this server makes, of a purpose and some data: 32 bytes.
  package func code(_ purpose: String, _ data: [UInt8]) -> [UInt8] {
    let message = Self.data(purpose, data)
    return derived("code").withBytes { HMAC.code(.sha256, key: $0, message: message.span.bytes) }
  }

  private func derived(_ use: String) -> SecretValue {
    let message = Array("seif-server \(use)".utf8)
    return key.withBytes { HMAC.secretCode(.sha256, key: $0, message: message.span.bytes) }
  }

  // The length stands before it, so that no purpose and data pass for another pair.
  private static func data(_ purpose: String, _ data: [UInt8]) -> [UInt8] {
    let name = Array(purpose.utf8)
    return [UInt8(truncatingIfNeeded: name.count)] + name + data
  }
}
