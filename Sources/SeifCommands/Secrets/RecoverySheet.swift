internal import SeifCommandLine
internal import CSeif
internal import Glibc
internal import SeifBytes
internal import SeifVault

/// `--recovery-sheet FILE`, and how a new recovery code gets to the person: shown once and typed back, or on a sheet.
struct RecoverySheet: OptionGroup, Sendable {
  static let sheet = Option.value("recovery-sheet", "FILE", "write the recovery code to a sheet to print")
  static var options: [Option] { [sheet] }

  let path: String?
  private let option: Option

  init(_ arguments: inout ParsedArguments) throws(UsageError) { try self.init(&arguments, Self.sheet) }

  /// The same by another option, for another kind of code.
  init(_ arguments: inout ParsedArguments, _ option: Option) throws(UsageError) {
    path = arguments.value(option)
    self.option = option
    if path == "" { throw UsageError("--\(option.name) needs the name of a file") }
  }

  /// Before anything is asked: whether the code has anywhere to go.
  ///
  /// - Parameter otherwise: what didn't happen, for the message: `No vault was made.`
  func check(otherwise: String, _ context: Context) throws(CommandFailure) {
    if let path { return try Self.checkFree(path, otherwise) }
    guard TerminalDevice(context) == nil else { return }
    throw CommandFailure(
      .usage, "the recovery code has nowhere to go: there is no terminal", hint: "Give \(option.spelling).")
  }

  /// Hands a code over.
  func present(
    _ code: borrowing RecoveryCode, folder: String, _ context: Context
  ) throws(CommandFailure) {
    if let path {
      try Self.write(code, to: path, folder, context)
    } else {
      try Self.show(code, context)
    }
  }

  /// Takes a sheet away whose code opens nothing.
  func discard() {
    if let path, path != "-" { unlink(path) }
  }

  /// Refuses a sheet that exists before anybody is asked for anything: what stands there may be another vault's code.
  private static func checkFree(_ path: String, _ otherwise: String) throws(CommandFailure) {
    var status = stat()
    guard path != "-", lstat(path, &status) == 0 else { return }
    throw CommandFailure(
      .cannotCreate, "\(path) exists, and may hold the code of another vault",
      hint: "Give the sheet another name. \(otherwise)")
  }

  static func show(
    _ code: borrowing RecoveryCode, _ context: Context
  ) throws(CommandFailure) {
    guard let terminal = TerminalDevice(context) else { throw PassphraseSource.nobody }
    // EXPOSE: the code is shown once, on the terminal, for the person to write down.
    let text = code.grouped.exposedText() ?? ""
    let shown = "Recovery code, shown once. Write it down or print it:\n\n  \(text)\n\n"
    terminal.write(shown)
    while true {
      guard let typed = try terminal.readHidden("Type it back (not shown; Enter alone shows it again): ") else {
        throw Context.cancelled
      }
      if typed.byteCount == 0 {
        terminal.write(shown)
        continue
      }
      guard let fault = TypedBack.fault(typed, of: code) else { return }
      terminal.write(lines: fault + " Nothing is lost: once more.")
    }
  }

  private static func write(
    _ code: borrowing RecoveryCode, to path: String, _ folder: String, _ context: Context
  ) throws(CommandFailure) {
    var text = SecretBuffer()
    text.append(utf8: "Seif: recovery code\n\n  ")
    text.append(code.grouped)
    text.append(utf8: "\n\nMade \(Timestamp(seconds: context.clock.now()).rfc3339) for the vault in \(folder)\n")
    text.append(
      utf8: """

        Whoever has this code and a copy of the vault can read all of it.
        Nobody can reset it. If it and the passphrase are both lost, the vault is lost.

        To use it: seif list --recovery-code
        Print this page, keep it where you keep papers that matter, delete the file.

        """)
    let sheet = text.finish()
    try sheet.withBytes { (bytes) throws(CommandFailure) in
      try Destination.write(bytes, to: path, replacing: false, isBinary: false, context)
    }
  }
}
