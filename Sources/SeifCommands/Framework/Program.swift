package import SeifCommandLine
internal import Glibc
package import SeifBackups
package import SeifDocuments
internal import SeifImages
internal import SeifClipboard

/// One run of `seif`, from arguments to exit code.
package enum Program {
  /// The whole process: hardens it, runs the command, exits.
  package static func main(
    _ arguments: [String] = Array(CommandLine.arguments.dropFirst()), commands: [any Command.Type] = CommandTable.all,
    transports: [TransportKind] = [], servers: (any DocumentServers)? = nil
  ) -> Never {
    if arguments == ["--version"] {
      // Nothing is loaded or set up to say a version: scripts ask for it often.
      let text = Version.line + "\n"
      let code = text.utf8CString.withUnsafeBytes { Glibc.write(1, $0.baseAddress, $0.count - 1) }
      Glibc._exit(code == text.utf8.count ? 0 : ExitCode.ioFailed.rawValue)
    }
    ServerProgram.replace(arguments)
    if transports.isEmpty { NetworkProgram.replace(arguments) }
    Hardening.apply()
    // Before any thread is started: the walls are put around the only one.
    if arguments == [PictureReader.argument] { PictureReader.main() }
    if ClipboardOwner.isCalled(arguments) { ClipboardOwner.main() }
    // A code from the agent comes before a person could press a key; what asks or waits starts to wait for signals itself.
    if arguments.first != CodeCommand.name { Interrupts.start() }
    let code = run(arguments, Context.current(transports: transports, servers: servers), commands: commands)
    Glibc.exit(code.rawValue)
  }

  /// Runs a command in a context; what it wrote has been handed over when this returns.
  package static func run(
    _ arguments: [String], _ context: Context, commands: [any Command.Type] = CommandTable.all
  ) -> ExitCode {
    defer { context.hiddenInput.end() }
    do {
      let code = try dispatch(arguments, context, commands)
      try context.output.flush()
      return code
    } catch {
      // What was said so far comes before the reason it stops.
      try? context.output.flush()
      let failure = CommandFailure(describing: error)
      FailureReport.tell(failure, arguments, context.output, context.talk)
      return failure.exitCode
    }
  }

  private static func dispatch(
    _ arguments: [String], _ context: Context, _ commands: [any Command.Type]
  ) throws -> ExitCode {
    switch arguments.first {
    case "--version":
      try context.output.write(Version.text(json: arguments.dropFirst().contains("--json")))
      return .done
    case "help", "--help", "-h":
      try context.output.write(help: help(Array(arguments.dropFirst()), commands))
      return .done
    case Completions.word:
      let words = Array(arguments.dropFirst())
      let completions = Completions(commands) { CompletionEntries.all(for: $0, words, context) }
      try context.output.write(completions.text(words))
      return .done
    case ManPage.word:
      try context.output.write(ManPage.text(Array(arguments.dropFirst()), commands))
      return .done
    default: break
    }
    switch CommandMatch(arguments, in: commands, name: { $0.name }) {
    case .unknown(ProveCommand.name):
      return try run(ProveCommand.self, Array(arguments.dropFirst()), context)
    case .unknown(TransportHelperCommand.name):
      return try run(TransportHelperCommand.self, Array(arguments.dropFirst()), context)
    case .nothing:
      context.talk.line(HelpLayout.fitted(Help.overview(commands), context.talk.style))
      return .usage
    case .command(let command, let rest):
      return try run(command, rest, context)
    case .group(let word, let group, let second):
      if second == "--help" || second == "-h" {
        try context.output.write(help: Help.group(word, group))
        return .done
      }
      throw unknown(second.map { "\(word) \($0)" } ?? word, isGroup: second == nil, group)
    case .unknown(let word):
      if word.hasPrefix("-") { throw CommandFailure(.usage, "a command comes first", hint: "Try: seif help") }
      throw unknown(word, isGroup: false, commands)
    }
  }

  private static func run(
    _ command: any Command.Type, _ arguments: [String], _ context: Context
  ) throws -> ExitCode {
    if arguments.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
      try context.output.write(help: Help.page(command))
      return .done
    }
    let instance: any Command
    do throws(UsageError) {
      var parsed = try ArgumentParser.parse(arguments, options: command.options)
      context.talk.isQuiet = parsed.isGiven(OutputOptions.quiet)
      instance = try command.init(&parsed)
      try parsed.finish()
    } catch {
      FailureReport.tell(wrongUse: error, of: command, arguments, context.output, context.talk)
      return .usage
    }
    return try instance.run(context)
  }

  private static func help(_ words: [String], _ commands: [any Command.Type]) throws -> String {
    switch CommandMatch(words, in: commands, name: { $0.name }) {
    case .nothing: return Help.overview(commands)
    case .command(let command, _): return Help.page(command)
    case .group(let word, let group, _): return Help.group(word, group)
    case .unknown(let word): throw unknown(word, isGroup: false, commands)
    }
  }

  private static func unknown(_ typed: String, isGroup: Bool, _ commands: [any Command.Type]) -> CommandFailure {
    if isGroup {
      let names = commands.map { "seif \($0.name)" }
      return CommandFailure(.usage, "seif \(typed) needs a second word", hint: "One of:", details: names)
    }
    // First words too, so that "bakcup create" finds its way.
    let words = commands.map { $0.name } + commands.compactMap { $0.name.split(separator: " ").first.map(String.init) }
    let guess = OtherWords.command(for: typed, among: words) ?? Suggestion.nearest(to: typed, among: words)
    if typed.lowercased() == "restore" {
      // What is meant is a backup, more often than the bin.
      return CommandFailure(
        .usage, "there is no command \"restore\"",
        hint: "A backup: seif import FILE (seif open FILE shows it). From the bin: seif bin restore QUERY")
    }
    return CommandFailure(
      .usage, "there is no command \"\(typed.prefix(64))\"",
      hint: guess.map { "Did you mean: seif \($0)" } ?? "Try: seif help")
  }
}
