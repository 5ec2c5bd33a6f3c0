internal import SeifCommandLine
internal import SeifAgent
internal import SeifBytes
internal import SeifFormats
internal import SeifImages
internal import SeifRecords
internal import SeifVault

/// `seif qr QUERY`: an account's Key URI as a QR code, for a phone.
struct QRCommand: Command {
  static let name = "qr"
  static let summary = "show what makes an entry's codes as a QR code, for a phone"
  static let usage = """
    seif qr QUERY [-o OUT] [OPTIONS]

    Draws the entry's Key URI, its secret in it, as a QR code: on the terminal until Enter
    is pressed, or as OUT, a .png or .svg file that you alone can read. Who sees the code
    can make the entry's codes from then on, so it asks first; a script says --yes.

    Without colours a terminal is taken to be dark; --light says that it isn't.
    """
  static let yes = Option.flag("yes", "show or write it without asking")
  static let light = Option.flag("light", "the terminal is dark on light, and has no colours")
  static var options: [Option] { WriteOptions.options + [yes, light] + UnlockOptions.options + [OutputOptions.quiet] }

  private enum Picture { case png, svg }

  private let query: String
  private let write: WriteOptions
  private let picture: Picture?
  private let isAgreed: Bool
  private let isLight: Bool
  private let unlock: UnlockOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    query = try arguments.positional("QUERY")
    write = try WriteOptions(&arguments)
    isAgreed = arguments.flag(Self.yes)
    isLight = arguments.flag(Self.light)
    unlock = try UnlockOptions(&arguments)
    switch write.output?.lowercased() {
    case nil: picture = nil
    case let name? where name.hasSuffix(".png"): picture = .png
    case let name? where name.hasSuffix(".svg"): picture = .svg
    default: throw UsageError("-o takes a name that ends in .png or .svg")
    }
  }

  func run(_ context: Context) throws -> ExitCode {
    try Destination.checkFree(write.output, replacing: write.force)
    let folder = try unlock.vault.folder(context.environment)
    let vault = try unlock.use(.readOnly, context)
    defer { vault.lock() }
    let found = try withVault(folder) { () throws(VaultUseError) in try vault.find(query, onlyCodes: true) }
    let damage = vault.tell(context)
    let hit = try Query(query).resolve(found, context)
    let entry = try withVault(folder) { () throws(VaultUseError) in try vault.revealed(try vault.entry(hit.id)) }
    guard let uri = entry.keyURI else {
      throw CommandFailure(.notFound, "\(EntryLabel.text(hit.name, hit.account)) can't be written as a Key URI")
    }
    let matrix = try Self.matrix(uri)
    try agree(hit, context)
    guard let picture, let path = write.output else {
      try show(matrix, hit, context)
      return damage.exitCode
    }
    let bytes = picture == .png ? QRDrawing.png(matrix) : QRDrawing.svg(matrix)
    try bytes.withBytes { (span) throws(CommandFailure) in
      try Destination.write(span, to: path, replacing: write.force, isBinary: true, context)
    }
    context.talk.say(.ok, "Written to \(path). Remove it once the phone has it.")
    return damage.exitCode
  }

  static func matrix(_ uri: SecretValue) throws(CommandFailure) -> QRMatrix {
    do throws(QRMatrix.Failure) { return try QRMatrix(uri) } catch {
      switch error {
      case .noLibrary:
        throw CommandFailure(.unavailable, "libqrencode isn't installed", hint: "On Debian: libqrencode4.")
      case .tooLong: throw CommandFailure(.badInput, "the entry is longer than a QR code can hold")
      }
    }
  }

  private func agree(_ hit: EntrySummary, _ context: Context) throws(CommandFailure) {
    if isAgreed { return }
    let label = EntryLabel.text(hit.name, hit.account)
    let isTyped = try context.confirm(
      typing: "show", "Who sees this code can make the codes of \(label) from then on.", insteadGive: "--yes")
    guard isTyped else { throw CommandFailure(.interrupted, "nothing was shown") }
  }

  private func show(_ matrix: QRMatrix, _ hit: EntrySummary, _ context: Context) throws(CommandFailure) {
    let style = context.output.style
    let needed = QRDrawing.columns(matrix, isUTF8: style.isUTF8)
    if let columns = style.columns, columns < needed {
      throw CommandFailure(
        .usage, "the code needs \(needed) columns and the terminal has \(columns)",
        hint: "Widen it, or give -o FILE.png.")
    }
    let ink: QRDrawing.Ink = style.hasColour ? .colours : isLight ? .lightTerminal : .darkTerminal
    let text = QRDrawing.text(matrix, ink: ink, isUTF8: style.isUTF8)
    guard style.canRedraw, let terminal = TerminalDevice(context) else {
      return try text.withBytes { (bytes) throws(CommandFailure) in try context.output.write(raw: bytes) }
    }
    // On a screen of its own, so that nothing stays in what can be scrolled back to.
    // Erased line by line: some terminals keep what "clear screen" clears.
    let erasure = (1...needed).map { "\u{1B}[\($0);1H\u{1B}[2K" }.joined() + "\u{1B}[1;1H"
    let leave: @Sendable () -> Void = {
      var text = erasure + "\u{1B}[?1049l"
      text.withUTF8 { _ = Descriptor.writeAll($0.span.bytes, to: 1) }
    }
    let key = Interrupts.add(.init(end: leave, isSuspendable: false))
    try context.output.write("\u{1B}[?1049h" + erasure)
    try text.withBytes { (bytes) throws(CommandFailure) in try context.output.write(raw: bytes) }
    try context.output.flush()
    _ = terminal.readLine("\(EntryLabel.text(hit.name, hit.account)). Enter ends this. ")
    Interrupts.remove(key) {
      leave()
      return true
    } if: {
      $0
    }
  }
}
