internal import SeifCommandLine

/// The manual's pages, in the macros of man(7), from the table of commands that makes the help.
enum ManPage {
  /// The first argument that prints a page, with a command's words after it, or nothing for the page of the program, or
  /// `--list` for the names of all. No command: it is for whoever installs Seif.
  static let word = "man-page"
  /// The day of this edition; a page without one is refused by some readers.
  private static let date = "2026-11-30"

  /// `seif`, `seif-open`, `seif-backup-create`.
  static func names(_ commands: [any Command.Type]) -> [String] {
    ["seif"] + commands.map { name(of: $0) }
  }

  /// - Throws: exit 66 for a command that there isn't.
  static func text(_ words: [String], _ commands: [any Command.Type]) throws(CommandFailure) -> String {
    if words.isEmpty { return overview(commands) }
    if words == ["--list"] { return names(commands).map { $0 + "\n" }.joined() }
    // As a command, or as the name of its page.
    let wanted = words.joined(separator: "-")
    guard let command = commands.first(where: { name(of: $0) == wanted || name(of: $0) == "seif-" + wanted }) else {
      if wanted == "seif" { return overview(commands) }
      throw CommandFailure(.notFound, "there is no page of that name", hint: "See: seif man-page --list")
    }
    return page(command, commands)
  }

  private static func name(of command: any Command.Type) -> String {
    "seif-" + command.name.split(separator: " ").joined(separator: "-")
  }

  private static func head(_ name: String, _ summary: String) -> String {
    """
    .TH \(escaped(name.uppercased())) 1 "\(date)" "\(escaped(Version.line))" "Seif"
    .SH NAME
    \(escaped(name)) \\- \(escaped(summary))
    .SH SYNOPSIS

    """
  }

  private static func overview(_ commands: [any Command.Type]) -> String {
    var text = head("seif", "a safe for one-time codes and passwords, and their backups")
    text += ".B seif\n.I COMMAND\n[\\fISUBCOMMAND\\fR] [\\fIARGUMENT\\fR] [\\fIOPTIONS\\fR]\n"
    text += ".SH DESCRIPTION\n"
    text += paragraphs(
      """
      Opens, checks and makes encrypted backups of one-time codes and passwords, and keeps a vault of its own.

      Data go to standard output, talk and progress to standard error. Passphrases are asked for on the terminal or by
      pinentry; a script gives them by a descriptor or a file, never as an argument.
      """)
    text += ".SH COMMANDS\n"
    for command in commands {
      text += ".TP\n.BR \(escaped(name(of: command))) (1)\n\(sentence(command.summary))\n"
    }
    text += ".SH ENVIRONMENT\n.TP\n.B SEIF_VAULT\nThe vault's folder.\n"
    text += ".TP\n.B SEIF_PINENTRY\nThe program that asks for passphrases; set and empty: none.\n"
    text += ".TP\n.B NO_COLOR, ACCESSIBLE\nNo colours; lines of name and value instead of tables.\n"
    return text + exitCodes
  }

  private static func page(_ command: any Command.Type, _ commands: [any Command.Type]) -> String {
    var text = head(name(of: command), command.summary)
    text += synopsis(command)
    let body = command.usage.split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
    text += ".SH DESCRIPTION\n" + paragraphs(body.joined(separator: "\n"))
    if !command.options.isEmpty {
      text += ".SH OPTIONS\n"
      for option in command.options { text += ".TP\n\(spelling(option))\n\(sentence(option.summary))\n" }
      if let line = Help.whichPassphrase(command) { text += ".PP\n" + paragraphs(line) }
    }
    let examples = Examples.of(command)
    if !examples.isEmpty {
      text += ".SH EXAMPLES\n"
      for example in examples {
        text += "\(sentence(example.about))\n.PP\n.RS 4\n.nf\n\(escaped(example.line))\n.fi\n.RE\n.PP\n"
      }
      text = String(text.dropLast(4))
    }
    text += exitCodes
    return text + ".SH SEE ALSO\n.BR seif (1)\n"
  }

