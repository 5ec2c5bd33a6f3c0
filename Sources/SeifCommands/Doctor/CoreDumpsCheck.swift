internal import SeifCommandLine
internal import Glibc

/// Whether this process could leave its memory in a file.
struct CoreDumpsCheck: DoctorCheck {
  static let id = "core-dumps"

  func findings(on machine: Machine) -> [DoctorFinding] {
    let limit = machine.coreLimit()
    if limit == 0, !machine.isDumpable() { return [ok("off for every Seif")] }
    return [
      fail(
        "this system doesn't let Seif switch them off",
        cure: "Run `ulimit -c 0` before seif, and ask who set the system up.")
    ]
  }
}

/// Whether keys and passphrases can be kept out of swap.
struct LockedMemoryCheck: DoctorCheck {
  static let id = "locked-memory"
  /// More than any command keeps at once: some dozen secrets of a page each.
  private static let byteCount = 128 * 1024

  func findings(on machine: Machine) -> [DoctorFinding] {
    if machine.canLock(Self.byteCount) { return [ok("keys and passphrases stay out of swap")] }
    return [
      warn(
        "the limit is too low to keep keys and passphrases out of swap (\(machine.lockLimit))",
        cure: "Raise memlock in /etc/security/limits.conf to 1024 or more, then log in anew.")
    ]
  }
}

extension Machine {
  /// The limit in words.
  var lockLimit: String { Machine.limit(__RLIMIT_MEMLOCK).map { "\($0 / 1024) KiB" } ?? "unknown" }
}
