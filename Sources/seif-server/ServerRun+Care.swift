internal import SeifCommandLine
internal import SeifServerCommands

extension ServerRun {
  func backup(_ command: ServeBackupCommand) throws -> ExitCode { throw CommandFailure(.internalFault, "not yet") }
  func check(_ command: ServeCheckCommand) throws -> ExitCode { throw CommandFailure(.internalFault, "not yet") }
}
