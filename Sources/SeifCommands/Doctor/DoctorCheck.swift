internal import SeifCommandLine
internal import SeifVault

/// One thing that `seif doctor` looks at: it changes nothing, and asks nobody.
protocol DoctorCheck: Sendable {
  /// What its findings are called in `--json`: as stable as an option.
  static var id: String { get }

  /// What it found, in the order in which it is shown; empty where there is nothing to look at.
  func findings(on machine: Machine) -> [DoctorFinding]
}

/// What a check found.
struct DoctorFinding: Equatable, Sendable {
  /// The check's ``DoctorCheck/id``.
  let id: String
  /// `fail` makes the doctor's answer no; a warning doesn't.
  let state: Sign
  /// What is, without a full stop. May hold names of files, never a secret.
  let what: String
  /// What to do about it, in one line.
  let cure: String?
}

extension DoctorCheck {
  func ok(_ what: String) -> DoctorFinding { DoctorFinding(id: Self.id, state: .ok, what: what, cure: nil) }
  func warn(_ what: String, cure: String) -> DoctorFinding {
    DoctorFinding(id: Self.id, state: .warn, what: what, cure: cure)
  }
  func fail(_ what: String, cure: String) -> DoctorFinding {
    DoctorFinding(id: Self.id, state: .fail, what: what, cure: cure)
  }
}

enum DoctorChecks {
  /// What can be looked at without opening the vault.
  static let ofTheMachine: [any DoctorCheck] = [
    ClockCheck(), FileModesCheck(), FileSystemCheck(), LeftOversCheck(), RecoverySheetCheck(), AgentCheck(),
    CoreDumpsCheck(), LockedMemoryCheck(), SwapCheck(), TPMCheck(), KeyringCheck(), DesktopClipboardCheck(),
  ]
}
