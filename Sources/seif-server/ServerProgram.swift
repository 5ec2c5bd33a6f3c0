internal import Glibc
internal import SeifBytes
internal import SeifCommandLine
internal import SeifServerCommands
internal import Synchronization

/// One run of `seif-server`, from arguments to exit code. `seif serve …` becomes it with its own arguments.
enum ServerProgram {
  static func main() -> Never {
    let arguments = Array(CommandLine.arguments.dropFirst())
    Hardening.apply()
    let environment = Environment.current()
    CommandWords.names.withLock { $0 = { ServerCommandTable.all.map { $0.name } } }
    let output = Output(descriptor: 1, style: TerminalStyle(descriptor: 1, environment: environment))
    let talk = Talk(descriptor: 2, style: TerminalStyle(descriptor: 2, environment: environment))
    let run = ServerRun(output: output, talk: talk, environment: environment)
    var code = ExitCode.done
    do {
      code = try dispatch(arguments, run)
      try output.flush()
    } catch {
      try? output.flush()
      let failure = CommandFailure(describing: error)
      FailureReport.tell(failure, arguments, output, talk)
      code = failure.exitCode
    }
    exit(code.rawValue)
  }

  private static func dispatch(_ arguments: [String], _ run: ServerRun) throws -> ExitCode {
    if arguments.first == "--version" {
      try run.output.writeLine(Version.line)
      return .done
    }
    let asksForHelp = arguments.prefix(while: { $0 != "--" }).contains { ["help", "--help", "-h"].contains($0) }
    let words = arguments.filter { !["help", "--help", "-h"].contains($0) }
    switch CommandMatch(words, in: ServerCommandTable.all, name: { $0.name }) {
    case .command(let command, let rest):
      if asksForHelp {
        try run.output.write(help: HelpPage.text(command))
        return .done
      }
      let instance: any CommandDeclaration
      do throws(UsageError) {
        var parsed = try ArgumentParser.parse(rest, options: command.options)
        run.talk.isQuiet = parsed.isGiven(OutputOptions.quiet)
        instance = try command.init(&parsed)
        try parsed.finish()
      } catch {
        FailureReport.tell(wrongUse: error, of: command, rest, run.output, run.talk)
        return .usage
      }
      return try perform(instance, run)
    case .group, .nothing, .unknown:
      let list = HelpPage.columns(ServerCommandTable.all.map { ($0.name, $0.summary) })
      if asksForHelp {
        try run.output.write(help: list)
        return .done
      }
      throw CommandFailure(
        .usage, "there is no such command of seif-server", hint: "One of:",
        details: ServerCommandTable.all.map { "seif \($0.name)" })
    }
  }

  private static func perform(_ command: any CommandDeclaration, _ run: ServerRun) throws -> ExitCode {
    switch command {
    case let command as ServeCommand: try run.serve(command)
    case let command as ServeUserAddCommand: try run.add(command)
    case let command as ServeUserListCommand: try run.list(command)
    case let command as ServeUserDisableCommand: try run.disable(command)
    case let command as ServeUserResetCommand: try run.reset(command)
    case let command as ServeUserQuotaCommand: try run.quota(command)
    case let command as ServeUserRemoveCommand: try run.remove(command)
    case let command as ServeBackupCommand: try run.backup(command)
    case let command as ServeCheckCommand: try run.check(command)
    default: throw CommandFailure(.internalFault, "a command isn't known to its own program")
    }
  }
}

/// What a command of the server's may touch: its output, the person, the environment.
struct ServerRun {
  let output: Output
  let talk: Talk
  let environment: Environment
}
