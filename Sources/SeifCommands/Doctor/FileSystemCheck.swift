internal import SeifCommandLine
internal import SeifVault

/// Whether the vault lies on a disk of this machine.
struct FileSystemCheck: DoctorCheck {
  static let id = "file-system"

  func findings(on machine: Machine) -> [DoctorFinding] {
    guard Machine.status(machine.location.folder) != nil else { return [] }
    guard let name = machine.location.networkFileSystem else { return [ok("the vault is on a disk of this machine")] }
    return [warn(Self.words(name), cure: "Keep the vault on a disk of this machine, and backups there.")]
  }

  /// What follows from such a file system, for `init` too.
  static func words(_ name: String) -> String {
    "the vault is on \(name): each change takes longer, and whether two writers wait for each other is the server's word"
  }
}
