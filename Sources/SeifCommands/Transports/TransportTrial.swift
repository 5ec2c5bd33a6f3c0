internal import SeifCommandLine
internal import SeifBackups
internal import SeifBytes
internal import SeifTransports

/// Tries out whether a destination does what backups need.
struct TransportTrial {
  let registry: TransportRegistry

  /// What was found out.
  struct Report {
    /// The rules that hold, and those that don't with what was found.
    var rows: [(rule: String, finding: String?)] = []
    /// Whether the place itself refuses a name that is taken.
    var createsConditionally = false
    /// The place's name in the ledger.
    var place: String?
    /// Secrets that the place replaced meanwhile.
    var replacedSecrets: [String: SecretValue] = [:]
    var isGood: Bool { rows.allSatisfy { $0.finding == nil } }
  }

  /// What is said while it runs.
  enum Step {
    /// The place is asked whether it is there.
    case asking(String)
    /// A rule is tried.
    case trying(String)
    /// It holds, or what was found.
    case tried(String, finding: String?)
  }

  /// Runs every rule; the first failure to reach the place at all ends it.
  func run(
    _ settings: TransportSettings, _ extent: TransportConformance.Extent, progress: (Step) -> Void
  ) throws(CommandFailure) -> Report {
    var settings = settings
    var report = Report()
    settings.createsConditionally = true
    let kept = ReplacedSecrets()
    let keep = settings.keepSecret
    settings.keepSecret = { field, value in
      try keep?(field, value)
      kept.keep(field, value)
    }
    try Self.reaching(settings.name) {
      let transport = try registry.transport(settings)
      report.place = DestinationOptions.place(of: transport)
      progress(.asking(transport.displayName))
      try transport.checkWriting()
      _ = try transport.listBackups()
      // A transport that trusts the place to refuse shows whether it does.
      do {
        try TransportConformance.refusesOverwriting.run(transport)
        // A place that looks for the name first keeps the rule, and refuses nothing by itself.
        report.createsConditionally = transport.createsConditionally
      } catch is TransportConformance.Finding {
        settings.createsConditionally = false
      } catch let failure as TransportError where failure.code == .failed {
        // A place that doesn't know the condition may refuse the whole request; the rules find out whether it is that.
        settings.createsConditionally = false
      }
      settings.secrets.merge(kept.all) { $1 }
      try Self.run(registry.transport(settings), extent, into: &report, name: settings.name, progress: progress)
    }
    report.replacedSecrets = kept.all
    return report
  }

  /// Runs every rule at a place.
  static func run(
    _ transport: any BackupTransport, _ extent: TransportConformance.Extent, into report: inout Report, name: String,
    progress: (Step) -> Void
  ) throws(CommandFailure) {
    for check in TransportConformance.checks(extent) {
      progress(.trying(check.rule))
      var found: String?
      try reaching(name) {
        do {
          try check.run(transport)
        } catch let finding as TransportConformance.Finding {
          found = finding.description
        }
      }
      report.rows.append((check.rule, found))
      progress(.tried(check.rule, finding: found))
    }
  }

  private static func reaching(_ name: String, _ body: () throws -> Void) throws(CommandFailure) {
    do {
      try body()
    } catch let failure as TransportError {
      throw CommandFailure(CommandFailure.code(failure), "\(name) can't be used: \(failure)")
    } catch {
      throw CommandFailure(describing: error)
    }
  }
}
