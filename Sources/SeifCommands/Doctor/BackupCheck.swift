internal import SeifBackups
internal import SeifBytes

/// How old the newest proven backup is, and which newest one was lost; made where the vault is open.
struct BackupCheck: DoctorCheck {
  static let id = "backup"
  /// Days after which a backup is called old.
  static let days: Int64 = 30
  let ledger: [LedgerEvent]

  func findings(on machine: Machine) -> [DoctorFinding] {
    let cure = "seif backup create --destination FOLDER"
    guard let newest = BackupService.standing(ledger).max(by: { $0.at < $1.at }) else {
      return [warn("none is proven", cure: cure)]
    }
    let now = Timestamp(seconds: machine.clock.now())
    let lost = BackupOverview(ledger).places.compactMap { place in
      place.lost.map { "\($0.proof.name) was proven at \(place.destination) and is \($0.flag.rawValue)" }
    }
    guard lost.isEmpty else { return lost.map { warn($0, cure: "seif status says where backups stand") } }
    let words = "last proven \(LocalTime.age(newest.at, now: now)) (\(newest.destination))"
    return [now.seconds - newest.at.seconds > Self.days * 86_400 ? warn(words, cure: cure) : ok(words)]
  }
}
