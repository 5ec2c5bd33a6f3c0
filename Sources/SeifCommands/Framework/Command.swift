/// A command: parse, call, print.
///
/// A type becomes a command by one line in ``CommandTable``. Its initialiser takes what it needs out of the arguments and
/// checks it; ``run(_:)`` does the work. Anything left over in the arguments is a usage fault found by the framework.
package protocol Command {
  /// The words that call it: `open`, `backup create`.
  static var name: String { get }
  /// One line for the list of commands, without a full stop.
  static var summary: String { get }
  /// The help page above the list of options, one literal. Its first line is the usage line: `seif open FILE [OPTIONS]`.
  static var usage: String { get }
  /// Every option it takes, shared groups spliced in: `[output] + PassphraseOptions.options`.
  static var options: [Option] { get }

  init(_ arguments: inout ParsedArguments) throws(UsageError)

  /// Does it. Throws ``CommandFailure``, a ``CommandFailureConvertible``, or (a defect) anything else.
  func run(_ context: Context) throws -> ExitCode
}

/// Options that several commands share, as a type.
package protocol OptionGroup {
  static var options: [Option] { get }
  init(_ arguments: inout ParsedArguments) throws(UsageError)
}

extension Command {
  /// The line shown after a usage fault.
  package static var usageLine: String {
    String(usage.prefix { $0 != "\n" })
  }
}
