internal import SeifCommandLine
internal import SeifClipboard

/// What the desktop's clipboard can do; nothing where there is no desktop.
struct DesktopClipboardCheck: DoctorCheck {
  static let id = "clipboard"

  func findings(on machine: Machine) -> [DoctorFinding] {
    switch Self.state(machine) {
    case .none: []
    case .marked(let way): [ok("by \(way.name), marked as a secret")]
    case .onlyByWlCopy(let marks):
      [
        warn(
          "this desktop lacks the data-control protocol",
          cure: "--wl-copy works where wl-copy is installed; it keeps a file in /tmp meanwhile"
            + (marks ? "" : ", and can't mark it as a secret: a clipboard manager may keep it"))
      ]
    case .unusable(let error):
      [warn(CommandFailure(error).what, cure: "See what it needs: seif help copy")]
    }
  }

  /// `marked`, `wl-copy`, `unmarked` or `none`, for `--json`.
  static func word(_ machine: Machine) -> String {
    switch state(machine) {
    case .marked: "marked"
    case .onlyByWlCopy(let marks): marks ? "wl-copy" : "unmarked"
    case .none, .unusable: "none"
    }
  }

  private static func state(_ machine: Machine) -> ClipboardState {
    Clipboard.state { machine.environment[$0] }
  }
}
