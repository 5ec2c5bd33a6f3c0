import SeifCommandLine
import SeifBytes
import Testing

@testable import SeifCommands

/// From arguments to exit code and text.
@Suite struct ProgramTests {
  struct Show: Command {
    static let name = "show"
    static let summary = "shows a thing"
    static let usage = """
      seif show THING [OPTIONS]

      Shows a thing. A thing that isn't there is exit 66.
      """
    static let options = OutputOptions.options + ClockOptions.options
    let thing: String
    let clock: ClockOptions

    init(_ arguments: inout ParsedArguments) throws(UsageError) {
      thing = try arguments.positional("THING")
      clock = try ClockOptions(&arguments)
    }

    func run(_ context: Context) throws -> ExitCode {
      struct Unknown: Error { let secret = "hunter2" }
      switch thing {
      case "missing": throw CommandFailure(.notFound, "there is no \(thing)\u{1B}[2J", hint: "Look.", details: ["a\nb"])
      case "defect": throw Unknown()
      case "partly":
        context.talk.say("some were left out")
        context.talk.warn("one was lost")
        return .partial
      default:
        try context.output.writeLine("\(thing) \(clock.clock(context).now())")
        return .done
      }
    }
  }

  struct Create: Command {
    static let name = "backup create"
    static let summary = "makes a backup"
    static let usage = "seif backup create"
    static let options: [Option] = []
    init(_ arguments: inout ParsedArguments) throws(UsageError) {}
    func run(_ context: Context) throws -> ExitCode {
      var writer = JSONWriter()
      writer.beginObject()
      writer.key("made")
      writer.bool(true)
      writer.endObject()
      try context.output.writeLine(json: writer.finish())
      return .done
    }
  }

  static var commands: [any Command.Type] { [Show.self, Create.self] }

  private func run(_ words: String...) throws -> (code: ExitCode, output: String, errors: String) {
    let world = try World(clock: .fixed(at: 1000))
    let code = Program.run(words, world.context, commands: Self.commands)
    return (code, world.output, world.errors)
  }

  @Test func dataGoToStandardOutputAndNothingElse() throws {
    let result = try run("show", "it")
    #expect(result == (.done, "it 1000\n", ""))
    #expect(try run("show", "it", "--at", "2000").output == "it 2000\n")
    #expect(try run("backup", "create") == (.done, "{\"made\":true}\n", ""))
  }

  @Test func aFailureIsOneLineWithNamesCleaned() throws {
    let result = try run("show", "missing")
    #expect(result == (.notFound, "", "seif: there is no missing\u{FFFD}[2J. Look.\n  a\u{FFFD}b\n"))
  }

  @Test func anUnknownErrorShowsItsTypeAndNothingItHolds() throws {
    let result = try run("show", "defect")
    #expect(result.code == .ioFailed)
    #expect(result.errors.contains("Unknown"))
    #expect(!result.errors.contains("hunter2"))
  }

  @Test func quietKeepsWarningsOnly() throws {
    #expect(try run("show", "partly") == (.partial, "", "some were left out\n! one was lost\n"))
    #expect(try run("show", "partly", "--quiet") == (.partial, "", "! one was lost\n"))
  }

  @Test func wrongUseShowsTheUsageLineAndWhereToReadMore() throws {
    let more = "usage: seif show THING [OPTIONS]\nMore: seif help show\n"
    #expect(try run("show") == (.usage, "", "seif: THING is missing.\n" + more))
    #expect(try run("show", "a", "b") == (.usage, "", "seif: there is an argument too many: b.\n" + more))
    #expect(try run("show", "--jsno") == (.usage, "", "seif: there is no option --jsno. Did you mean --json?\n" + more))
    #expect(try run("show", "it", "--at", "now").code == .usage)
  }

