package import SeifCommandLine
internal import CSeif
internal import Glibc
package import SeifBytes

/// Where a passphrase comes from.
package enum PassphraseSource: Sendable, Equatable {
  /// `--passphrase-fd N`: all that comes from it, one line.
  case descriptor(Int32)
  /// `--passphrase-file F`: the file, one line.
  case file(String)
  /// Pinentry, else the terminal.
  case person

  /// The passphrase as it came, not normalised.
  ///
  /// - Parameter name: what it opens, for the question: `phone.authbackup`, `the vault`.
  /// - Throws: exit 77 where there is nobody to ask, or the passphrase is empty (nothing is sealed under an empty one, so
  ///   none is derived from it); 130 where the person cancels; 64, 66, 74 for descriptors and files.
  package func read(for name: String, _ context: Context) throws(CommandFailure) -> SecretBytes {
    let passphrase = try readAny(question: "Passphrase for \(name)", context)
    if passphrase.byteCount == 0 { throw Self.empty }
    return passphrase
  }

  /// As ``read(for:_:)``, with the whole question and an empty answer allowed.
  func readAny(question: String, _ context: Context) throws(CommandFailure) -> SecretBytes {
    switch self {
    case .descriptor(let number): return try Self.read(descriptor: number, question, context)
    case .file(let path): return try Self.read(file: path, context)
    case .person: return try Self.ask(question, context)
    }
  }

  private static func read(
    descriptor number: Int32, _ question: String, _ context: Context
  ) throws(CommandFailure) -> SecretBytes {
    try context.claim(descriptor: number)
    let descriptor = number == 0 ? context.inputDescriptor : number
    guard seif_fcntl_getfl(descriptor) >= 0 else {
      throw CommandFailure(.usage, "descriptor \(number) isn't open", hint: "Open it: \(number)<FILE.")
    }
    // Somebody sits at the other end: what they type isn't shown.
    if isatty(descriptor) == 1 { return try ask(question, context) }
    return try SecretLine.read(descriptor, name: "descriptor \(number)")
  }

  private static func read(file path: String, _ context: Context) throws(CommandFailure) -> SecretBytes {
    let descriptor = seif_open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY, 0)
    guard descriptor >= 0 else { throw InputFile.notReadable(path, errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw InputFile.notReadable(path, errno) }
    if status.st_mode & S_IFMT == S_IFDIR { throw InputFile.notReadable(path, EISDIR) }
    if status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o044 != 0 {
      context.talk.warn("others on this machine may read \(path): chmod 600 it")
    }
    return try SecretLine.read(descriptor, name: path)
  }

  private static func ask(_ question: String, _ context: Context) throws(CommandFailure) -> SecretBytes {
    switch try Pinentry.ask(question, context) {
    case .answer(let passphrase): return passphrase
    case .notThere: break
    }
    guard let terminal = TerminalDevice(context) else { throw nobody }
    guard let passphrase = try terminal.readHidden(question + ": ") else { throw Context.cancelled }
    return passphrase
  }

  static var nobody: CommandFailure {
    CommandFailure(
      .refused, "a passphrase is needed, and there is no terminal to ask for it",
      hint: "Give --passphrase-fd N or --passphrase-file F.")
  }

  static var empty: CommandFailure {
    CommandFailure(.refused, "the passphrase is empty, and nothing is ever sealed under an empty one")
  }

  static var emptyCode: CommandFailure {
    CommandFailure(
      .refused, "the recovery code is empty", hint: "It has 24 letters and digits, in six groups of four.")
  }
}

/// `--passphrase-fd`, `--passphrase-file`: what opens the input.
package struct PassphraseOptions: OptionGroup, Sendable {
  package static let fd = Option.value("passphrase-fd", "N", "read the passphrase from descriptor N, one line")
  package static let file = Option.value("passphrase-file", "F", "read the passphrase from a file, one line")
  package static var options: [Option] { [fd, file] }

  package let source: PassphraseSource

  package init(_ arguments: inout ParsedArguments) throws(UsageError) {
    source = try PassphraseSource(arguments, Self.fd, Self.file)
  }
}

/// `--vault-passphrase-fd`, `--vault-passphrase-file`: what opens the vault, where the input has a passphrase too.
package struct VaultPassphraseOptions: OptionGroup, Sendable {
  package static let fd = Option.value(
    "vault-passphrase-fd", "N", "read the vault's own passphrase from descriptor N, one line")
  package static let file = Option.value(
    "vault-passphrase-file", "F", "read the vault's own passphrase from a file, one line")
  package static var options: [Option] { [fd, file] }

  package let source: PassphraseSource

  package init(_ arguments: inout ParsedArguments) throws(UsageError) {
    source = try PassphraseSource(arguments, Self.fd, Self.file)
  }
}

extension PassphraseSource {
  /// The source that two options name; both at once is wrong use.
  init(_ arguments: ParsedArguments, _ fd: Option, _ file: Option) throws(UsageError) {
    let number = try arguments.integer(fd, in: 0...65_535)
    let path = arguments.value(file)
    switch (number, path) {
    case (nil, nil): self = .person
    case (let number?, nil): self = .descriptor(Int32(truncatingIfNeeded: number))
    case (nil, let path?):
      if path == "-" { throw UsageError("standard input gives a passphrase only by --\(fd.name) 0") }
      if path.isEmpty { throw UsageError("--\(file.name) needs the name of a file") }
      self = .file(path)
    default: throw UsageError("--\(fd.name) and --\(file.name) are one too many")
    }
  }
}
