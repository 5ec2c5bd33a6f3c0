package import Synchronization

/// Finds commands in a text that is broken into lines: one that a person may copy stays on one line.
package enum CommandWords {
  /// Programs other than ours whose commands stand in what we say.
  private static let others: Set<String> = [
    "apt", "chmod", "timedatectl", "ulimit", "usermod", "tpm2_dictionarylockout",
  ]
  /// What ends a command of theirs: our own words go on.
  private static let prose: Set<String> = ["or", "and", "then", "to", "before", "with", "on", "takes", "ends"]
  /// The names of the commands that there are, asked once when they are first needed: a program says them at its start.
  package static let names = Mutex<@Sendable () -> [String]>({ [] })
  /// What follows our own name in a command, apart from options and placeholders.
  private static let ours: Set<String> = {
    var words: Set<String> = ["help", "passphrase", "recovery", "keyring", "bash", "zsh", "fish"]
    for name in names.withLock({ $0() }) { words.formUnion(name.split(separator: " ").map(String.init)) }
    return words
  }()

  /// Parts of a text that may not be broken, each with the spaces before it. A part that is empty was a second space.
  package static func units(of text: String) -> [(spaces: Int, text: Substring)] {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    var units: [(Int, Substring)] = []
    var spaces = 0
    var index = 0
    while index < words.count {
      if words[index].isEmpty {
        spaces += 1
        index += 1
        continue
      }
      let end = commandEnd(words, from: index)
      units.append((spaces, text[words[index].startIndex..<words[end - 1].endIndex]))
      spaces = 1
      index = end
    }
    return units
  }

  /// Where what begins at a word ends: behind the word, or behind the last of a command.
  private static func commandEnd(_ words: [Substring], from start: Int) -> Int {
    let first = words[start].drop { $0 == "(" }
    if first.first == "`" {
      let last = words[start...].firstIndex { word in
        (word.startIndex == words[start].startIndex ? first.dropFirst() : word).contains("`")
      }
      return (last ?? start) + 1
    }
    var end = start + 1
    func isEnded(_ word: Substring) -> Bool { word.last.map { ".,;:)".contains($0) } ?? true }
    if first == "seif" {
      while end < words.count, isOurs(words[end]) {
        end += 1
        if isEnded(words[end - 1]) { break }
      }
    } else if others.contains(String(first)) {
      while end < words.count, !words[end].isEmpty, !prose.contains(String(words[end])) {
        end += 1
        if isEnded(words[end - 1]) { break }
      }
    }
    return end
  }

  private static func isOurs(_ word: Substring) -> Bool {
    var bare = word
    while let last = bare.last, ".,;:)".contains(last) { bare.removeLast() }
    guard let first = bare.first else { return false }
    return first == "-" || ours.contains(String(bare)) || bare.allSatisfy { ("A"..."Z").contains($0) }
      || bare.contains { ("0"..."9").contains($0) || $0 == "/" }
  }
}
