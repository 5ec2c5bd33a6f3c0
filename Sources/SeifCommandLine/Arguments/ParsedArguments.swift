/// The arguments after the command's name, told apart into options and the rest, for a command to take from.
package struct ParsedArguments: Sendable {
  private let known: [Option]
  private var values: [String: [String]]
  private var positionals: ArraySlice<String>
  /// Whether a `--` was there, and with it what stood after (`run -- CMD ARG…`); those are also positionals unless taken
  /// by ``takeAfterSeparator()``.
  private var separated: Int?

  package init(known: [Option], values: [String: [String]], positionals: [String], separated: Int?) {
    self.known = known
    self.values = values
    self.positionals = positionals[...]
    self.separated = separated
  }

  /// Whether the flag was given.
  package func flag(_ option: Option) -> Bool {
    check(option)
    return values[option.name] != nil
  }

  /// Whether the option was given, flag or not.
  package func isGiven(_ option: Option) -> Bool { values[option.name] != nil }

  /// The value of an option, or nil where it wasn't given.
  package func value(_ option: Option) -> String? {
    check(option)
    return values[option.name]?.last
  }

  /// All values of an option that may be given more than once, in order.
  package func values(_ option: Option) -> [String] {
    check(option)
    return values[option.name] ?? []
  }

  /// The value of an option without which the command can't go on.
  package func required(_ option: Option) throws(UsageError) -> String {
    guard let text = value(option) else { throw UsageError("\(option.spelling) is needed") }
    return text
  }

  /// A decimal integer in a range, plain digits with at most one leading minus.
  package func integer(_ option: Option, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
    guard let text = value(option) else { return nil }
    let digits = text.first == "-" ? text.dropFirst() : text[...]
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(text),
      range.contains(number)
    else {
      throw UsageError("--\(option.name) takes a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// The value of an option as one of a fixed set of words.
  package func choice<Choice: RawRepresentable & CaseIterable>(
    _ option: Option, of type: Choice.Type = Choice.self
  ) throws(UsageError) -> Choice? where Choice.RawValue == String {
    guard let text = value(option) else { return nil }
    guard let choice = Choice(rawValue: text) else {
      let words = Choice.allCases.map(\.rawValue)
      let guess = Suggestion.nearest(to: text, among: words).map { ". Did you mean \($0)?" } ?? ""
      throw UsageError("--\(option.name) takes one of: \(words.joined(separator: ", "))\(guess)")
    }
    return choice
  }

  /// The next argument that is no option.
  package mutating func positional(_ placeholder: String) throws(UsageError) -> String {
    guard let text = optionalPositional() else { throw UsageError("\(placeholder) is missing") }
    return text
  }

  /// The next argument that is no option, or nil.
  package mutating func optionalPositional() -> String? {
    positionals.popFirst()
  }

  /// All arguments left that are no options.
  package mutating func remainingPositionals() -> [String] {
    defer { positionals = [] }
    return Array(positionals)
  }

  /// What stood after `--`, taken out of the positionals; nil where there was no `--`.
  package mutating func takeAfterSeparator() -> [String]? {
    guard let start = separated else { return nil }
    separated = nil
    let rest = Array(positionals[max(start, positionals.startIndex)...])
    positionals = positionals[..<max(start, positionals.startIndex)]
    return rest
  }

  /// Refuses what the command left over.
  package func finish() throws(UsageError) {
    if let extra = positionals.first { throw UsageError("there is an argument too many: \(extra)") }
  }

  /// Reading an option that isn't in the command's table is our own mistake, found by the first test that runs it.
  private func check(_ option: Option) {
    precondition(known.contains(option), "internal error: --\(option.name) isn't in the command's table")
  }
}
