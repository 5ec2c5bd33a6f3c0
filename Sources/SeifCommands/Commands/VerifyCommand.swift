internal import SeifCommandLine
internal import SeifBytes
internal import SeifFormats

/// `seif verify FILE`: the strict check that binds writers.
struct VerifyCommand: Command {
  static let name = "verify"
  static let summary = "check a backup strictly, rule by rule"
  static let usage = """
    seif verify FILE [OPTIONS]

    Checks what a writer must keep: exactly the format's keys, numbers and lengths, and,
    with the passphrase, that it opens, that a wrong one doesn't, and that every entry can
    be used. `seif open` is more lenient. --no-passphrase checks only the outside.
    """
  static let outside = Option.flag("no-passphrase", "check only what can be checked without the passphrase")
  static var options: [Option] { [outside] + OpeningOptions.options + OutputOptions.options }

  private let file: String
  private let outside: Bool
  private let opening: OpeningOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    file = try arguments.positional("FILE")
    outside = arguments.flag(Self.outside)
    opening = try OpeningOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let input = FormatInput(try InputFile.read(file, context))
    let header: any BackupFile
    do throws(FormatError) {
      header = try FormatRegistry.read(input, options: opening.reading)
    } catch {
      throw CommandFailure(error, file: BackupOpening.shown(file))
    }
    var findings: [VerificationFinding]
    if outside || !header.header.isSealed {
      findings = StrictVerification.verify(input, passphrase: nil, options: opening.reading)
    } else {
      findings = []
      for attempt in 1...3 {
        let passphrase = try opening.passphrase.read(for: BackupOpening.shown(file), context)
        findings = StrictVerification.verify(input, passphrase: passphrase.duplicate(), options: opening.reading)
        // A typing mistake looks like a damaged file; a person may look again at what they typed.
        guard attempt < 3, opening.passphrase == .person, !Self.opens(findings) else { break }
        context.talk.fail(CommandFailure(FormatError.cannotOpen, file: BackupOpening.shown(file)))
      }
    }
    if output.json {
      try context.output.writeLine(json: document(findings))
    } else {
      for finding in findings {
        let sign: String
        switch finding.outcome {
        case .ok: sign = Sign.ok.text(context.output.style)
        case .fault: sign = Sign.fail.text(context.output.style)
        case .notChecked: sign = "-"
        }
        try context.output.writeLine("\(sign) \(finding.rule)  \(Display.cleaned(finding.text))", indent: 4)
      }
      try context.output.flush()
    }
    let faults = findings.count { $0.outcome == .fault }
    guard faults > 0 else {
      context.talk.say(.ok, "\(BackupOpening.shown(file)) keeps every rule that was checked.")
      return .done
    }
    let rules = findings.count == 1 ? "1 rule" : "\(findings.count) rules"
    let verb = faults == 1 ? "isn't" : "aren't"
    if !Self.opens(findings) {
      context.talk.warn("the passphrase is wrong or the file is damaged; which of the two can't be told")
      return .checkFailed
    }
    context.talk.warn("\(faults) of \(rules) \(verb) kept; the file may open all the same: seif open")
    return .checkFailed
  }

  private static func opens(_ findings: [VerificationFinding]) -> Bool {
    !findings.contains { $0.rule == "opens" && $0.outcome == .fault }
  }

  private func document(_ findings: [VerificationFinding]) -> SecretValue {
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema("seif-verify", 1)
    writer.member("ok", !findings.contains { $0.outcome == .fault })
    writer.key("findings")
    writer.beginArray()
    for finding in findings {
      writer.beginObject()
      writer.member("rule", finding.rule)
      writer.member("outcome", finding.outcome.rawValue)
      writer.member("text", finding.text)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return writer.finish()
  }
}
