/// Tells options and arguments apart, by a command's table of options.
///
/// `--name VALUE` and `--name=VALUE`, `-o VALUE`; `--` ends options; `-` alone is an argument. There are no abbreviations
/// and no clusters. A value that begins with two dashes has to be written with `=`, so that a forgotten value can't
/// swallow the next option.
package enum ArgumentParser {
  package static func parse(_ arguments: [String], options: [Option]) throws(UsageError) -> ParsedArguments {
    var values: [String: [String]] = [:]
    var positionals: [String] = []
    var separated: Int?
    var rest = arguments[...]

    while let argument = rest.popFirst() {
      if separated != nil || argument == "-" || !argument.hasPrefix("-") {
        positionals.append(argument)
        continue
      }
      if argument == "--" {
        separated = positionals.count
        continue
      }
      let (option, inline) = try find(argument, in: options)
      guard option.placeholder != nil else {
        if inline != nil { throw UsageError("--\(option.name) takes no value") }
        values[option.name] = [""]
        continue
      }
      let value: String
      if let inline {
        value = inline
      } else if let next = rest.first, !next.hasPrefix("--") {
        value = next
        rest.removeFirst()
      } else {
        throw UsageError("\(option.spelling) needs its value")
      }
      if values[option.name] != nil, !option.repeats { throw UsageError("--\(option.name) is given twice") }
      values[option.name, default: []].append(value)
    }
    return ParsedArguments(known: options, values: values, positionals: positionals, separated: separated)
  }

  private static func find(_ argument: String, in options: [Option]) throws(UsageError) -> (Option, String?) {
    if argument.hasPrefix("--") {
      let body = argument.dropFirst(2)
      let name = String(body.prefix { $0 != "=" })
      let inline = body.count > name.count ? String(body.dropFirst(name.count + 1)) : nil
      if let option = options.first(where: { $0.name == name }) { return (option, inline) }
      // Only the name is repeated, never a value: somebody may have typed a secret after it.
      let guess = Suggestion.nearest(to: name, among: options.map(\.name)).map { ". Did you mean --\($0)?" } ?? ""
      throw UsageError("there is no option --\(name)\(guess)")
    }
    let letters = argument.dropFirst()
    if letters.count == 1, let option = options.first(where: { $0.short == letters.first }) { return (option, nil) }
    throw UsageError("there is no option \(argument.prefix(2))")
  }
}
