internal import SeifCommandLine
internal import SeifBytes
internal import SeifVault

/// `seif keys test`: which of the ways in open the vault today.
struct KeysTestCommand: Command {
  static let name = "keys test"
  static let summary = "try which ways in open the vault"
  static let usage = """
    seif keys test [OPTIONS]

    Tries each way in that you present, in another process, and says whether it opens the
    vault. On a terminal it asks for each; Enter alone leaves one out. Without one it tries
    those that options give, and devices that ask for nothing.
    """
  static var options: [Option] { VaultOptions.options + PresentedWays.options + OutputOptions.options }

  private let vault: VaultOptions
  private let presented: PresentedWays
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    vault = try VaultOptions(&arguments)
    presented = try PresentedWays(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let location = try vault.location(context)
    let ways = try withVaultErrors(location.folder) { () throws(VaultError) in
      try Vault.open(at: location, access: .readOnly).waysIn
    }
    var results: [(way: WayIn, outcome: Outcome, reason: String)] = []
    for way in ways {
      var failure: CommandFailure?
      do throws(CommandFailure) {
        let material = try presented.tried(way, among: ways, context) { (material) throws(CommandFailure) in
          failure = nil
          do throws(CommandFailure) {
            try PresentedWays.prove(material, location, way, among: ways, context)
          } catch {
            failure = error
            throw error
          }
        }
        results.append(material == nil ? (way, .untried, "not presented") : (way, .opens, "opens the vault"))
      } catch {
        // What else stops a command stops this one.
        guard failure == error else { throw error }
        results.append((way, .refused, failure?.hint.map { "doesn't fit. \($0)" } ?? "doesn't open the vault"))
      }
    }
    if output.json {
      try context.output.writeLine(json: Self.document(results))
    } else {
      for result in results {
        let sign = result.outcome == .opens ? Sign.ok : result.outcome == .refused ? .fail : .warn
        let text = Display.cleaned("\(result.way.kind.name) \(result.way.mark): \(result.reason)")
        try context.output.writeLine("\(sign.text(context.output.style)) \(text)")
      }
    }
    if results.contains(where: { $0.outcome == .refused }) { return .checkFailed }
    return results.contains { $0.outcome == .opens } ? .done : .checkFailed
  }

  private enum Outcome: String { case opens, refused, untried }

  private static func document(_ results: [(way: WayIn, outcome: Outcome, reason: String)]) -> SecretValue {
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema("seif-keys-test", 1)
    writer.key("waysIn")
    writer.beginArray()
    for result in results {
      writer.beginObject()
      writer.member("id", result.way.id.description)
      writer.member("kind", result.way.kind.name)
      writer.member("outcome", result.outcome.rawValue)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return writer.finish()
  }
}
