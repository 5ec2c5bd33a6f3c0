/// Why the agent, or the way to it, gave no answer: a code and words, never a value.
package struct AgentRefusal: Error, Sendable, Equatable {
  /// A kind of refusal; its raw value stands on the wire.
  package enum Code: UInt8, Sendable, CaseIterable {
    /// The vault isn't open in the agent.
    case locked = 1
    /// What came isn't what the protocol has.
    case badMessage = 2
    /// More than a message may hold.
    case tooLarge = 3
    /// The person said no, or gave no answer in time.
    case denied = 4
    /// The person's consent is needed, and there is no way to ask for it.
    case nobodyToAsk = 5
    /// The agent has as many clients as it takes.
    case full = 6
    /// The other side belongs to another user.
    case stranger = 7
    /// The folder of the socket isn't the user's alone.
    case unsafeFolder = 8
    /// There is no agent, or it went away.
    case gone = 9
    /// The agent is another build of Seif.
    case otherVersion = 10
    /// The other side was too slow.
    case tooSlow = 11
    /// There is nothing of that name in the entry.
    case noSuchField = 12
    /// The entry has no one-time code.
    case noCode = 13
    /// The entry's code can't be computed here.
    case badCode = 14
    /// A counter's account has no code after the present one.
    case countsOnly = 15
    /// The person has refused such questions too often just now; the detail has the seconds until one is asked again.
    case tooOften = 16
    /// A backup is under way already.
    case backingUp = 17
    /// There is no destination that was approved for this; the detail has the name that was asked for.
    case notApproved = 18
  }

  package let code: Code
  /// Which part of a message, which folder, which kind; empty where there is none.
  package let detail: String

  package init(_ code: Code, _ detail: String = "") {
    self.code = code
    self.detail = detail
  }

  /// Two are equal when their codes are.
  package static func == (left: AgentRefusal, right: AgentRefusal) -> Bool { left.code == right.code }
}
