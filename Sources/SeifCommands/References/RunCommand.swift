internal import SeifCommandLine
internal import Glibc
internal import SeifBytes

/// `seif run -- CMD`: a program with secrets in its environment, by reference.
struct RunCommand: Command {
  static let name = "run"
  static let summary = "run a program with secrets in its variables or descriptors"
  static let usage = """
    seif run [OPTIONS] -- CMD [ARGUMENT...]

    Starts CMD with every seif://ITEM/FIELD in the values of its variables resolved: as the
    whole value, or inside one as {{ seif://ITEM/FIELD }}. Nothing is started unless all of
    them have a value (66). The vault is locked again before CMD starts.

    A variable can be read by CMD, by what CMD starts, and by any program of yours while it
    runs. --fd hands a secret over a pipe instead: nothing stands in the environment, and
    once read it is gone.

    Secrets of 4 bytes or more are replaced by **** in what CMD writes to its standard
    output and standard error: these exact bytes, also across writes. Another encoding of
    them (base64, JSON escapes, reversed) isn't found, nor is what CMD writes elsewhere.

    Signals and the exit code are passed on: 128 + N where signal N ended CMD.
    """
  static let environmentFile = Option.value("env-file", "F", "read further variables from a file, KEY=VALUE a line")
  static let descriptor = Option.value(
    "fd", "N=REFERENCE", repeats: true, "hand the secret to CMD by descriptor N; may be given several times")
  static let noMasking = Option.flag("no-masking", "leave what CMD writes as it is")
  static var options: [Option] {
    [environmentFile, descriptor, noMasking] + UnlockOptions.options + [OutputOptions.quiet]
  }

  private let words: [String]
  private let file: String?
  private let handed: [DescriptorReference]
  private let masks: Bool
  private let unlock: UnlockOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    guard let words = arguments.takeAfterSeparator(), !words.isEmpty else {
      throw UsageError("the program stands after --: seif run -- CMD")
    }
    self.words = words
    file = arguments.value(Self.environmentFile)
    var handed: [DescriptorReference] = []
    for text in arguments.values(Self.descriptor) { handed.append(try DescriptorReference(text)) }
    guard Set(handed.map(\.number)).count == handed.count else {
      throw UsageError("--fd has one number twice")
    }
    self.handed = handed
    masks = !arguments.flag(Self.noMasking)
    unlock = try UnlockOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let path = try ChildProgram.find(words[0], context.environment)
    let given = try file.map { (file) throws(CommandFailure) in try EnvironmentFile.read(file, context) } ?? []
    let plan = try EnvironmentPlan(inherited: EnvironmentPlan.inherited(), given: given)
    let values = try ReferenceValues(
      plan.references + handed.map(\.reference), unlock: unlock, otherwise: "Nothing was started.", context)
    let program = ChildProgram(
      path: path, words: words, environment: try plan.block(values),
      handed: try HandedSecrets(handed.map { ($0.number, values[$0.reference]) }))
    // The program finds the terminal as it was before anybody typed a passphrase.
    context.hiddenInput.end()
    let secrets = values.secrets.flatMap(Self.spellings)
    guard masks, !secrets.isEmpty else { throw program.replaceThisProcess() }
    let short = secrets.count { $0.byteCount < OutputMask.shortestNeedle }
    if short > 0 {
      context.talk.warn("secrets of fewer than \(OutputMask.shortestNeedle) bytes aren't masked (here: \(short))")
    }
    try context.output.flush()
    Glibc.exit(try SupervisedRun(program, masking: secrets).finish())
  }

  /// The bytes to mask: without line ends behind them, and with those of a terminal between them.
  private static func spellings(_ secret: SecretValue) -> [SecretValue] {
    secret.withBytes { bytes in
      bytes.withUnsafeBytes { buffer in
        var count = buffer.count
        while count > 0, buffer[count - 1] == 0x0A || buffer[count - 1] == 0x0D { count -= 1 }
        let trimmed = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        guard count > 0 else { return [] }
        guard trimmed.contains(0x0A) else { return [SecretValue(copying: trimmed.bytes)] }
        var onTerminal = SecretBuffer(capacity: count + 16)
        for byte in trimmed {
          if byte == 0x0A { onTerminal.append(0x0D) }
          onTerminal.append(byte)
        }
        return [SecretValue(copying: trimmed.bytes), onTerminal.finish()]
      }
    }
  }
}
