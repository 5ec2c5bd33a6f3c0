internal import SeifCommandLine
internal import CSeif
internal import Glibc
internal import SeifVault

/// Files beside the vault that a killed program left, or that an older version has.
struct LeftOversCheck: DoctorCheck {
  static let id = "left-over"

  func findings(on machine: Machine) -> [DoctorFinding] {
    let folder = machine.location.folder
    guard Machine.status(machine.location.file) != nil else { return [] }
    var found: [DoctorFinding] = []
    for name in Machine.names(in: folder) {
      let path = folder + "/" + name
      let byteCount = Machine.status(path, followingLinks: false)?.st_size ?? 0
      if name.hasPrefix("vault.db.version-"), !name.contains(".new-") {
        found.append(
          warn(
            "\(path) is the vault as it was before a newer Seif took it over",
            cure: "The next command that writes removes it, if all is well."))
      } else if name.hasPrefix("vault.db.new-") || name.hasPrefix("vault.db.version-") {
        found.append(
          warn(
            "\(path) is half of a copy, left by a run that was killed",
            cure: "The next command that writes removes it."))
      } else if name == "vault.db.destroyed" {
        found.append(
          warn(
            "\(path) is what a `seif destroy` that was killed left of an earlier vault; nothing opens it any more",
            cure: "Remove it."))
      } else if name.hasPrefix("vault.db"), name.hasSuffix(".old") || name.hasSuffix(".old~") || name.hasSuffix("~") {
        found.append(
          warn(
            "\(path) is an older copy: it opens with what opened the vault then",
            cure: "Remove it if you don't need it."))
      } else if (name == "vault.db-wal" || name == "vault.db-journal") && byteCount > 0 {
        found.append(
          warn(
            "\(path) has changes that aren't in the vault's file yet: another Seif is at work, or was killed",
            cure: "Copy it together with vault.db, never one alone. The next command that writes takes it in."))
      }
    }
    found += drillFolders(on: machine)
    return found.isEmpty ? [ok("nothing lies beside the vault")] : found
  }

  /// An hour: no drill that still runs is that old.
  private static let drillSeconds = 3_600

  /// Vaults of drills that were killed.
  private func drillFolders(on machine: Machine) -> [DoctorFinding] {
    let ofSession = machine.environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    return [ofSession, machine.temporaryFolder].compactMap { $0 }.flatMap { parent in
      Machine.names(in: parent).filter { $0.hasPrefix(Rehearsal.folderStem) }.compactMap { name in
        let path = parent + "/" + name
        guard let status = Machine.status(path, followingLinks: false), status.st_mode & S_IFMT == S_IFDIR,
          status.st_uid == getuid(), machine.clock.now() - Int64(status.st_mtim.tv_sec) > Self.drillSeconds
        else { return nil }
        return warn(
          "\(path) is the vault of a drill that was killed; it is sealed under a key that nobody has any more",
          cure: "Remove the folder.")
      }
    }
  }
}

/// A recovery code that still lies where it was written to, to be printed.
///
/// Where that was isn't kept anywhere, so the places are looked at where people leave such files, by the first line that
/// `seif init` writes.
struct RecoverySheetCheck: DoctorCheck {
  static let id = "recovery-sheet"
  static let heading = "Seif: recovery code\n"
  /// Files that are looked into, and the longest that can be a sheet.
  private static let (fileLimit, byteLimit) = (2_000, 4_096)

  func findings(on machine: Machine) -> [DoctorFinding] {
    var folders = [machine.location.folder, AbsolutePath.of(".")]
    if let home = machine.environment["HOME"], home.hasPrefix("/") {
      folders += [home, home + "/Desktop", home + "/Documents", home + "/Downloads"]
    }
    var (seen, found): (Set<String>, [DoctorFinding]) = ([], [])
    for folder in folders where seen.insert(AbsolutePath.of(folder)).inserted {
      for name in Machine.names(in: folder, limit: Self.fileLimit) {
        let path = folder + "/" + name
        // Closing a vault's file would take away the locks that SQLite has on it.
        guard !name.hasPrefix("vault.db"), let status = Machine.status(path, followingLinks: false),
          status.st_mode & S_IFMT == S_IFREG, (1...Self.byteLimit).contains(Int(status.st_size)),
          Machine.head(of: path, byteCount: Self.heading.utf8.count) == Self.heading
        else { continue }
        found.append(
          warn("\(path) shows a recovery code to whoever reads it", cure: "Print it, keep the paper, remove the file."))
      }
    }
    return found.isEmpty ? [ok("no recovery sheet lies about in the usual places")] : found
  }
}
