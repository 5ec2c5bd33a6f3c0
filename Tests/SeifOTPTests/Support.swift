import FoundationEssentials
import SeifBytes
import SeifOTP
import SeifTestSupport
import Testing

/// The fields that all lists of codes in `otp.json` share.
struct CodeVector {
  let key: SecretValue
  let algorithm: OTPAlgorithm
  let digits: Int
  let code: String

  init(_ row: JSONValue) throws {
    key = SecretValue(try #require(row["key"]?.hexBytes))
    algorithm = try #require(row["algorithm"]?.string.flatMap { OTPAlgorithm(name: $0) })
    digits = Int(try #require(row["digits"]?.int64))
    code = try #require(row["code"]?.string)
  }
}

extension JSONElements {
  /// Of a value that isn't there: the tests that use it count what they got.
  static var none: JSONElements { emptyDocument.root.elements }
}

private let emptyDocument: JSONDocument = {
  guard let document = try? JSONDocument(parsing: SecretValue(utf8: "[]"), policy: .lenientForTests) else {
    preconditionFailure("internal error: [] is JSON")
  }
  return document
}()

extension JSONPolicy {
  static var lenientForTests: JSONPolicy {
    JSONPolicy(isStrict: true, maximumByteCount: 64 << 20, maximumDepth: 64, maximumValueCount: 1 << 20)
  }
}

extension SecretValue {
  /// The text of what a test wrote itself.
  var text: String { exposedText() ?? "<not UTF-8>" }
  /// Two hexadecimal digits a byte.
  var hex: String { withBytes { Base16.encode($0) } }
}

/// Repeatable numbers (SplitMix64): a failing test prints its seed.
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
