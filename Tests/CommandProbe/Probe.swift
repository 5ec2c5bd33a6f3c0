import SeifCommandLine
import SeifBytes
import SeifCommands

// Commands for the tests of the framework, run as `seif` would run its own.

@main
struct Probe {
  static func main() { Program.main(commands: [Ask.self, Confirm.self, New.self, Write.self]) }
}

/// Prints the passphrase it was given in hexadecimal, on stdout and nothing else.
struct Ask: Command {
  static let name = "ask"
  static let summary = "asks"
  static let usage = "probe ask [OPTIONS]"
  static let options = PassphraseOptions.options + VaultPassphraseOptions.options
  let passphrase: PassphraseSource
  let vault: PassphraseSource?

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    passphrase = try PassphraseOptions(&arguments).source
    vault = arguments.isGiven(VaultPassphraseOptions.fd) ? try VaultPassphraseOptions(&arguments).source : nil
  }

  func run(_ context: Context) throws -> ExitCode {
    try context.output.writeLine(hexadecimal(try passphrase.read(for: "phone.authbackup", context)))
    if let vault { try context.output.writeLine(hexadecimal(try vault.read(for: "the vault", context))) }
    return .done
  }
}

struct Confirm: Command {
  static let name = "confirm"
  static let summary = "confirms"
  static let usage = "probe confirm [OPTIONS]"
  static let options: [Option] = []
  init(_ arguments: inout ParsedArguments) throws(UsageError) {}

  func run(_ context: Context) throws -> ExitCode {
    let answer = try context.confirm("Go on?", insteadGive: "--yes")
    try context.output.writeLine(answer ? "yes" : "no")
    return answer ? .done : .checkFailed
  }
}

struct New: Command {
  static let name = "new"
  static let summary = "takes a new passphrase"
  static let usage = "probe new [OPTIONS]"
  static let options = NewPassphraseOptions.options
  let new: NewPassphraseOptions
  init(_ arguments: inout ParsedArguments) throws(UsageError) { new = try NewPassphraseOptions(&arguments) }

  func run(_ context: Context) throws -> ExitCode {
    let passphrase = try new.obtain(for: "new.authbackup", guesses: GuessingCost(perSecond: 5), context) { byteCount in
      // The tests know what comes.
      [UInt8](repeating: 0, count: byteCount)
    }
    try context.output.writeLine(hexadecimal(passphrase))
    return .done
  }
}

/// Writes a megabyte in two halves; with `--wait` it says so after the first and waits to be ended.
struct Write: Command {
  static let wait = Option.flag("wait", "wait half-way")
  static let name = "write"
  static let summary = "writes"
  static let usage = "probe write -o OUT [OPTIONS]"
  static let options = WriteOptions.options + [wait]
  let write: WriteOptions
  let path: String
  let waits: Bool
  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    write = try WriteOptions(&arguments)
    path = try arguments.required(WriteOptions.output)
    waits = arguments.flag(Self.wait)
  }

  func run(_ context: Context) throws -> ExitCode {
    let half = [UInt8](repeating: 0x5A, count: 512 * 1024)
    var file = try OutputFile(path, replacing: write.force)
    try file.write(half.span.bytes)
    if waits {
      context.talk.say("waiting")
      _ = try InputFile.read("-", context)
    }
    try file.write(half.span.bytes)
    try file.commit()
    return .done
  }
}

private func hexadecimal(_ bytes: borrowing SecretBytes) -> String {
  let digits = Array("0123456789abcdef")
  return bytes.withBytes { span in
    span.withUnsafeBytes { $0.reduce(into: "") { $0 += [digits[Int($1 >> 4)], digits[Int($1 & 15)]] } }
  }
}
