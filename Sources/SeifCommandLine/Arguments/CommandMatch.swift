/// Which command the first words of a line call. `Declared` is a kind of command, as ``CommandDeclaration`` types.
package enum CommandMatch<Declared> {
  case command(Declared, arguments: [String])
  /// The first word of commands of several words, without more that fit.
  case group(String, [Declared], second: String?)
  case unknown(String)
  case nothing

  /// The command of the longest name that the first words are, and the arguments after them.
  package init(_ arguments: [String], in commands: [Declared], name: (Declared) -> String) {
    guard let first = arguments.first else {
      self = .nothing
      return
    }
    for count in (1...3).reversed() where arguments.count >= count {
      let words = arguments.prefix(count).joined(separator: " ")
      if let command = commands.first(where: { name($0) == words }) {
        self = .command(command, arguments: Array(arguments.dropFirst(count)))
        return
      }
    }
    let group = commands.filter { name($0).hasPrefix(first + " ") }
    self = group.isEmpty ? .unknown(first) : .group(first, group, second: arguments.dropFirst().first)
  }
}
