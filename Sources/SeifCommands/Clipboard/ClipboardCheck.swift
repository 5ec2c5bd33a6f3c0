internal import SeifBytes
internal import SeifClipboard

/// What `seif doctor` says of the desktop's clipboard.
struct ClipboardCheck {
  private let state: ClipboardState

  init(_ context: Context) {
    let environment = context.environment
    state = Clipboard.state { environment[$0] }
  }

  /// The sign and the words; nil where there is no desktop, which is nothing to cure.
  var line: (Sign, String)? {
    switch state {
    case .none: nil
    case .marked(let way): (.ok, "clipboard: by \(way.name), marked as a secret")
    case .onlyByWlCopy(let marks):
      (
        .warn,
        "clipboard: this desktop lacks the data-control protocol. --wl-copy works where wl-copy is installed; it keeps a "
          + "file in /tmp meanwhile" + (marks ? "" : ", and can't mark it as a secret: a clipboard manager may keep it")
      )
    case .unusable(let error): (.warn, "clipboard: " + CommandFailure(error).what)
    }
  }

  /// `marked`, `unmarked` or `none`, for `--json`.
  var word: String {
    switch state {
    case .marked: "marked"
    case .onlyByWlCopy(let marks): marks ? "wl-copy" : "unmarked"
    case .none, .unusable: "none"
    }
  }
}
