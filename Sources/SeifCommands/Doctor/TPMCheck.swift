internal import SeifCommandLine
internal import SeifDevices
internal import SeifVault

/// The TPM: whether there is one that this user may use, how near it is to taking no PIN any more, and whether what it
/// sealed for the vault still comes out.
struct TPMCheck: DoctorCheck {
  static let id = "tpm"

  func findings(on machine: Machine) -> [DoctorFinding] {
    let ways = machine.waysIn().filter { $0.kind == .tpm2 }
    // Without a way in by it a TPM is nobody's need: what is the matter is told, and isn't warned of.
    func told(_ what: String, cure: String) -> [DoctorFinding] { [ways.isEmpty ? ok(what) : warn(what, cure: cure)] }
    switch machine.tpm() {
    case .none:
      return told(
        "this machine has none, as far as the kernel knows",
        cure: "The vault opens by another way in; if its machine is gone: seif keys remove tpm2")
    case .forbidden:
      return told(
        "you may not use it: its group is usually tss",
        cure: "As root: usermod -aG tss, with your user's name; then log in anew.")
    case .noLibraries:
      return told(
        "its libraries aren't installed",
        cure: "apt install libtss2-esys-3.0.2-0 libtss2-mu0 libtss2-tctildr0 libtss2-tcti-device0")
    case .refuses(let why):
      return told(
        "it doesn't serve: \(why)", cure: "The vault opens by another way in; look into the firmware's setup.")
    case .usable(let lockout):
      return [judge(lockout)] + ways.map { tried($0, machine) }
    }
  }

  private func judge(_ lockout: TPMState.Lockout?) -> DoctorFinding {
    guard let lockout else { return ok("you may use it; it doesn't say how many wrong PINs it takes") }
    let state = "\(lockout.failures) of \(lockout.limit) wrong PINs are counted, of all programs together"
    let meaning = "at \(lockout.limit) it takes none, and each \(lockout.wait) without a wrong one takes one off"
    if lockout.triesLeft == 0 {
      return warn(
        "it takes no PIN now: \(lockout.limit) wrong ones are counted, of all programs together",
        cure: "Wait: each \(lockout.wait) give one try back. Its owner ends it: tpm2_dictionarylockout --clear-lockout")
    }
    if lockout.failures * 2 > lockout.limit {
      return warn("\(state): \(meaning)", cure: "If they weren't yours, ask who tries PINs on this machine.")
    }
    return ok("you may use it; \(state): \(meaning)")
  }

  private func tried(_ way: WayIn, _ machine: Machine) -> DoctorFinding {
    if way.asksForPIN { return ok("the vault's key isn't tried, since that takes its PIN: seif keys test") }
    guard let refusal = machine.unseal(way) else { return ok("the vault's key comes out without a question") }
    switch refusal.code {
    case .deviceChanged:
      return warn(
        "this machine didn't start as it did when the vault's key was sealed",
        cure: "If you know why (firmware, Secure Boot): seif keys remove tpm2, then seif keys add tpm2")
    case .otherDevice:
      return warn(
        "the vault's key was sealed by another TPM, or this one was cleared",
        cure: "On the machine that stays: seif keys remove tpm2, then seif keys add tpm2")
    default:
      return warn("the vault's key doesn't come out: \(refusal)", cure: "The vault opens by another way in.")
    }
  }
}
