public import SeifBytes
public import SeifCrypto

/// A recovery code: 24 characters that open a vault when all else is lost, 120 bits of randomness.
public struct RecoveryCode: ~Copyable, Sendable {
  private let code: SecretBytes

  /// The characters of a code: no I, O, 0 and 1, which get misread.
  public static let alphabet = RecoveryCharacters.alphabet
  /// Number of characters.
  public static let characterCount = RecoveryCharacters.count

  private init(_ code: consuming SecretBytes) { self.code = code }

  /// A new code.
  public static func make(_ random: RandomSource = .system) -> RecoveryCode {
    RecoveryCode(RecoveryCharacters.make(random))
  }

  /// The code that someone typed: per Unicode scalar, ASCII letters upper-cased, everything outside the alphabet dropped.
  ///
  /// - Throws: `malformedRecoveryCode` if anything but 24 characters remain, before anything is derived.
  public static func normalise(_ typed: borrowing SecretBytes) throws(VaultError) -> RecoveryCode {
    guard let code = typed.withBytes({ RecoveryCharacters.normalised($0) }) else {
      throw VaultError(.malformedRecoveryCode)
    }
    return RecoveryCode(code)
  }

  /// Calls `body` with the 24 characters in ASCII.
  public borrowing func withBytes<R: ~Copyable, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
    try code.withBytes(body)
  }

  /// The code as it is shown and printed: six groups of four, with hyphens.
  public var grouped: SecretValue {
    code.withBytes { RecoveryCharacters.grouped($0) }
  }

  /// Whether another code is the same, for the one that is typed back.
  public borrowing func matches(_ other: borrowing RecoveryCode) -> Bool {
    code.withBytes { left in other.withBytes { right in constantTimeEqual(left, right) } }
  }

  /// The code as key material.
  borrowing func duplicate() -> SecretBytes { code.duplicate() }
}

extension RawSpan {
  /// The byte at an offset below `byteCount`.
  func byte(_ offset: Int) -> UInt8 { unsafeLoad(fromByteOffset: offset, as: UInt8.self) }
}
