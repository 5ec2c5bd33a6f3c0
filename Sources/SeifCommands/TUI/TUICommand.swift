internal import SeifCommandLine
internal import CSeif
internal import SeifAgent
internal import SeifTUI

/// `seif tui`: the vault on a whole screen.
struct TUICommand: Command {
  static let name = "tui"
  static let summary = "look through the vault on a whole screen"
  static let usage = """
    seif tui [OPTIONS]

    Shows the vault by keys: codes, logins, cards, notes and the bin, with secrets masked.
    ? lists the keys; Enter copies, r reveals for 10 s, / filters, q quits. Nothing of it
    stays on the terminal. It locks after 5 minutes without a key, or when the agent does.

    --plain, for a screen reader, asks by numbered menus line by line and draws nothing;
    so does a terminal that says it is dumb, and the environment variable ACCESSIBLE.

    $XDG_CONFIG_HOME/seif/keys, else ~/.config/seif/keys, changes the keys: see docs/tui.md.
    """
  static let plain = Option.flag("plain", "lines and numbered menus instead of a screen")
  static let theme = Option.value("theme", "THEME", "terminal (its own colours) or truecolour")
  enum Theme: String, CaseIterable { case terminal, truecolour }
  static var options: [Option] {
    [plain, theme, LockTime.option] + CopyOptions.options + UnlockOptions.options + [OutputOptions.quiet]
  }

  private let isPlain: Bool
  private let theme: Theme
  private let lockAfter: LockAfter
  private let copying: CopyOptions
  private let unlock: UnlockOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    isPlain = arguments.flag(Self.plain)
    theme = try arguments.choice(Self.theme) ?? .terminal
    lockAfter = try LockTime.read(arguments) ?? .standard
    copying = try CopyOptions(&arguments)
    unlock = try UnlockOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    guard context.output.style.isTerminal, TerminalDevice(context) != nil else {
      throw CommandFailure(.usage, "this needs a terminal", hint: "For scripts: seif list, seif code, seif copy.")
    }
    // What is revealed passes through texts of the runtime: it is overwritten as their memory is given back.
    _ = seif_wipe_freed_memory()
    let keys = try KeyFile.table(context)
    let vault = try ScreenVault(unlock, copying: copying, context)
    defer { vault.vault.lock() }
    if isPlain || !context.output.style.canRedraw {
      try PlainSession(vault, lockSeconds: lockSeconds, context).run()
      return .done
    }
    guard let screen = AlternateScreen(context) else {
      throw CommandFailure(.ioFailed, "the terminal doesn't answer")
    }
    defer { screen.end() }
    let palette: GridRenderer.Palette =
      !context.output.style.hasColour ? .none : theme == .truecolour ? .trueColour : .terminal
    ScreenSession(
      vault, screen, unlock, copying: copying, keys: keys, palette: palette, lockSeconds: lockSeconds, context
    ).run()
    return .done
  }

  private var lockSeconds: Int64 {
    // "Immediately" is at the end of a command, which is here the end of the screen.
    if case .seconds(let seconds) = lockAfter { seconds } else { 300 }
  }
}
