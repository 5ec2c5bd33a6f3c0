/// Why a text is not base16, base32 or base64. Never holds the text.
public struct EncodingError: Error, Equatable, CustomStringConvertible {
  /// The kinds of fault.
  public enum Code: Sendable, Equatable {
    case character, length, padding, strayBits
  }
  /// What is wrong.
  public let code: Code
  /// Where, in bytes from the start of the text.
  public let offset: Int

  /// What it says to people, without any of the text.
  public var description: String {
    switch code {
    case .character: "a character that doesn't belong at byte \(offset)"
    case .length: "an impossible length"
    case .padding: "padding that is missing, misplaced or too long at byte \(offset)"
    case .strayBits: "unused bits that aren't zero at byte \(offset)"
    }
  }
}
