internal import SeifCommandLine
internal import SeifBytes
internal import SeifBackups
internal import SeifFormats

/// What can stand at a place of a command line, found in the table of commands: the same table that makes the help.
///
/// A shell's script asks by a call of the program (``word``), so that the three shells complete the same. It is asked at
/// each press of a key: it opens nothing, asks nobody, and never waits.
struct Completions {
  /// The first argument of that call. No command: it shows in no help.
  static let word = "complete-words"

  /// What a shell offers.
  enum Answer: Equatable {
    case words([Candidate])
    case files
    case folders
  }

  struct Candidate: Equatable {
    let text: String
    let about: String
  }

  private let commands: [any Command.Type]
  private let entries: (_ command: String) -> [Candidate]

  /// - Parameter entries: the entries that a command's QUERY may name, as far as they can be had without asking anybody.
  init(_ commands: [any Command.Type], entries: @escaping (_ command: String) -> [Candidate]) {
    self.commands = commands
    self.entries = entries
  }

  /// The answer as a shell's script reads it: `words`, `files` or `folders` on a line, then a line for each word, with a
  /// tab before what it is about. A word that a line can't hold, or that an option could be, is left out.
  func text(_ words: [String]) -> String {
    switch answer(words) {
    case .files: return "files\n"
    case .folders: return "folders\n"
    case .words(let candidates):
      let typed = words.last ?? ""
      let fitting = candidates.filter { candidate in
        candidate.text.hasPrefix(typed) && !candidate.text.isEmpty
          && !candidate.text.unicodeScalars.contains { Display.isHarmful($0) }
      }
      return "words\n" + fitting.map { "\($0.text)\t\(Display.cleaned($0.about))\n" }.joined()
    }
  }

  /// - Parameter words: the words after the program's name, the last of them the one that is being typed.
  func answer(_ words: [String]) -> Answer {
    guard let typed = words.last else { return .words([]) }
    let before = Array(words.dropLast())
    guard let first = before.first else { return .words(firstWords()) }
    if first == "help" { return .words(commandWords(after: Array(before.dropFirst()))) }
    switch CommandMatch(before, in: commands, name: { $0.name }) {
    case .command(let command, let arguments): return answer(command, arguments, typed)
    case .group where before.count == 1: return .words(commandWords(after: before))
    default: return .words([])
    }
  }

  private func firstWords() -> [Candidate] {
    commandWords(after: []) + [Candidate(text: "help", about: "tell more of a command")]
  }

  /// The next words of the commands that begin with these.
  private func commandWords(after words: [String]) -> [Candidate] {
    var seen: Set<String> = []
    return commands.compactMap { command in
      let parts = command.name.split(separator: " ").map(String.init)
      guard parts.count > words.count, Array(parts.prefix(words.count)) == words else { return nil }
      let part = parts[words.count]
      guard seen.insert(part).inserted else { return nil }
      return Candidate(text: part, about: parts.count == words.count + 1 ? command.summary : "")
    }
  }

  private func answer(_ command: any Command.Type, _ arguments: [String], _ typed: String) -> Answer {
    var given: Set<String> = []
    var positionals = 0
    var wanted: Option?
    var isPastOptions = false
    for argument in arguments {
      if wanted != nil {
        wanted = nil
      } else if isPastOptions || argument == "-" || !argument.hasPrefix("-") {
        positionals += 1
      } else if argument == "--" {
        isPastOptions = true
      } else if let option = command.options.first(where: { "--\($0.name)" == argument || $0.isShort(argument) }) {
        given.insert(option.name)
        if option.placeholder != nil { wanted = option }
      } else if let name = argument.split(separator: "=").first.map({ String($0.dropFirst(2)) }) {
        given.insert(name)
      }
    }
    if let wanted { return values(of: wanted.placeholder ?? "", command, option: wanted.name) }
    if typed.hasPrefix("-"), !isPastOptions {
      let options = command.options.filter { $0.repeats || !given.contains($0.name) }
      return .words(options.map { Candidate(text: "--\($0.name)", about: $0.summary) })
    }
    let places = Self.places(command)
    guard let place = positionals < places.count ? places[positionals] : places.last.flatMap({ $0.repeats ? $0 : nil })
    else { return .words([]) }
    return values(of: place.name, command, option: nil)
  }

  /// The arguments of a usage line that are no options: `QUERY`, `[FIELD]`, `QUERY...`.
  private static func places(_ command: any Command.Type) -> [(name: String, repeats: Bool)] {
    var places: [(String, Bool)] = []
    var isValue = false
    for word in command.usageLine.split(separator: " ").dropFirst(command.name.split(separator: " ").count + 1) {
      let name = word.filter { $0 != "[" && $0 != "]" && $0 != "." }
      // What follows an option is its value; `--` is none.
      defer { isValue = name.hasPrefix("-") && name != "--" }
      if isValue || name.hasPrefix("-") || name == "OPTIONS" { continue }
      places.append((String(name), word.hasSuffix("...")))
    }
    return places
  }

  /// What a placeholder stands for.
  private func values(of placeholder: String, _ command: any Command.Type, option: String?) -> Answer {
    func words(_ words: [String]) -> Answer { .words(words.map { Candidate(text: $0, about: "") }) }
    switch placeholder {
    case "FILE", "IN", "OUT", "F", "TEMPLATE", "CMD", "ARGUMENT": return .files
    case "OPERATION": return words(["get", "store", "erase"])
    case "DIR", "FOLDER", "PLACE": return .folders
    case "QUERY": return .words(entries(command.name))
    case "FIELD":
      return words(EntryField.allCases.map(\.rawValue))
    case "FORMAT": return words(FormatIdentifier.allCases.map(\.rawValue))
    case "KIND" where command.name == TransportAddCommand.name:
      return words(TransportKindName.allCases.map(\.rawValue))
    case "KIND": return words(KindName.allCases.map(\.rawValue).filter { option != nil || $0 != "document" })
    case "ORDER": return words(["own", "name", "account", "created"])
    case "LIST": return words(CharacterClass.allCases.map(\.rawValue))
    case "SHELL": return words(CompletionScript.allCases.map(\.rawValue))
    default: return .words([])
    }
  }
}

extension Option {
  fileprivate func isShort(_ argument: String) -> Bool { short.map { "-\($0)" == argument } ?? false }
}
