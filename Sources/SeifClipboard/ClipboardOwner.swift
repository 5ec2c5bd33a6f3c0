internal import CClipboard
internal import CSeif
internal import Glibc

/// A selection of a display that is ours for now.
protocol OwnedSelection: AnyObject {
  var way: ClipboardWay { get }
  /// Readable when there is something to answer; -1 where nothing is asked of us.
  var descriptor: Int32 { get }
  /// Answers what has come.
  /// - Returns: false once the selection belongs to somebody else, or the display is gone.
  func answer() -> Bool
  /// Gives it up, if it is still ours.
  func end()
}

/// The child that owns the clipboard: takes a secret from its pipe, offers it, and ends after the time that it was told,
/// or as soon as another program copies something.
///
/// The caller has already switched off core dumps and tracing.
package enum ClipboardOwner {
  /// Whether this process was started to be an owner: by our own pipes, not by a person at a prompt.
  package static func isCalled(_ arguments: [String]) -> Bool {
    arguments == [Clipboard.ownerArgument] && isPipe(0) && isPipe(1)
  }

  /// The whole process.
  package static func main() -> Never {
    // Whatever our parent had open without our knowledge, such as a descriptor with a passphrase, isn't for us.
    _ = seif_clipboard_close_from(3)
    _ = chdir("/")
    signal(SIGPIPE, SIG_IGN)
    guard let message = ClipboardMessage(readingFrom: 0) else { finish(ClipboardError.noOwner.rawValue) }
    let end = Moment.now + Int64(message.options.seconds) * 1000
    // Asked to end, as at log-out, it clears first: a `wl-copy` of ours would outlive us with the value.
    var endings = sigset_t()
    sigemptyset(&endings)
    for number in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&endings, number) }
    pthread_sigmask(SIG_BLOCK, &endings, nil)
    let selection: any OwnedSelection
    do throws(ClipboardError) {
      selection = try take(message)
    } catch {
      finish(error.rawValue)
    }
    say(selection.way.rawValue)
    while Moment.now < end, !isAskedToEnd(endings) {
      // Where nothing can be waited for, it is looked at each second.
      let isReadable = Wait.readable(selection.descriptor, until: min(end, Moment.now + 1000))
      if isReadable || selection.descriptor < 0, !selection.answer() { break }
    }
    selection.end()
    exit(0)
  }

  /// Data-control where a Wayland desktop has it; else an X display, which such a desktop shares its clipboard with.
  private static func take(_ message: ClipboardMessage) throws(ClipboardError) -> any OwnedSelection {
    let environment = { (name: String) -> String? in
      getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
    let x = environment("DISPLAY")
    guard let name = environment("WAYLAND_DISPLAY"),
      let path = WaylandConnection.path(name, folder: environment("XDG_RUNTIME_DIR"))
    else {
      guard let x else { throw .noDisplay }
      return try X11Selection(message, display: x)
    }
    do throws(ClipboardError) {
      return try WaylandSelection(message, path: path)
    } catch {
      if message.options.allowsWlCopy, error == .noDataControl {
        return try WlCopySelection(message, searchPath: environment("PATH") ?? "")
      }
      guard let x, error != .takenAtOnce else { throw error }
      return try X11Selection(message, display: x)
    }
  }

  private static func isAskedToEnd(_ endings: sigset_t) -> Bool {
    var (pending, endings) = (sigset_t(), endings)
    sigpending(&pending)
    return (1..<32).contains { sigismember(&pending, $0) == 1 && sigismember(&endings, $0) == 1 }
  }

  private static func isPipe(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
  }

  /// Answers our parent, and lets go of its pipes and of the terminal.
  private static func say(_ answer: UInt8) {
    var byte = answer
    _ = write(1, &byte, 1)
    let nothing = seif_open("/dev/null", O_RDWR | O_CLOEXEC, 0)
    for standard: Int32 in [0, 1] { dup2(nothing, standard) }
    close(nothing)
  }

  private static func finish(_ answer: UInt8) -> Never {
    say(answer)
    exit(1)
  }
}
