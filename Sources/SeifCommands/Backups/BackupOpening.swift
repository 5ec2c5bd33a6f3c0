internal import SeifCommandLine
internal import SeifBytes
internal import SeifFormats
internal import SeifRecords
internal import SeifVault

/// Options of every command that opens a file: whose passphrase, which format, and whether costs above the limits are
/// allowed.
struct OpeningOptions: OptionGroup, Sendable {
  static let format = Option.value("format", "FORMAT", "read the file as this format, where it could be several")
  static let allowCost = Option.flag("allow-cost", "open a file that asks for more time or memory than the limits")
  static var options: [Option] { PassphraseOptions.options + [format, allowCost] }

  let passphrase: PassphraseSource
  let reading: ReadingOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    passphrase = try PassphraseOptions(&arguments).source
    reading = try Self.reading(arguments)
  }

  /// As a person opens a file who gives no options.
  static let person = OpeningOptions(passphrase: .person, reading: .withSnapshots)

  private init(passphrase: PassphraseSource, reading: ReadingOptions) {
    self.passphrase = passphrase
    self.reading = reading
  }

  /// The formats of every module, and what the options say of them.
  static func reading(_ arguments: ParsedArguments) throws(UsageError) -> ReadingOptions {
    var reading = arguments.flag(allowCost) ? ReadingOptions.raised : .standard
    reading.format = try arguments.choice(format)
    reading.further = [SnapshotFormat()]
    return reading
  }
}

extension ReadingOptions {
  fileprivate static var withSnapshots: ReadingOptions {
    var reading = ReadingOptions.standard
    reading.further = [SnapshotFormat()]
    return reading
  }
}

/// Opens files of any known format for the commands.
enum BackupOpening {
  /// Tries a person has with the passphrase.
  private static let tries = 3

  /// The header of a file, everything decided that can be without a passphrase.
  static func readHeader(
    _ path: String, _ options: OpeningOptions, _ context: Context
  ) throws(CommandFailure) -> any BackupFile {
    let input = FormatInput(try InputFile.read(path, context))
    do throws(FormatError) {
      return try FormatRegistry.read(input, options: options.reading)
    } catch {
      throw CommandFailure(error, file: shown(path))
    }
  }

  /// The contents of a file; asks for the passphrase only if the header is sound.
  static func open(
    _ path: String, _ options: OpeningOptions, _ context: Context
  ) throws(CommandFailure) -> OpenedBackup {
    try open(try readHeader(path, options, context), path, options, context)
  }

  /// The contents of a file whose header was read.
  static func open(
    _ file: any BackupFile, _ path: String, _ options: OpeningOptions, _ context: Context
  ) throws(CommandFailure) -> OpenedBackup {
    try open(file, shown: shown(path), options, context)
  }

  /// The same of a file that is called `name` in messages.
  ///
  /// - Parameter keep: gets each passphrase that is given, before it is tried.
  static func open(
    _ file: any BackupFile, shown name: String, _ options: OpeningOptions, _ context: Context,
    keep: (borrowing SecretBytes) -> Void = { _ in }
  ) throws(CommandFailure) -> OpenedBackup {
    guard file.header.isSealed else {
      do throws(FormatError) {
        return try file.open(passphrase: nil)
      } catch {
        throw CommandFailure(error, file: name)
      }
    }
    let isPerson = options.passphrase == .person
    var failure = CommandFailure(.cannotOpen, file: name)
    for attempt in 1...tries {
      let passphrase = try options.passphrase.read(for: name, context)
      keep(passphrase)
      do throws(FormatError) {
        return try file.openTryingForms(passphrase: passphrase.duplicate())
      } catch {
        failure = CommandFailure(error, file: name)
        guard error == .cannotOpen, isPerson, attempt < tries else { throw failure }
      }
      context.talk.fail(failure)
    }
    throw failure
  }

  /// Says what can't be used, each by place and reason.
  static func report(_ backup: OpenedBackup, _ context: Context) {
    for notice in backup.notices { context.talk.say(.warn, notice) }
    for problem in backup.problems {
      let place = problem.list + (problem.index.map { " \($0 + 1)" } ?? "")
      let what = problem.field.map { "its \($0) can't be used" } ?? "can't be used"
      context.talk.warn("\(place): \(what) (\(problem.reason))")
    }
    let unusable = backup.records.unusable.count
    if unusable > 0 {
      let all = backup.records.count + unusable
      context.talk.always("Done, but not all: \(unusable) of \(all) entries couldn't be used. They're listed above.")
    }
  }

  /// How a file that is read is called in messages.
  static func shown(_ path: String) -> String {
    path == "-" ? "standard input" : path
  }

  /// How a file that is written is called.
  static func shown(output path: String?) -> String {
    guard let path, path != "-" else { return "standard output" }
    return path
  }
}
