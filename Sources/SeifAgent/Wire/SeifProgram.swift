internal import CSeif
internal import Glibc

/// The executable that stands for this build. `seif-net`, which is `seif` with the network, is of the build of the `seif`
/// that lies beside it: both speak to one agent, and the agent is always the one without the network.
package enum SeifProgram {
  /// What is asked for place, length and time: this process's own file as the kernel holds it, also once another has taken
  /// its name.
  static var build: String { plain ?? own }

  /// What is started as the agent: its path, or, where another file has taken that, the kernel's own way to it.
  package static var path: String {
    if let plain { return plain }
    var (here, there) = (stat(), stat())
    guard let path = ProcFile.link(own), stat(own, &here) == 0, stat(path, &there) == 0, here.st_ino == there.st_ino,
      here.st_dev == there.st_dev
    else { return own }
    return path
  }

  private static let own = "/proc/self/exe"

  /// A program in the folder of this one, so that both are of one build; nil: there is none, or it is this one.
  package static func beside(_ name: String) -> String? {
    guard let (folder, current) = place, current != name else { return nil }
    return access(folder + name, X_OK) == 0 ? folder + name : nil
  }

  /// A file that came with this program: beside its folder as it is installed, or in it as it is built; nil: there is none.
  package static func shared(_ name: String) -> String? {
    guard let (folder, _) = place else { return nil }
    return ["../share/seif/", "share/seif/"].map { folder + $0 + name }.first { access($0, R_OK) == 0 }
  }

  // The `seif` beside this `seif-net`; nil: this is no `seif-net`, or there is none.
  private static var plain: String? { place?.name == "seif-net" ? beside("seif") : nil }

  // The folder, with its slash, and the name of this program.
  private static var place: (folder: String, name: String)? {
    guard var path = ProcFile.link(own) else { return nil }
    // The kernel says so where an upgrade has taken its name meanwhile.
    if path.hasSuffix(" (deleted)") { path.removeLast(" (deleted)".count) }
    guard let slash = path.utf8.lastIndex(of: 0x2F) else { return nil }
    return (String(path[...slash]), String(path[path.utf8.index(after: slash)...]))
  }
}
