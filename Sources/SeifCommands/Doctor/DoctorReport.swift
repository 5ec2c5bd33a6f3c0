internal import SeifCommandLine
internal import SeifBytes
internal import SeifVault

/// All that a run of the doctor found, and how it is shown: sign, word, cause, cure.
struct DoctorReport {
  var findings: [DoctorFinding] = []
  /// What the vault says of itself; nil where it wasn't opened.
  var faults: [VaultFault]?
  var clipboard = "none"
  var repair: (plan: BackupRepair, isDone: Bool)?

  var isOK: Bool { findings.allSatisfy { $0.state != .fail } && (faults ?? []).isEmpty }

  /// The width of the longest word of a check.
  private static let wordWidth = 15

  /// The vault's own findings as those of a check.
  private var vaultFindings: [DoctorFinding] {
    guard let faults else { return [] }
    if faults.isEmpty {
      return [DoctorFinding(id: "vault", state: .ok, what: "every value is as it was last written", cure: nil)]
    }
    return faults.map { DoctorFinding(id: "vault", state: .fail, what: "\($0)", cure: Self.cure(of: $0)) }
  }

  /// What to do about a fault, in one line.
  private static func cure(of fault: VaultFault) -> String {
    switch fault {
    case .value("item", _, _), .damagedSecret, .missingSecret:
      "seif doctor --from BACKUP puts it back from a backup, seif doctor --set-aside takes it out of the way"
    case .value, .missingSummary, .strayData("secret", _): "seif doctor --set-aside"
    case .olderCopy: "seif doctor --accept-older-copy, if you put it back on purpose"
    case .contents, .rowCount, .accumulator, .strayData:
      "Look through your entries; if they are right: seif doctor --accept-contents"
    case .ledger: "Make a new backup: its proof begins anew. Older proofs can't be relied on."
    case .database: "Copy the whole folder first; then export what opens into a new vault."
    }
  }

  func show(quiet: Bool, _ context: Context) throws(CommandFailure) {
    let style = context.output.style
    for finding in findings + vaultFindings where !quiet || finding.state != .ok {
      let word = String(finding.id.map { $0 == "-" ? " " : $0 })
      let padding = String(repeating: " ", count: max(1, Self.wordWidth - word.count))
      try context.output.writeLine(
        "\(finding.state.text(style)) \(word)\(padding)\(Display.cleaned(finding.what))", indent: Self.wordWidth + 2)
      if let cure = finding.cure { try context.output.writeLine("  cure: \(Display.cleaned(cure))", indent: 4) }
    }
  }

  var document: SecretValue {
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema("seif-doctor", 1)
    writer.member("ok", isOK)
    writer.key("checks")
    writer.beginArray()
    for finding in findings + vaultFindings {
      writer.beginObject()
      writer.member("id", finding.id)
      writer.member("state", Self.word(finding.state))
      writer.member("what", finding.what)
      if let cure = finding.cure { writer.member("cure", cure) }
      writer.endObject()
    }
    writer.endArray()
    if let faults { writer.member("faults", faults.map { "\($0)" }) }
    writer.member("clipboard", clipboard)
    repair?.plan.write(to: &writer, isDone: repair?.isDone ?? false)
    writer.endObject()
    return writer.finish()
  }

  private static func word(_ state: Sign) -> String {
    switch state {
    case .ok: "ok"
    case .warn: "warn"
    case .fail: "fail"
    }
  }
}
