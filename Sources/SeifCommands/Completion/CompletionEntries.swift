internal import SeifCommandLine
internal import Glibc
internal import SeifAgent
internal import SeifBytes
internal import SeifVault

/// The entries that a command's QUERY may name: of a vault that is open in the agent, and else none.
///
/// A press of a key unlocks nothing, starts and ends no agent, says nothing, and gives up after two seconds.
enum CompletionEntries {
  private static let seconds: UInt32 = 2

  /// - Parameter words: the words of the command line, for a `--vault` in them.
  static func all(for command: String, _ words: [String], _ context: Context) -> [Completions.Candidate] {
    if command == "bin restore" { return [] }
    // The signal's default ends the process, which by then has nothing to leave behind.
    alarm(seconds)
    guard let place = AgentAccess.folder(context.environment), let folder = vaultFolder(words, context),
      let client = try? AgentClient(folder: place, hello: AgentAccess.hello),
      let found = try? AgentVault(client, folder: folder).names()
    else { return [] }
    let isForCodes = ["code", "qr"].contains(command)
    return candidates(
      found.filter { !$0.isSetting }.filter { !isForCodes || $0.hasOneTimeCode || KindName($0.kind) == .code })
  }

  /// For each entry the shortest of name, `name:account` and identifier that is its alone.
  static func candidates(_ entries: [EntrySummary]) -> [Completions.Candidate] {
    func counts(_ key: (EntrySummary) -> String) -> [String: Int] {
      entries.reduce(into: [:]) { $0[Query.folded(key($1)), default: 0] += 1 }
    }
    let names = counts(\.name)
    let pairs = counts { "\($0.name):\($0.account)" }
    return entries.map { entry in
      let pair = "\(entry.name):\(entry.account)"
      if !entry.name.isEmpty, names[Query.folded(entry.name)] == 1, !entry.name.hasPrefix("-") {
        return .init(text: entry.name, about: entry.account)
      }
      if !entry.name.isEmpty, pairs[Query.folded(pair)] == 1, !pair.hasPrefix("-") {
        return .init(text: pair, about: "")
      }
      return .init(text: entry.id.description, about: EntryLabel.text(entry.name, entry.account))
    }
  }

  private static func vaultFolder(_ words: [String], _ context: Context) -> String? {
    var given: [String] = []
    if let place = words.lastIndex(of: "--vault"), words.indices.contains(place + 1) {
      given = ["--vault", words[place + 1]]
    } else if let word = words.last(where: { $0.hasPrefix("--vault=") }) {
      given = [word]
    }
    guard var arguments = try? ArgumentParser.parse(given, options: VaultOptions.options),
      let options = try? VaultOptions(&arguments), let folder = try? options.folder(context.environment)
    else { return nil }
    return AbsolutePath.of(folder)
  }
}
