/// What the desktop's clipboard can do, found without touching it.
package enum ClipboardState: Sendable, Equatable {
  /// There is no desktop.
  case none
  /// What is copied gets the mark for secrets.
  case marked(ClipboardWay)
  /// Only `wl-copy` could do it, with or without that mark.
  case onlyByWlCopy(marks: Bool)
  case unusable(ClipboardError)
}

extension Clipboard {
  /// Asks the desktop.
  /// - Parameter environment: the variables of this process.
  package static func state(_ environment: @escaping (String) -> String?) -> ClipboardState {
    let given = { (name: String) in environment(name).flatMap { $0.isEmpty ? nil : $0 } }
    let hasX = given("DISPLAY").map { X11Selection.localName($0) != nil }
    guard let name = given("WAYLAND_DISPLAY"),
      let path = WaylandConnection.path(name, folder: given("XDG_RUNTIME_DIR"))
    else {
      switch hasX {
      case true?: return .marked(.x11)
      case false?: return .unusable(.displayElsewhere)
      case nil: return .none
      }
    }
    do throws(ClipboardError) {
      try WaylandSelection.check(path: path)
      return .marked(.wayland)
    } catch {
      if hasX == true { return .marked(.x11) }
      if error != .noDataControl { return .unusable(error) }
      return .onlyByWlCopy(marks: WlCopySelection.marks(searchPath: given("PATH") ?? ""))
    }
  }
}
