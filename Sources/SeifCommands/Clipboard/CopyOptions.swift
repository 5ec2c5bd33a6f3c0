internal import SeifCommandLine
internal import SeifBytes
internal import SeifClipboard

/// How long and where something is copied: `--for`, `--primary`, `--wl-copy`, `--osc52`.
struct CopyOptions: OptionGroup, Sendable {
  static let copy = Option.flag("copy", "copy it instead of showing it; cleared after 30 s")
  static let seconds = Option.value("for", "SECONDS", "how long it stays copied, 1 to 600 (else 30)")
  static let primary = Option.flag("primary", "into the primary selection (middle button) too")
  static let wlCopy = Option.flag(
    "wl-copy", "let wl-copy do it where nothing else can; it keeps a file in /tmp meanwhile")
  static let osc52 = Option.flag("osc52", "have the terminal copy it: Seif can't clear it, and others may see it")
  static var options: [Option] { [seconds, primary, wlCopy, osc52] }
  /// For commands that show what they find unless `--copy` is given.
  static var optionsWithCopy: [Option] { [copy] + options }

  /// As without any option.
  static let usual = CopyOptions()
  /// Whether there may be a clipboard at all.
  static func hasDisplay(_ environment: Environment) -> Bool {
    ["DISPLAY", "WAYLAND_DISPLAY"].contains { !(environment[$0] ?? "").isEmpty }
  }
  /// How long it stays copied.
  var seconds: Int { options.seconds }

  /// Whether it is to be copied at all.
  let isWanted: Bool
  private let options: ClipboardOptions
  private let usesTerminal: Bool

  /// For commands that always copy.
  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    try self.init(arguments, isWanted: true)
  }

  /// For commands with `--copy`.
  init(withCopy arguments: inout ParsedArguments) throws(UsageError) {
    try self.init(arguments, isWanted: arguments.flag(Self.copy))
  }

  private init() {
    isWanted = true
    options = ClipboardOptions()
    usesTerminal = false
  }

  private init(_ arguments: ParsedArguments, isWanted: Bool) throws(UsageError) {
    self.isWanted = isWanted
    let given = try arguments.integer(Self.seconds, in: Clipboard.secondsAllowed)
    options = ClipboardOptions(
      seconds: given ?? 30, alsoPrimary: arguments.flag(Self.primary), allowsWlCopy: arguments.flag(Self.wlCopy))
    usesTerminal = arguments.flag(Self.osc52)
    if usesTerminal, given != nil || options.alsoPrimary || options.allowsWlCopy {
      throw UsageError("--osc52 goes with none of --for, --primary, --wl-copy: the terminal decides")
    }
    if !isWanted, usesTerminal || options != ClipboardOptions() || given != nil {
      throw UsageError("--for, --primary, --wl-copy and --osc52 go with --copy")
    }
  }

  /// Copies a secret and says so, on standard error.
  /// - Throws: exit 69 where there is no clipboard, 65 for what is empty or too large for one.
  func put(_ secret: borrowing SecretBytes, _ context: Context) throws(CommandFailure) -> Copied {
    let copied = try place(secret, context).copied
    if copied.seconds == nil {
      context.talk.warn("handed to the terminal, if it takes such requests. Seif can't clear it.")
    } else {
      if !copied.isMarkedSecret {
        context.talk.warn("this wl-copy can't mark it as a secret: a clipboard manager may keep it")
      }
      context.talk.say("Copied. Cleared in \(options.seconds) s.")
    }
    return copied
  }

  /// Copies a secret and says nothing.
  /// - Returns: also the process that holds it, for who stays long enough to wait for it.
  func place(
    _ secret: borrowing SecretBytes, _ context: Context
  ) throws(CommandFailure) -> (copied: Copied, process: Int32?) {
    if usesTerminal { return (try putByTerminal(secret, context), nil) }
    do throws(ClipboardError) {
      let environment = context.environment
      let (way, process) = try Clipboard.copy(secret, options, environment: { environment[$0] })
      return (Copied(through: way.name, seconds: options.seconds, isMarkedSecret: way.isMarkedSecret), process)
    } catch {
      throw CommandFailure(error)
    }
  }

  /// Asks the terminal to copy it (OSC 52), wherever it runs.
  private func putByTerminal(_ secret: borrowing SecretBytes, _ context: Context) throws(CommandFailure) -> Copied {
    if secret.byteCount == 0 { throw CommandFailure(ClipboardError.empty) }
    if secret.byteCount > Clipboard.byteLimit { throw CommandFailure(ClipboardError.tooLarge) }
    guard let terminal = TerminalDevice(context) else {
      throw CommandFailure(.unavailable, "there is no terminal that could copy", hint: "Leave out --osc52.")
    }
    let encoded = secret.withBytes { Base64.encode($0) }
    terminal.write("\u{1B}]52;c;")
    terminal.write(secret: SecretBytes(copying: encoded))
    terminal.write("\u{1B}\\")
    return Copied(through: "osc52", seconds: nil, isMarkedSecret: false)
  }
}