  /// The usage line: words to type in bold, what they stand for in italics.
  private static func synopsis(_ command: any Command.Type) -> String {
    let words = command.usageLine.split(separator: " ").map { word -> String in
      let letters = word.filter { $0.isLetter }
      let isPlaceholder = !letters.isEmpty && letters.allSatisfy { $0.isUppercase }
      return isPlaceholder ? "\\fI\(escaped(String(word)))\\fR" : "\\fB\(escaped(String(word)))\\fR"
    }
    return words.joined(separator: " ") + "\n"
  }

  private static func spelling(_ option: Option) -> String {
    let short = option.short.map { "\\fB\\-\($0)\\fR, " } ?? ""
    let value = option.placeholder.map { " \\fI\(escaped($0))\\fR" } ?? ""
    return short + "\\fB\(escaped("--" + option.name))\\fR" + value
  }

  /// Text of a help page: paragraphs are filled, indented lines stand as they are.
  private static func paragraphs(_ text: String) -> String {
    var result = ""
    var isLiteral = false
    var isFirst = true
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let indented = line.hasPrefix("  ")
      if indented != isLiteral, !line.isEmpty {
        result += indented ? ".PP\n.RS 4\n.nf\n" : ".fi\n.RE\n.PP\n"
        isLiteral = indented
      }
      if line.isEmpty {
        if !isLiteral, !isFirst { result += ".PP\n" }
      } else {
        result += escaped(String(line.drop { $0 == " " })) + "\n"
        isFirst = false
      }
    }
    if isLiteral { result += ".fi\n.RE\n" }
    return result.replacing(".PP\n.PP\n", with: ".PP\n").replacing(".RE\n.PP\n.PP", with: ".RE\n.PP")
  }

  private static var exitCodes: String {
    ".SH EXIT STATUS\n" + ExitCode.allCases.map { ".TP\n.B \($0.rawValue)\n\(escaped(meaning($0)))\n" }.joined()
  }

  private static func meaning(_ code: ExitCode) -> String {
    switch code {
    case .done: "Done, all of it."
    case .partial: "Done, but not all; what is missing is named."
    case .checkFailed: "Checked, and the answer is no."
    case .usage: "Wrong use."
    case .badInput: "The input isn't what it should be."
    case .notFound: "No such file, entry, vault or backup."
    case .unavailable: "A service or device isn't there."
    case .internalFault: "A check of Seif's own failed, so its result means nothing."
    case .cannotCreate: "The output can't be created, or exists."
    case .ioFailed: "Reading or writing failed."
    case .busy: "Another writer holds the vault."
    case .protocolBroken: "A server broke its protocol."
    case .refused: "Wrong passphrase or damaged, or nobody to ask."
    case .interrupted: "Interrupted; nothing is half done."
    }
  }

  /// A summary as a sentence of a manual.
  private static func sentence(_ text: String) -> String {
    let first = text.prefix(1).uppercased() + text.dropFirst()
    return escaped(first + (first.hasSuffix(".") ? "" : "."))
  }

  /// Text that the formatter takes as it is: no escape, no request at the start of a line, and hyphens that can be copied.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "`": result += "\\(ga"
      case "^": result += "\\(ha"
      case "~": result += "\\(ti"
      default: result.append(character)
      }
    }
    return result.hasPrefix(".") ? "\\&" + result : result
  }
}

extension String {
  /// Every occurrence of a text taken by another, by bytes: the standard library's way links all of its regular
  /// expressions.
  fileprivate func replacing(_ old: String, with new: String) -> String {
    var result: [UInt8] = []
    var rest = Array(utf8)[...]
    let (old, new) = (Array(old.utf8), Array(new.utf8))
    while !rest.isEmpty {
      if rest.starts(with: old) {
        result += new
        rest = rest.dropFirst(old.count)
      } else {
        result.append(rest.removeFirst())
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
