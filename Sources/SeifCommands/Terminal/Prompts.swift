package import SeifCommandLine
internal import SeifBytes

/// Questions to the person, on the terminal only. Without one: exit 64, with the option that would have answered.
extension Context {
  /// A yes/no question; Enter alone takes the default, which stands in capitals.
  /// - Parameter option: what a script gives instead, as typed: `--yes`.
  package func confirm(
    _ question: String, default isYes: Bool = false, insteadGive option: String
  ) throws(CommandFailure) -> Bool {
    guard let terminal = TerminalDevice(self) else { throw cannotAsk(question, option) }
    for _ in 0..<3 {
      let prompt = "\(question) [\(isYes ? "Y/n" : "y/N")] "
      guard let answer = terminal.readLine(prompt, isConsent: true) else { throw Self.cancelled }
      switch answer.lowercased() {
      case "": return isYes
      case "y", "yes": return true
      case "n", "no": return false
      default: terminal.write("Type y or n.\n")
      }
    }
    return false
  }

  /// Has a word typed before something that can't be undone.
  ///
  /// Whoever mistypes it is asked once more; Enter alone is a no.
  ///
  /// - Parameter option: what a script gives instead; nil where nothing may stand for the person.
  package func confirm(
    typing word: String, _ statement: String, insteadGive option: String?
  ) throws(CommandFailure) -> Bool {
    guard let terminal = TerminalDevice(self) else { throw cannotAsk(statement, option) }
    terminal.write(lines: statement)
    for attempt in 1...2 {
      guard let answer = terminal.readLine("Type \(word) to go on: ", isConsent: true) else { throw Self.cancelled }
      if answer == word { return true }
      if answer.isEmpty { return false }
      if attempt == 1 { terminal.write(lines: "That isn't \(word). Once more, or Enter alone to stop.") }
    }
    return false
  }

  /// Asks for a line, shown as it is typed, until it can be used.
  ///
  /// - Parameter fault: why an answer can't be used, as a sentence; nil: it can.
  package func ask(
    _ question: String, insteadGive option: String, fault: (String) -> String? = { _ in nil }
  ) throws(CommandFailure) -> String {
    guard let terminal = TerminalDevice(self) else { throw cannotAsk(question, option) }
    while true {
      guard let answer = terminal.readLine("\(question): ") else { throw Self.cancelled }
      guard let fault = fault(answer) else { return answer }
      terminal.write(lines: fault)
    }
  }

  /// Offers a choice; the index of what was chosen, or nil where there is no terminal or nothing was chosen.
  package func choose(_ question: String, among choices: [String]) -> Int? {
    guard !choices.isEmpty, let terminal = TerminalDevice(self) else { return nil }
    terminal.write(lines: question)
    for (index, choice) in choices.enumerated() { terminal.write("  \(index + 1)  \(Display.cleaned(choice))\n") }
    for _ in 0..<3 {
      guard let answer = terminal.readLine("Number (Enter for none): "), !answer.isEmpty else { return nil }
      if let number = Int(answer), choices.indices.contains(number - 1) { return number - 1 }
      terminal.write("Type a number from 1 to \(choices.count).\n")
    }
    return nil
  }

  static var cancelled: CommandFailure { CommandFailure(.interrupted, "cancelled", hint: "Nothing was changed.") }

  private func cannotAsk(_ question: String, _ option: String?) -> CommandFailure {
    CommandFailure(
      .usage, "without a terminal this can't be asked: \(question)", hint: option.map { "Give \($0)." })
  }
}
