internal import Glibc
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
}

/// A question to the person.
package struct ConsentQuestion: Sendable {
  package let kind: ConsentKind
  /// What is asked: one sentence, with the vault and who asks.
  package let text: String
  package let peer: Peer
  /// Whether this is the vault's passphrase or recovery code.
  package let opensVault: @Sendable (borrowing PassphraseAttempt) -> Bool
}

/// How a person is asked; a program's window or a terminal that the agent opens by itself.
package protocol ConsentAsker: Sendable {
  func ask(_ question: ConsentQuestion) -> ConsentReply
}

/// What came of a question.
package enum ConsentReply: Sendable, Equatable { case yes, no, nobody }

/// Which consents hold, and one question at a time.
///
/// One lasts 30 seconds, for one vault, one kind and the program and session that it was given to. The first secret after
/// an unlock is asked for once in that unlock.
final class Consent: Sendable {
  static let milliseconds: Int64 = 30_000

  private let asker: any ConsentAsker
  private let asking = Mutex(())
  private let given = Mutex<[String: Deadline]>([:])
  private let refused = Mutex(RefusedQuestions())

  init(asker: any ConsentAsker) { self.asker = asker }

  /// Returns if the person agrees.
  ///
  /// - Parameter opening: a number of its own for each unlock of a vault.
  /// - Throws: `denied`, `nobodyToAsk`, `tooOften`.
  func require(
    _ kind: ConsentKind, vault folder: String, opening: UInt64, peer: Peer,
    opensVault: @escaping @Sendable (borrowing PassphraseAttempt) -> Bool
  ) throws(AgentRefusal) {
    let key = "\(opening) \(kind.rawValue) " + (kind == .reveal ? "" : peer.identity)
    func holds() -> Bool { given.withLock { $0[key].map { !$0.isOver } ?? false } }
    if holds() { return }
    let tree = ProcessTree.root(of: peer.process, user: peer.user)
    let reply = try asking.withLock { _ throws(AgentRefusal) -> ConsentReply in
      // The question before this one may have been the same.
      if holds() { return .yes }
      if let pause = refused.withLock({ $0.pause(of: tree, at: Deadline.now) }) {
        throw AgentRefusal(.tooOften, "\((pause + 999) / 1000)")
      }
      let question = ConsentQuestion(
        kind: kind, text: Self.text(kind, folder, peer), peer: peer, opensVault: opensVault)
      let reply = asker.ask(question)
      switch reply {
      case .no: refused.withLock { $0.refused(tree, at: Deadline.now) }
      case .nobody: break
      case .yes:
        refused.withLock { $0.agreed(tree) }
        given.withLock { given in
          given = given.filter { !$0.value.isOver }
          given[key] = kind == .reveal ? Deadline(in: .max) : Deadline(in: Self.milliseconds)
        }
      }
      return reply
    }
    switch reply {
    case .yes: return
    case .no: throw AgentRefusal(.denied, kind.rawValue)
    case .nobody: throw AgentRefusal(.nobodyToAsk, kind.rawValue)
    }
  }

  /// Forgets what was given in an unlock that is over.
  func forget(opening: UInt64) {
    given.withLock { given in given = given.filter { !$0.key.hasPrefix("\(opening) ") } }
  }

  /// A line of Assuan holds 1000 bytes, each of which may take three: nothing of this is cut off there.
  static func text(_ kind: ConsentKind, _ folder: String, _ peer: Peer) -> String {
    let folder = Peer.quoted(folder, head: 24, tail: 60)
    let what =
      switch kind {
      case .export: "Give everything in the vault \(folder), secrets too,"
      case .reveal: "Show secrets of the vault \(folder) from now until it locks"
      case .cvc: "Show the security code of a card of the vault \(folder)"
      case .keys: "Show the key of a document vault in the vault \(folder)"
      }
    return "\(what) to \(peer.description)?"
  }
}
