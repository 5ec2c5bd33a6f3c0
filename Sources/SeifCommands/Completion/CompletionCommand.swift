internal import SeifCommandLine

/// `seif completion SHELL`: the script that has a shell complete Seif's command lines.
struct CompletionCommand: Command {
  static let name = "completion"
  static let summary = "print the script that lets a shell complete commands"
  static let usage = """
    seif completion SHELL

    SHELL is bash, zsh or fish. Where Seif was installed the scripts are there already;
    else, for this session:

      bash  source <(seif completion bash)
      zsh   source <(seif completion zsh)
      fish  seif completion fish | source

    Commands, options and their values are completed. Names of entries are completed only
    while the vault is open, and nobody is ever asked for a passphrase by a press of a key.
    """
  static var options: [Option] { [] }

  private let shell: CompletionScript

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    let word = try arguments.positional("SHELL")
    guard let shell = CompletionScript(rawValue: word) else {
      throw UsageError("SHELL is one of: bash, zsh, fish")
    }
    self.shell = shell
  }

  func run(_ context: Context) throws -> ExitCode {
    try context.output.write(shell.text)
    return .done
  }
}
