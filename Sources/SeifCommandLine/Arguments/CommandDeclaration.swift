/// What is known of a command without running it.
package protocol CommandDeclaration {
  /// The words that call it: `open`, `backup create`.
  static var name: String { get }
  /// One line for the list of commands, without a full stop.
  static var summary: String { get }
  /// The help page above the list of options, one literal. Its first line is the usage line: `seif open FILE [OPTIONS]`.
  static var usage: String { get }
  /// Every option it takes, shared groups spliced in: `[output] + PassphraseOptions.options`.
  static var options: [Option] { get }

  init(_ arguments: inout ParsedArguments) throws(UsageError)
}

/// Options that several commands share, as a type.
package protocol OptionGroup {
  static var options: [Option] { get }
  init(_ arguments: inout ParsedArguments) throws(UsageError)
}

extension CommandDeclaration {
  /// The line shown after a usage fault.
  package static var usageLine: String {
    String(usage.prefix { $0 != "\n" })
  }
}
