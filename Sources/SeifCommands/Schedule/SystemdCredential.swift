internal import SeifCommandLine
internal import CSeif
internal import Glibc
internal import SeifBytes
internal import SeifVault

/// A credential by which a scheduled run opens a locked vault: a file that systemd puts into a folder which only that run
/// sees. It holds the vault's passphrase, one line.
struct SystemdCredential: Equatable {
  /// As systemd and the run call it.
  let name: String
  /// The encrypted file; nil: where systemd looks for it by its name.
  let path: String?

  /// Nil for what can't be one. A path stands in a unit without quotes, so it has no blanks.
  init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, Self.isName(String(first)) else { return nil }
    name = String(first)
    path = parts.count == 2 ? String(parts[1]) : nil
    if let path {
      let isPlain = path.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x2F, 0x5F, 0x40, 0x2B, 0x2C: true
        default: byte >= 0x80
        }
      }
      guard path.hasPrefix("/"), isPlain, path.utf8.count <= 4_096 else { return nil }
    }
  }

  /// Up to 100 letters, digits, `-`, `_` and `.`, not beginning with a dot.
  static func isName(_ name: String) -> Bool {
    let isPlain = name.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
      default: false
      }
    }
    return isPlain && (1...100).contains(name.utf8.count) && !name.hasPrefix(".") && !name.hasPrefix("-")
  }

  /// As the unit says it.
  var setting: String { path.map { "\(name):\($0)" } ?? name }

  /// The passphrase in a credential.
  ///
  /// - Throws: exit 77 where there is none, where it isn't a plain file of this user's or root's, or where others may read
  ///   it.
  static func read(_ name: String, _ context: Context) throws(CommandFailure) -> SecretBytes {
    guard let folder = context.environment["CREDENTIALS_DIRECTORY"], folder.hasPrefix("/") else {
      throw CommandFailure(
        .refused, "no credentials were handed over (CREDENTIALS_DIRECTORY isn't set)",
        hint:
          "The service of seif backup schedule --credential has them: systemctl --user start \(SystemdUnits.service)"
      )
    }
    let path = "\(folder)/\(name)"
    let descriptor = seif_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK, 0)
    guard descriptor >= 0 else {
      throw CommandFailure(.refused, "the credential \(name) can't be read: \(Descriptor.words(for: errno))")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw CommandFailure(.refused, "the credential \(name) isn't a file")
    }
    guard status.st_mode & 0o077 == 0, status.st_uid == getuid() || status.st_uid == 0 else {
      throw CommandFailure(.refused, "others may read the credential \(name), so it isn't used")
    }
    let secret = try SecretLine.read(descriptor, name: "the credential \(name)")
    guard secret.byteCount > 0 else { throw CommandFailure(.refused, "the credential \(name) is empty") }
    return secret
  }
}
