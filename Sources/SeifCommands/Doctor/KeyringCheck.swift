internal import SeifCommandLine
internal import SeifDevices
internal import SeifVault

/// The keyring of the desktop's session: who keeps it, and whether it is open.
struct KeyringCheck: DoctorCheck {
  static let id = "keyring"

  func findings(on machine: Machine) -> [DoctorFinding] {
    let isUsed = machine.waysIn().contains { $0.kind == .keyring }
    // Without a way in by it a keyring is nobody's need: what is the matter is told, and isn't warned of.
    func told(_ what: String, cure: String) -> [DoctorFinding] { [isUsed ? warn(what, cure: cure) : ok(what)] }
    switch machine.keyring() {
    case .unknown:
      return isUsed
        ? [
          warn("this session has no bus to ask for one", cure: "The vault opens by another way in, or on your desktop.")
        ]
        : []
    case .nobody:
      return told(
        "nobody offers one in this session",
        cure: "Log in to your desktop, or start what keeps its passwords (gnome-keyring-daemon, kwalletd6).")
    case .owned(let program, let process, let isLocked):
      let keeper = "\(program), process \(process)"
      switch isLocked {
      case nil:
        return told(
          "\(keeper): it has no default collection",
          cure: "Make one with your desktop's program for passwords (Seahorse, KWalletManager).")
      case true?:
        return told(
          "\(keeper): locked",
          cure: "Unlock it with your desktop's program for passwords, or log in to the desktop anew.")
      case false?: return [ok("\(keeper): unlocked, so every program of yours can read what lies there")]
      }
    }
  }
}
