internal import Glibc
internal import SeifBytes
internal import Synchronization

/// What a person is asked about before the agent does it.
package enum ConsentKind: String, Sendable, Hashable {
  /// Everything leaves the vault.
  case export
  /// The first secret after an unlock.
  case reveal
  /// The security code of a card.
  case cvc
  /// The keys of a document vault.
  case keys
  /// A file's entries go in, and who asks learns which of them, secrets too, the vault holds.
  case importing = "import"
}

/// A question to the person.
package struct ConsentQuestion: Sendable {
  package let kind: ConsentKind
  /// What is asked: one sentence, with the vault and who asks.
  package let text: String
  package let peer: Peer
  /// Whether this is the vault's passphrase or recovery code.
  package let opensVault: @Sendable (borrowing PassphraseAttempt) -> Bool
  /// Whether who asks still waits for the answer; without, the question is taken back.
  package let isWanted: @Sendable () -> Bool
}

/// How a person is asked; a program's window or a terminal that the agent opens by itself.
package protocol ConsentAsker: Sendable {
  func ask(_ question: ConsentQuestion) -> ConsentReply
}

/// What came of a question.
package enum ConsentReply: Sendable, Equatable {
  case yes
  /// In a window, which the person saw wherever they were.
  case no
  /// On the terminal of who asks, which any program can make for itself.
  case noOnTerminal
  /// The question ended without an answer: it was taken back, or another process ended the window.
  case ended
  case nobody
}

/// Which consents hold, and one question at a time.
///
/// One lasts 30 seconds, for one vault, one kind and the program and session that it was given to. The first secret after
/// an unlock is asked for once in that unlock.
final class Consent: Sendable {
  static let milliseconds: Int64 = 30_000

  private let asker: any ConsentAsker
  private let asking = Mutex(())
  private let given = Mutex<[String: Deadline]>([:])
  /// By vault.
  private let refused = Mutex<[String: RefusedQuestions]>([:])
  /// The processes for which a question stands or waits for its turn.
  private let pending = Mutex<Set<String>>([])

  init(asker: any ConsentAsker) { self.asker = asker }

  /// Returns if the person agrees.
  ///
  /// - Parameters:
  ///   - opening: a number of its own for each unlock of a vault.
  ///   - entry: the one that it is about, where a yes holds for it alone.
  ///   - isWanted: whether who asks is still there.
  /// - Throws: `denied`, `nobodyToAsk`, `tooOften`, and `full` where a question of the same process isn't answered yet.
  func require(
    _ kind: ConsentKind, vault folder: String, opening: UInt64, peer: Peer, entry: (id: UUID, name: String)? = nil,
    isWanted: @escaping @Sendable () -> Bool = { true },
    opensVault: @escaping @Sendable (borrowing PassphraseAttempt) -> Bool
  ) throws(AgentRefusal) {
    let key =
      "\(opening) \(kind.rawValue) " + (entry.map { "\($0.id) " } ?? "") + (kind == .reveal ? "" : peer.identity)
    func holds() -> Bool { given.withLock { $0[key].map { !$0.isOver } ?? false } }
    if holds() { return }
    let process = "\(peer.process) \(peer.started)"
    guard pending.withLock({ $0.insert(process).inserted }) else { throw AgentRefusal(.full, "question") }
    defer { pending.withLock { _ = $0.remove(process) } }
    let session = peer.session != 0 ? peer.session : peer.process
    let reply = try asking.withLock { _ throws(AgentRefusal) -> ConsentReply in
      // The question before this one may have been the same.
      if holds() { return .yes }
      // It waited for its turn, maybe longer than its process lived.
      guard isWanted() else { return .ended }
      if let pause = refused.withLock({ $0[folder]?.pause(of: session, at: Deadline.now) }) {
        throw AgentRefusal(.tooOften, "\((pause + 999) / 1000)")
      }
      let question = ConsentQuestion(
        kind: kind, text: Self.text(kind, folder, peer, entry: entry?.name), peer: peer, opensVault: opensVault,
        isWanted: isWanted)
      let reply = asker.ask(question)
      switch reply {
      case .no, .noOnTerminal:
        refused.withLock {
          $0[folder, default: RefusedQuestions()].refused(session, isSeen: reply == .no, at: Deadline.now)
        }
      case .nobody, .ended: break
      case .yes:
        refused.withLock { $0[folder]?.agreed(session) }
        given.withLock { given in
          given = given.filter { !$0.value.isOver }
          given[key] = kind == .reveal ? Deadline(in: .max) : Deadline(in: Self.milliseconds)
        }
      }
      return reply
    }
    switch reply {
    case .yes: return
    case .no, .noOnTerminal, .ended: throw AgentRefusal(.denied, kind.rawValue)
    case .nobody: throw AgentRefusal(.nobodyToAsk, kind.rawValue)
    }
  }

  /// Forgets what was given in an unlock that is over.
  func forget(opening: UInt64) {
    given.withLock { given in given = given.filter { !$0.key.hasPrefix("\(opening) ") } }
  }

  /// Forgets refusals: who knows the passphrase is the person.
  func forgetRefusals(vault folder: String) { refused.withLock { $0[folder] = nil } }

  /// A line of Assuan holds 1000 bytes, each of which may take three: nothing of this is cut off there.
  static func text(_ kind: ConsentKind, _ folder: String, _ peer: Peer, entry name: String? = nil) -> String {
    let folder = Peer.quoted(folder, head: 24, tail: 60)
    let what =
      switch kind {
      case .export: "wants everything in your vault \(folder), secrets too."
      case .reveal: "wants to see passwords of your vault \(folder), until it locks."
      case .cvc:
        "wants to see the security code of \(name.map { "the card " + Peer.quoted($0, head: 40, tail: 20) } ?? "a card")"
          + " in your vault \(folder)."
      case .keys: "wants to see the key of a document vault in your vault \(folder)."
      case .importing: "wants to add a file's entries to your vault \(folder), and learns which of them it holds."
      }
    return "\(peer.description) \(what) Allow?"
  }
}
