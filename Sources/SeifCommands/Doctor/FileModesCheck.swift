internal import SeifCommandLine
internal import CSeif
internal import Glibc
internal import SeifBytes
internal import SeifVault

/// Whether the vault, and what is remembered of it, are the person's alone.
struct FileModesCheck: DoctorCheck {
  static let id = "file-modes"

  func findings(on machine: Machine) -> [DoctorFinding] {
    let location = machine.location
    var found: [DoctorFinding] = []
    if let status = Machine.status(location.folder) {
      found += folder(location.folder, status)
      for name in Machine.names(in: location.folder) where name.hasPrefix("vault.db") {
        found += file(location.folder + "/" + name, othersMayRead: false)
      }
    }
    if location.stateFolder != location.folder, let status = Machine.status(location.stateFolder) {
      found += folder(location.stateFolder, status)
      for name in Machine.names(in: location.stateFolder) where name.hasSuffix(".counter") {
        found += file(location.stateFolder + "/" + name, othersMayRead: true)
      }
    }
    if found.isEmpty, Machine.status(location.file) != nil { return [ok("the vault's files are yours alone")] }
    return found
  }

  private func folder(_ path: String, _ status: stat) -> [DoctorFinding] {
    if status.st_uid != geteuid() {
      return [fail("\(path) belongs to another user", cure: "Move the vault into a folder of your own.")]
    }
    if status.st_mode & 0o022 != 0 {
      return [fail("others can put files into \(path)", cure: "chmod 700 \(Self.quoted(path))")]
    }
    if status.st_mode & 0o055 != 0 {
      return [warn("others can look into \(path)", cure: "chmod 700 \(Self.quoted(path))")]
    }
    return []
  }

  private func file(_ path: String, othersMayRead: Bool) -> [DoctorFinding] {
    guard let status = Machine.status(path, followingLinks: false) else { return [] }
    if status.st_mode & S_IFMT == S_IFLNK {
      return [warn("\(path) is a link to a file elsewhere", cure: "Put the file itself there.")]
    }
    if status.st_uid != geteuid() {
      return [fail("\(path) belongs to another user", cure: "Find out who put it there; then take it back by chown.")]
    }
    guard status.st_mode & (othersMayRead ? 0o022 : 0o077) != 0 else { return [] }
    return [fail("others can read or write \(path)", cure: "chmod 600 \(Self.quoted(path))")]
  }

  /// A path as a shell takes it.
  static func quoted(_ path: String) -> String {
    let isPlain = path.utf8.allSatisfy { byte in
      (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || "/._-+".utf8.contains(byte)
    }
    if isPlain { return path }
    let parts = path.split(separator: "'", omittingEmptySubsequences: false)
    return "'" + parts.joined(separator: "'\\''") + "'"
  }
}
