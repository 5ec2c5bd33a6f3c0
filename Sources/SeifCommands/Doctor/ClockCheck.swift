internal import SeifCommandLine

/// Whether the clock is right: codes by time depend on it.
struct ClockCheck: DoctorCheck {
  static let id = "clock"

  func findings(on machine: Machine) -> [DoctorFinding] {
    switch machine.clockState() {
    case 0: [ok("kept right by the system")]
    case 1:
      [
        warn(
          "not synchronised, as far as the kernel knows; codes may be refused",
          cure: "timedatectl set-ntp true, or seif doctor --against HOST to see how far off it is")
      ]
    default: [warn("nobody says whether it is synchronised", cure: "seif doctor --against HOST")]
    }
  }
}

/// How far the clock is from a time server's: asked only when a host was named.
struct ServerClockCheck: DoctorCheck {
  static let id = "clock-server"
  let server: TimeServer
  /// Seconds after which codes are near to being refused, and after which they are.
  private static let (noticeable, harmful) = (2.0, 15.0)

  func findings(on machine: Machine) -> [DoctorFinding] {
    switch server.offset() {
    case .failure(.noSuchHost): [warn("\(server.host) isn't known", cure: "Give a time server that can be reached.")]
    case .failure(.noAnswer): [warn("\(server.host) doesn't answer", cure: "Give a time server that can be reached.")]
    case .failure(.notTime):
      [warn("\(server.host) doesn't give a time that can be relied on", cure: "Give another time server.")]
    case .success(let offset): [judge(offset)]
    }
  }

  private func judge(_ offset: Double) -> DoctorFinding {
    let words = "\(Self.words(offset)) off, says \(server.host)"
    let cure = "timedatectl set-ntp true"
    if abs(offset) <= Self.noticeable { return ok(words) }
    if abs(offset) <= Self.harmful { return warn(words, cure: cure) }
    return fail("\(words): codes are refused", cure: cure)
  }

  /// `0.2 s`, with one decimal and without a sign: which way it goes doesn't change the cure.
  static func words(_ offset: Double) -> String {
    let tenths = Int(min(abs(offset) * 10, 1e15).rounded())
    return tenths < 6000 ? "\(tenths / 10).\(tenths % 10) s" : "\(tenths / 600) min"
  }
}