  @Test func unknownCommandsGetASuggestion() throws {
    #expect(try run("shwo").errors == "seif: there is no command \"shwo\". Did you mean: seif show\n")
    #expect(try run("bakcup", "create").errors == "seif: there is no command \"bakcup\". Did you mean: seif backup\n")
    #expect(try run("backup", "craete").errors.hasSuffix("Did you mean: seif backup create\n"))
    #expect(try run("frobnicate") == (.usage, "", "seif: there is no command \"frobnicate\". Try: seif help\n"))
    #expect(try run("--quiet", "show").code == .usage)
    #expect(try run("backup").code == .usage)
    #expect(try run("backup").errors.contains("  seif backup create\n"))
  }

  @Test func helpIsOnStandardOutputAndTheSameBothWays() throws {
    let page = try run("show", "--help")
    #expect(page.code == .done)
    #expect(try run("help", "show") == page)
    #expect(try run("show", "it", "-h") == page)
    #expect(
      page.output == """
        seif show THING [OPTIONS]

        Shows a thing. A thing that isn't there is exit 66.

        Options:
          --json             one JSON document on stdout
          --quiet            say only what failed or was lost
          --at UNIX-SECONDS  show codes as of this moment

        """)
    #expect(try run("help").output.contains("  backup create  makes a backup\n"))
    #expect(try run("--help") == run("help"))
    #expect(try run("help", "backup") == run("backup", "--help"))
    #expect(try run("help", "nonsense").code == .usage)
    #expect(try run() == (.usage, "", Help.overview(Self.commands) + "\n"))
  }

  @Test func theVersionIsOneLine() throws {
    #expect(try run("--version").output == "seif \(Version.number)\n")
    let json = try run("--version", "--json").output
    #expect(json.hasPrefix("{\"schema\":\"seif-version\",\"version\":1,\"seif\":\"\(Version.number)\""))
    #expect(throws: Never.self) {
      try JSONDocument(parsing: SecretValue(utf8: json), policy: .strict)
    }
  }

  @Test func aReaderThatWentAwayEndsItQuietly() throws {
    // The reader is gone by the time the writer begins.
    let command = "{ sleep 0.5; \(Terminal.probe) help; echo $? >&2; } | true"
    let result = try Terminal(["-c", command], program: "/bin/sh", hasTerminal: false).finish()
    #expect(result.errors == "74\n")
  }

  @Test func everyCommandOfTheTableHasAPageThatBeginsWithItsName() {
    for command in CommandTable.all {
      #expect(command.usageLine.hasPrefix("seif \(command.name)"))
      #expect(!command.summary.hasSuffix("."))
      #expect(Set(command.options.map { $0.name }).count == command.options.count, "\(command.name)")
      #expect(Help.page(command).split(separator: "\n").allSatisfy { $0.count <= 120 }, "\(command.name)")
    }
    #expect(Set(CommandTable.all.map { $0.name }).count == CommandTable.all.count)
  }

  @Test func exitCodesAreTheContract() {
    #expect(ExitCode.allCases.map(\.rawValue) == [0, 1, 2, 64, 65, 66, 69, 70, 73, 74, 75, 76, 77, 130])
  }

  // MARK: - Where the vault is

  private func vault(_ words: [String], _ environment: [String: String]) throws -> String? {
    var arguments = try ArgumentParser.parse(words, options: VaultOptions.options)
    return try? VaultOptions(&arguments).folder(Environment(environment))
  }

  @Test func theVaultIsWhereTheOptionThenTheVariableThenXDGSays() throws {
    var environment = ["HOME": "/home/a"]
    #expect(try vault([], environment) == "/home/a/.local/share/seif")
    environment["XDG_DATA_HOME"] = "relative"
    #expect(try vault([], environment) == "/home/a/.local/share/seif")
    environment["XDG_DATA_HOME"] = "/data"
    #expect(try vault([], environment) == "/data/seif")
    environment["SEIF_VAULT"] = "/v"
    #expect(try vault([], environment) == "/v")
    #expect(try vault(["--vault", "here"], environment) == "here")
    #expect(try vault([], [:]) == nil)
  }
}
