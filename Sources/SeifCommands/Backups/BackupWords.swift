internal import SeifCommandLine
internal import SeifAgent
internal import SeifBackups
internal import SeifRecords
internal import SeifVault

/// What became of a backup, in words.
enum BackupWords {
  /// What is said of older backups and of what retention did, one line each.
  static func lines(_ report: BackupReport) -> [(isWarning: Bool, text: String)] {
    var warnings = report.missing.map { loss($0, .missing) }
    warnings += report.altered.map { loss($0, .altered) }
    warnings += report.unread.map { loss($0, .unread) }
    if !report.isListed {
      warnings.append(
        "\(report.proof.name) came back, but the destination doesn't list it, so it couldn't be found again")
    }
    if !report.wasLookedAfter { warnings.append(notLookedAfter) }
    if let refusal = report.refusal { warnings.append("old backups were left alone: \(words(refusal))") }
    var lines = warnings.map { (true, $0) }
    lines += report.pruned.map { (false, "removed by the rule: \($0)") }
    lines += report.notRemoved.map { (true, "\($0) should go by the rule and couldn't be removed") }
    switch report.foreign.count {
    case 0: break
    case 1: lines.append((false, "1 other file there is left alone."))
    case let count: lines.append((false, "\(count) other files there are left alone."))
    }
    return lines
  }

  /// After a removal.
  static let notLookedAfter =
    "after old backups were removed the destination couldn't be listed, so nobody knows what it removed"

  /// What stands against removing anything, and a person's word that would end it.
  static func words(_ refusal: Retention.Refusal) -> String {
    option(refusal).map { "\(refusal) (once that is looked at and right: seif backup prune \($0))" } ?? "\(refusal)"
  }

  /// The option of that word.
  static func option(_ refusal: Retention.Refusal) -> String? {
    switch refusal.acceptance {
    case .lost: "--\(AcceptOptions.lost.name)"
    case .shrunk: "--\(AcceptOptions.shrunk.name)"
    case .clock: "--\(AcceptOptions.clock.name)"
    case nil: nil
    }
  }

  /// Why a proven file stays.
  static func reason(_ reason: Retention.Reason) -> String {
    switch reason {
    case .last: "among the newest"
    case .daily: "the newest of its day"
    case .weekly: "the newest of its week"
    case .monthly: "the newest of its month"
    case .always: "three always stay"
    }
  }

  /// What became of a proven file.
  static func loss(_ name: String, _ state: BackupService.FileState) -> String {
    let what =
      switch state {
      case .intact: "is as it was"
      case .missing: "is gone"
      case .altered: "is altered"
      case .unread: "can't be read"
      }
    return "\(name) was proven here and \(what)"
  }
}

extension CommandFailure {
  /// What the ledger threw.
  init(ledger error: any Error) {
    switch error {
    case let error as VaultError: self.init(error, folder: "")
    case let error as VaultUseError: self.init(error, folder: "")
    default: self.init(describing: error)
    }
  }

  /// Why a backup doesn't count, with the exit code of the command line.
  ///
  /// - Parameter records: what was to be backed up, to name what a format can't hold.
  init(_ failure: BackupFailure, destination: String, of records: Records = Records()) {
    switch failure {
    case .notWhole(let losses):
      self.init(
        .badInput, "this format can't hold the whole vault", hint: "Nothing was stored.",
        details: LossReport(losses, of: records).lines)
    case .notSealed: self.init(.usage, "backups are always sealed", hint: "For a file in clear: seif export --plain")
    case .format(let error): self.init(error, file: "the backup")
    case .selfCheck(let lists):
      self.init(
        .checkFailed, "the new backup doesn't hold what is in the vault (\(lists.joined(separator: ", ")))",
        hint: "Nothing was stored; the vault is as it was.")
    case .transport(let error):
      self.init(Self.code(error), "no backup was made: \(error)", hint: "Older backups are as they were.")
    case .notStored(let name, let error):
      let mayBeThere = ![.exists, .noPermission, .notAFolder, .readOnly, .notFound].contains(error.code)
      self.init(
        Self.code(error), "no backup was made: \(error)",
        hint: "Older backups are as they were."
          + (mayBeThere ? " Should there be a file \(name), it doesn't count as a backup." : ""))
    case .notFetched(let name, let error):
      self.init(
        .checkFailed, "\(name) was stored and can't be read back: \(error)",
        hint: "It doesn't count as a backup, and nothing was removed.")
    case .notNoted(let name, let error):
      let failure = CommandFailure(ledger: error)
      self.init(
        failure.exitCode, "\(name) was stored and came back whole, but the vault couldn't note that: \(failure.what)",
        hint: "It doesn't count as a backup, and nothing was removed. Make another.")
    case .altered(let name):
      self.init(
        .checkFailed, "\(name) came back from \(destination) altered",
        hint: "It doesn't count as a backup, and nothing was removed. Try another destination.")
    case .notProven(let name, let lists):
      self.init(
        .checkFailed, "\(name) came back but isn't proven (\(lists.joined(separator: ", ")))",
        hint: "It doesn't count as a backup, and nothing was removed.")
    }
  }
}
