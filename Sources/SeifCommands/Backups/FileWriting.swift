internal import SeifCommandLine
internal import CSeif
internal import Glibc
internal import SeifBytes
internal import SeifCrypto
internal import SeifFormats
internal import SeifRecords

/// Options of the commands that write a file of some format.
struct TargetOptions: OptionGroup, Sendable {
  static let to = Option.value("to", "FORMAT", "the format to write (see: seif formats)")
  static let formatVersion = Option.value("format-version", "N", "a version of it other than the usual one")
  static let strict = Option.flag("strict", "refuse if anything would be lost")
  static var options: [Option] { [to, formatVersion, strict] + WriteOptions.options + NewPassphraseOptions.options }

  let writer: any BackupWriter
  let strict: Bool
  let write: WriteOptions
  let newPassphrase: NewPassphraseOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    let name = try arguments.required(Self.to)
    let version = try arguments.integer(Self.formatVersion, in: 1...100)
    let names = FormatIdentifier.allCases.filter { FormatRegistry.writer(for: $0) != nil }.map(\.rawValue)
    guard let identifier = FormatIdentifier(rawValue: name), names.contains(name) else {
      let guess = Suggestion.nearest(to: name, among: names).map { ". Did you mean \($0)?" } ?? ""
      throw UsageError("--to takes one of: \(names.joined(separator: ", "))\(guess)")
    }
    guard let writer = FormatRegistry.writer(for: identifier, version: version) else {
      throw UsageError("\(name) isn't written in version \(version ?? 0)")
    }
    self.writer = writer
    strict = arguments.flag(Self.strict)
    write = try WriteOptions(&arguments)
    newPassphrase = try NewPassphraseOptions(&arguments)
  }
}

/// Writes records into a file of some format for `convert` and `export`.
enum FileWriting {
  /// Names what the target can't hold; with `--strict` that is the end.
  static func settleLosses(
    _ records: Records, _ target: TargetOptions, _ context: Context
  ) throws(CommandFailure) -> LossReport {
    let losses = LossReport(target.writer.losses(of: records), of: records)
    guard !losses.isEmpty else { return losses }
    let name = target.writer.identifier.rawValue
    losses.tell(format: name, context)
    if target.strict {
      throw CommandFailure(
        .badInput, "\(name) can't hold all of it", hint: "Nothing was written; leave out --strict to write the rest.",
        withheld: losses.lines)
    }
    return losses
  }

  /// Refuses an output that exists before anybody is asked for anything; whether it may be made is decided when it is.
  static func checkFree(_ target: TargetOptions) throws(CommandFailure) {
    guard let path = target.write.output, path != "-", !target.write.force else { return }
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    throw CommandFailure(.cannotCreate, "\(path) exists", hint: "Give another name, or --force to replace it.")
  }

  /// Says what goes where, and has a word typed.
  ///
  /// - Throws: exit 130 where it isn't.
  static func consent(
    _ written: Records, _ target: TargetOptions, _ context: Context
  ) throws(CommandFailure) {
    let what = RecordTables.summary(written, zeros: false)
    let place = BackupOpening.shown(output: target.write.output)
    let reader = target.writer.isSealed ? "" : " Anyone who gets that file can read it."
    let statement = "\(what), with every secret, will be written to \(place)." + reader
    guard try context.confirm(typing: "export", statement, insteadGive: "--yes") else {
      throw CommandFailure(.interrupted, "nothing was written", hint: "The word wasn't typed.")
    }
  }

  /// The complete file, its passphrase asked for if the format is sealed.
  static func seal(
    _ records: Records, _ target: TargetOptions, now: Timestamp, _ context: Context
  ) throws(CommandFailure) -> SecretValue {
    let options = WritingOptions(exportedAt: now)
    do throws(FormatError) {
      guard target.writer.isSealed else { return try target.writer.write(records, options: options, passphrase: nil) }
    } catch {
      throw CommandFailure(error, file: "the new file")
    }
    if target.writer.identifier == .twofac {
      context.talk.warn("TwoFac guards its files with 200 rounds only: choose a passphrase that holds by itself")
      context.talk.warn("issuers and account names stand in it in clear")
    }
    let isPerson = target.newPassphrase.source == .person
    let guesses = GuessingCost(of: target.writer.identifier, version: target.writer.version)
    let random = RandomSource.system
    let passphrase = try target.newPassphrase.obtain(
      for: target.write.output == "-" ? "the new file" : BackupOpening.shown(output: target.write.output),
      guesses: guesses, context,
      random: isPerson ? { random.makeBytes($0) } : nil)
    do throws(FormatError) {
      return try target.writer.write(records, options: options, passphrase: passphrase.duplicate())
    } catch {
      throw CommandFailure(error, file: "the new file")
    }
  }
}

/// What a file was made of and what of it is lost, for `convert --json` and `export --json`.
enum WritingDocument {
  static func make(
    _ schema: String, _ target: TargetOptions, losses: LossReport, entries: Int, settingsLeftOut: Int? = nil,
    problems: [EntryProblem]
  ) -> SecretValue {
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema(schema, 1)
    writer.member("format", target.writer.identifier.rawValue)
    writer.member("formatVersion", target.writer.version)
    writer.member("sealed", target.writer.isSealed)
    writer.member("output", target.write.output ?? "-")
    writer.member("entries", entries)
    writer.member("written", losses.written.count)
    losses.write(&writer)
    if let settingsLeftOut { writer.member("settingsLeftOut", settingsLeftOut) }
    writer.problems(problems)
    writer.endObject()
    return writer.finish()
  }

  /// Two documents don't fit into one standard output.
  static func check(_ output: OutputOptions, _ target: TargetOptions) throws(UsageError) {
    if output.json, target.write.output == "-" {
      throw UsageError("--json and -o - both mean standard output: give -o FILE")
    }
  }
}
