internal import CSeif
internal import Glibc

/// The executable that stands for this build. `seif-net`, which is `seif` with the network, is of the build of the `seif`
/// that lies beside it: both speak to one agent, and the agent is always the one without the network.
enum SeifProgram {
  /// What is asked for place, length and time: this process's own file as the kernel holds it, also once another has taken
  /// its name.
  static var build: String { beside ?? own }

  /// What is started as the agent: its path, or, where another file has taken that, the kernel's own way to it.
  static var path: String {
    if let beside { return beside }
    var (here, there) = (stat(), stat())
    guard let path = ProcFile.link(own), stat(own, &here) == 0, stat(path, &there) == 0, here.st_ino == there.st_ino,
      here.st_dev == there.st_dev
    else { return own }
    return path
  }

  private static let own = "/proc/self/exe"

  // The `seif` beside this `seif-net`; nil: this is no `seif-net`, or there is none.
  private static var beside: String? {
    let end = "/seif-net"
    // The kernel says so where an upgrade has taken its name meanwhile.
    guard var path = ProcFile.link(own) else { return nil }
    if path.hasSuffix(" (deleted)") { path.removeLast(" (deleted)".count) }
    guard path.hasSuffix(end) else { return nil }
    let beside = String(path.dropLast(end.utf8.count)) + "/seif"
    return access(beside, X_OK) == 0 ? beside : nil
  }
}