/// What was done with what was copied, for `--json`.
struct Copied {
  /// `x11`, `wayland`, `wl-copy` or `osc52`.
  let through: String
  /// After how many seconds it is cleared; nil for never.
  let seconds: Int?
  let isMarkedSecret: Bool

  func write(to writer: inout JSONWriter) {
    writer.member("through", through)
    if let seconds { writer.member("clearedAfterSeconds", seconds) }
    writer.member("markedSecret", isMarkedSecret)
  }
}

extension ClipboardWay {
  var name: String {
    switch self {
    case .x11: "x11"
    case .wayland: "wayland"
    case .wlCopy, .wlCopySensitive: "wl-copy"
    }
  }
}

extension CommandFailure {
  /// Why nothing can be read from a display.
  init(reading error: ClipboardError) {
    switch error {
    case .noDisplay:
      self.init(
        .unavailable, "there is no display: neither DISPLAY nor WAYLAND_DISPLAY names one",
        hint: "From a picture: seif add --qr FILE")
    case .displayElsewhere:
      self.init(
        .unavailable, "DISPLAY names another machine, and secrets would come over the network",
        hint: "From a picture: seif add --qr FILE")
    case .noDataControl:
      self.init(
        .unavailable, "this desktop gives its clipboard only to programs with a window",
        hint: "Through a pipe: wl-paste --type image/png | seif add --qr -")
    default: self.init(error)
    }
  }

  init(_ error: ClipboardError) {
    switch error {
    case .empty: self.init(.badInput, "there is nothing to copy: it is empty")
    case .tooLarge:
      self.init(
        .badInput, "it is too large to copy: at most \(Clipboard.byteLimit / 1024) KiB",
        hint: "Show it with --reveal, or write it to a file.")
    case .noDisplay:
      self.init(
        .unavailable, "there is no clipboard: neither DISPLAY nor WAYLAND_DISPLAY names a display",
        hint: "Over a secure shell, --osc52 asks your terminal to copy.")
    case .displayElsewhere:
      self.init(
        .unavailable, "DISPLAY names another machine, and what is copied would go over the network",
        hint: "--osc52 asks your terminal to copy.")
    case .libraryMissing:
      self.init(.unavailable, "the library libxcb isn't installed", hint: "On Debian: apt install libxcb1.")
    case .displayRefused:
      self.init(
        .unavailable, "the display can't be reached, or doesn't let us in",
        hint: "See that DISPLAY or WAYLAND_DISPLAY, and XAUTHORITY, are those of your session.")
    case .noDataControl:
      self.init(
        .unavailable, "this desktop gives its clipboard only to programs with a window",
        hint: "--wl-copy lets wl-copy do it, which keeps the value in a file in /tmp meanwhile.")
    case .wlCopyFailed:
      self.init(.unavailable, "wl-copy isn't installed, or doesn't work here", hint: "On Debian: wl-clipboard.")
    case .takenAtOnce: self.init(.unavailable, "another program holds on to the clipboard", hint: "Try again.")
    case .nothingCopied:
      self.init(.notFound, "nothing is copied that is a text or a picture", hint: "Copy it and try again.")
    case .silent: self.init(.unavailable, "the program that copied it doesn't give it", hint: "Copy it again.")
    case .copiedTooLarge:
      self.init(.badInput, "what is copied is too large to read", hint: "Save it as a file: seif add --qr FILE")
    case .noScreen:
      self.init(
        .unavailable, "a Wayland desktop shows its screen to no program by itself",
        hint: "Take a picture of the screen with your desktop: seif add --clipboard, or seif add --qr FILE")
    case .strangeScreen:
      self.init(
        .unavailable, "this screen's pixels can't be read", hint: "Take a picture of it: seif add --qr FILE")
    case .noOwner: self.init(.unavailable, "the process that holds the clipboard didn't start")
    }
  }
}
