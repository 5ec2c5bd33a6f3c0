/// Why a text is not the JSON that the policy asks for. Never holds any of the text.
public struct JSONError: Error, Equatable, CustomStringConvertible {
  /// The kinds of fault.
  public enum Code: Sendable, Equatable {
    case empty, tooLarge, byteOrderMark, notUTF8, unexpectedEnd, unexpectedByte, trailingBytes, badNumber
    case controlCharacter, badEscape, loneSurrogate, duplicateKey, tooDeep, tooManyValues
  }
  /// What is wrong.
  public let code: Code
  /// Where, in bytes from the start.
  public let offset: Int

  /// What it says to people, without any of the text.
  public var description: String {
    switch code {
    case .empty: "it is empty"
    case .tooLarge: "it is larger than the limit"
    case .byteOrderMark: "it begins with a byte order mark"
    case .notUTF8: "byte \(offset) isn't UTF-8"
    case .unexpectedEnd: "it ends in the middle, at byte \(offset)"
    case .unexpectedByte: "byte \(offset) doesn't belong there"
    case .trailingBytes: "something follows its end, at byte \(offset)"
    case .badNumber: "the number at byte \(offset) is malformed"
    case .controlCharacter: "a string holds a raw control character at byte \(offset)"
    case .badEscape: "a string holds an unknown escape at byte \(offset)"
    case .loneSurrogate: "a string holds half a surrogate pair at byte \(offset)"
    case .duplicateKey: "a key stands twice in one object, the second time at byte \(offset)"
    case .tooDeep: "it is nested too deeply at byte \(offset)"
    case .tooManyValues: "it holds more values than the limit, at byte \(offset)"
    }
  }
}

/// How strictly a text is read and how large it may be.
public struct JSONPolicy: Sendable {
  /// Whether duplicate keys and halves of surrogate pairs refuse the text (own formats), or are taken with a warning,
  /// the last key and U+FFFD (files of other programs).
  public let isStrict: Bool
  /// Longest text, in bytes; below 4 GiB.
  public let maximumByteCount: Int
  /// Deepest nesting, at most 512 (writers recurse); a number alone has depth 0.
  public let maximumDepth: Int
  /// Most values and keys together.
  public let maximumValueCount: Int

  /// A policy with the given limits.
  public init(isStrict: Bool, maximumByteCount: Int, maximumDepth: Int, maximumValueCount: Int) {
    self.isStrict = isStrict
    self.maximumByteCount = min(maximumByteCount, Int(UInt32.max) - 1)
    self.maximumDepth = min(maximumDepth, 512)
    self.maximumValueCount = min(maximumValueCount, Int(UInt32.max) - 1)
  }

  /// Our own formats: RFC 8259 strictly, no byte order mark, no duplicate key, depth 32, 64 MiB.
  public static let strict = JSONPolicy(
    isStrict: true, maximumByteCount: 64 << 20, maximumDepth: 32, maximumValueCount: 16 << 20)
  /// The outside of a sealed file: strict, and few enough values that reading it takes little memory.
  public static let header = JSONPolicy(
    isStrict: true, maximumByteCount: 64 << 20, maximumDepth: 32, maximumValueCount: 2 << 20)
  /// Files of other programs: a byte order mark, duplicate keys and half pairs are taken with a warning; depth 64.
  public static let foreign = JSONPolicy(
    isStrict: false, maximumByteCount: 64 << 20, maximumDepth: 64, maximumValueCount: 8 << 20)
}

/// What a reader of foreign files took although it isn't right.
public struct JSONWarning: Sendable, Equatable {
  /// What: `byteOrderMark`, `duplicateKey` or `loneSurrogate`.
  public let code: JSONError.Code
  /// Where, in bytes from the start.
  public let offset: Int
}
