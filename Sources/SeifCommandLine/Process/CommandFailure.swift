package import SeifBytes

/// Why a command stops: an exit code, and one or two sentences for a person.
///
/// Printed as `seif: what. What to do.` on stderr. The text may hold names (of files, items, options), which are cleaned
/// when they are printed; it never holds a secret, a part of one, or its length.
package struct CommandFailure: Error, Equatable, Sendable {
  package let exitCode: ExitCode
  /// What happened, without a full stop at the end.
  package let what: String
  /// What to do about it, a whole sentence.
  package let hint: String?
  /// Lines printed indented below the message, such as the items that a query fits.
  package let details: [String]
  /// More of it that was said before, for programs that read only the document.
  package let withheld: [String]
  /// Set where the reader of our output went away: nobody is left to read a message.
  package let isSilent: Bool

  package init(
    _ exitCode: ExitCode, _ what: String, hint: String? = nil, details: [String] = [], withheld: [String] = [],
    isSilent: Bool = false
  ) {
    self.exitCode = exitCode
    self.what = what
    self.hint = hint
    self.details = details
    self.withheld = withheld
    self.isSilent = isSilent
  }

  /// The lines for stderr, every name in them cleaned.
  package var lines: [String] {
    if isSilent { return [] }
    var message = "seif: " + Display.cleaned(what)
    if let last = message.last, !".?!:".contains(last) { message += "." }
    if let hint { message += " " + Display.cleaned(hint) }
    return [message] + details.map { "  " + Display.cleaned($0) }
  }
}

extension CommandFailure {
  /// The document that `--json` gives in place of the one that was asked for: schema `seif-error`.
  package var document: SecretValue {
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema("seif-error", 1)
    writer.key("error")
    writer.beginObject()
    writer.member("code", exitCode.word)
    writer.member("exit", Int(exitCode.rawValue))
    writer.member("what", what)
    if let hint { writer.member("next", hint) }
    if !(details + withheld).isEmpty { writer.member("details", details + withheld) }
    writer.endObject()
    writer.endObject()
    return writer.finish()
  }
}

/// An error of another module that knows its exit code and words.
///
/// A command may throw any error. What isn't a ``CommandFailure`` and doesn't conform to this is printed by the name of
/// its type alone, since nobody has checked what its description may show.
package protocol CommandFailureConvertible: Error {
  var commandFailure: CommandFailure { get }
}

extension CommandFailure {
  /// The failure for any error that left a command.
  package init(describing error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let convertible as any CommandFailureConvertible: self = convertible.commandFailure
    case let usage as UsageError: self = .init(.usage, usage.message)
    default:
      self = .init(
        .ioFailed, "something went wrong inside (\(type(of: error)))",
        hint: "Nothing of your data is shown here; tell the people who make Seif this name.")
    }
  }
}

/// Wrong use: printed with the command's usage line and where to read more. Exit 64.
package struct UsageError: Error, Equatable, Sendable {
  package let message: String
  package init(_ message: String) { self.message = message }
}
