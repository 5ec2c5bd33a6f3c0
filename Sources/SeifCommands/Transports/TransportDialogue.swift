internal import SeifCommandLine
internal import SeifBackups
internal import SeifBytes
internal import Synchronization

/// What a kind of destination says to the person who allows it, and asks meanwhile.
struct TransportDialogue: AuthorizationDialogue {
  let context: Context
  let isBrowserElsewhere: Bool
  /// Where the answer to a secret question comes from.
  let secret: PassphraseSource

  func show(_ line: String) {
    // Even with --quiet, since nothing goes on without it. A long address stays in one line, to be copied.
    context.talk.line(Display.cleaned(line))
  }

  func checkAsking() throws {
    guard secret == .person, TerminalDevice(context) == nil, !Pinentry.isThere(context) else { return }
    throw CommandFailure(
      .refused, "a code has to be typed that the address shows, and there is no terminal to ask for it",
      hint: "Run it in a terminal. A program that reads the address gives the code by --code-fd N.")
  }

  func wait(_ seconds: Int64, isFirst: Bool) {
    let minutes = max(1, (seconds + 59) / 60)
    let time = minutes == 1 ? "1 minute" : "\(minutes) minutes"
    context.talk.line(isFirst ? "Waiting for that, up to \(time); ctrl-C ends it." : "Still waiting: \(time) left.")
  }

  func askSecret(_ question: String) throws -> SecretValue {
    let answer = try secret.readAny(question: question, context)
    return answer.withBytes { SecretValue(copying: $0) }
  }
}

/// Secrets of a destination that the place has replaced while it was used.
final class ReplacedSecrets: Sendable {
  private let kept = Mutex<[String: SecretValue]>([:])

  var all: [String: SecretValue] { kept.withLock { $0 } }

  func keep(_ field: String, _ value: SecretValue) { kept.withLock { $0[field] = value } }
}
