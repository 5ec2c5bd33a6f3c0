internal import SeifCommandLine
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
    let now = Timestamp(seconds: machine.clock.now())
    let standing = BackupService.standing(ledger)
    // A time to come, of a clock that stood ahead, makes nothing younger.
    guard let newest = standing.filter({ $0.at <= now }).max(by: { $0.at < $1.at }) ?? standing.last else {
      return [warn("none is proven", cure: cure)]
    }
    let lost = BackupOverview(ledger, now: now).places.compactMap { place in
      place.lost.map { "\($0.proof.name) was proven at \(place.destination) and is \($0.flag.rawValue)" }
    }
    guard lost.isEmpty else { return lost.map { warn($0, cure: "seif status says where backups stand") } }
    let words = "last proven \(LocalTime.age(newest.at, now: now)) (\(newest.destination))"
    let isOld = newest.at > now || now.seconds - newest.at.seconds > Self.days * 86_400
    return [isOld ? warn(words, cure: cure) : ok(words)]
  }
}
