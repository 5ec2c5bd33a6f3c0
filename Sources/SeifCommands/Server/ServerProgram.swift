internal import Glibc
internal import SeifAgent
package import SeifCommandLine
package import SeifServerCommands

/// `seif-server`, which has the server and nothing of a vault: `seif serve` becomes it, with its arguments as they are.
enum ServerProgram {
  static let name = "seif-server"

  /// Becomes it if the arguments call it and it is there; else returns. Help is answered here.
  static func replace(_ arguments: [String]) {
    let words = arguments.prefix { $0 != "--" }
    guard words.first == ServeCommand.name, !words.contains("--help"), !words.contains("-h"),
      let path = SeifProgram.beside(name)
    else { return }
    execv(path, CommandLine.unsafeArgv)
  }
}

/// A command that the server's program does: here it has a name and help, and is reached only where that program isn't.
package protocol ServerProgramCommand: Command {}

extension ServerProgramCommand {
  package func run(_ context: Context) throws -> ExitCode {
    throw CommandFailure(
      .unavailable, "this needs the program \(ServerProgram.name), which isn't beside seif",
      hint: "Install both: make install")
  }
}

extension ServeCommand: ServerProgramCommand {}
extension ServeUserAddCommand: ServerProgramCommand {}
extension ServeUserListCommand: ServerProgramCommand {}
extension ServeUserDisableCommand: ServerProgramCommand {}
extension ServeUserResetCommand: ServerProgramCommand {}
extension ServeUserQuotaCommand: ServerProgramCommand {}
extension ServeUserRemoveCommand: ServerProgramCommand {}
extension ServeBackupCommand: ServerProgramCommand {}
extension ServeCheckCommand: ServerProgramCommand {}
