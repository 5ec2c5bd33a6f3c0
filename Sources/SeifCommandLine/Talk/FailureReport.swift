/// Why a run stops, for a person and for a program.
package enum FailureReport {
  /// Says it in words, and with `--json` as a document too, unless data were written already.
  package static func tell(_ failure: CommandFailure, _ arguments: [String], _ output: Output, _ talk: Talk) {
    if !failure.isSilent, !output.isBegun, arguments.prefix(while: { $0 != "--" }).contains("--json") {
      // A standard output that can't be written to is no news by now.
      try? output.writeLine(json: failure.document)
      try? output.flush()
    }
    talk.fail(failure)
  }

  /// Wrong use: also how a command is used, and where to read more.
  package static func tell(
    wrongUse error: UsageError, of command: any CommandDeclaration.Type, _ arguments: [String], _ output: Output,
    _ talk: Talk
  ) {
    tell(CommandFailure(.usage, error.message, hint: nil), arguments, output, talk)
    talk.line("usage: \(command.usageLine)")
    talk.line("More: seif help \(command.name)")
  }
}
