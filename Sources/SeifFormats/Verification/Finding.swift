/// One rule of a strict check and how the file stands to it.
public struct VerificationFinding: Sendable, Hashable {
  /// How a rule came out.
  public enum Outcome: String, Sendable, Hashable {
    case ok, fault
    /// It needs the passphrase, or an earlier rule that wasn't kept.
    case notChecked = "not-checked"
  }
  /// The rule's name, stable for scripts.
  public var rule: String
  /// How it came out.
  public var outcome: Outcome
  /// What was found, in words without values of the file.
  public var text: String

  /// A finding.
  public init(_ rule: String, _ outcome: Outcome, _ text: String) {
    self.rule = rule
    self.outcome = outcome
    self.text = text
  }
}

/// The findings of a check in the order of its rules.
struct Findings {
  private(set) var list: [VerificationFinding] = []

  /// Notes a rule, with the words for both ways.
  mutating func check(_ rule: String, _ isKept: Bool, _ kept: String, else broken: String) {
    list.append(VerificationFinding(rule, isKept ? .ok : .fault, isKept ? kept : broken))
  }

  mutating func skip(_ rule: String, _ text: String) {
    list.append(VerificationFinding(rule, .notChecked, text))
  }
}
