package import SeifCommandLine

/// A command: parse, call, print.
///
/// A type becomes a command by one line in ``CommandTable``. Its initialiser takes what it needs out of the arguments and
/// checks it; ``run(_:)`` does the work. Anything left over in the arguments is a usage fault found by the framework.
package protocol Command: CommandDeclaration {
  /// Does it. Throws ``CommandFailure``, a ``CommandFailureConvertible``, or (a defect) anything else.
  func run(_ context: Context) throws -> ExitCode
}
