public import SeifBytes
public import SeifCrypto

/// A recovery code: 24 characters that open a vault when all else is lost, 120 bits of randomness.
public struct RecoveryCode: ~Copyable, Sendable {
  private let code: SecretBytes

  /// The characters of a code: no I, O, 0 and 1, which get misread.
  public static let alphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
  /// Number of characters.
  public static let characterCount = 24

  private init(_ code: consuming SecretBytes) { self.code = code }

  /// A new code.
  public static func make(_ random: RandomSource = .system) -> RecoveryCode {
    let letters = Array(alphabet.utf8)
    let bytes = random.makeSecret(byteCount: characterCount)
    return RecoveryCode(
      SecretBytes(byteCount: characterCount) { target in
        bytes.withBytes { source in
          // 256 is a multiple of 32, so every character is as likely as the others.
          for index in 0..<characterCount { target[index] = letters[Int(source.byte(index) & 31)] }
        }
        return characterCount
      })
  }

  /// The code that someone typed: per Unicode scalar, ASCII letters upper-cased, everything outside the alphabet dropped.
  ///
  /// - Throws: `malformedRecoveryCode` if anything but 24 characters remain, before anything is derived.
  public static func normalise(_ typed: borrowing SecretBytes) throws(VaultError) -> RecoveryCode {
    let letters = Set(alphabet.utf8)
    var kept = 0
    let code = typed.withBytes { source in
      SecretBytes(byteCount: characterCount) { target in
        // Bytes from 0x80 belong to scalars outside of the alphabet, or to nothing: dropped either way.
        for index in 0..<source.byteCount {
          var byte = source.byte(index)
          if (0x61...0x7A).contains(byte) { byte -= 0x20 }
          guard letters.contains(byte) else { continue }
          if kept < characterCount { target[kept] = byte }
          kept += 1
        }
        return min(kept, characterCount)
      }
    }
    guard kept == characterCount else { throw VaultError(.malformedRecoveryCode) }
    return RecoveryCode(code)
  }

  /// Calls `body` with the 24 characters in ASCII.
  public borrowing func withBytes<R: ~Copyable, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
    try code.withBytes(body)
  }

  /// The code as it is shown and printed: six groups of four, with hyphens.
  public var grouped: SecretValue {
    code.withBytes { source in
      SecretValue(byteCount: Self.characterCount + 5) { target in
        var position = 0
        for index in 0..<source.byteCount {
          if index > 0, index % 4 == 0 {
            target[position] = UInt8(ascii: "-")
            position += 1
          }
          target[position] = source.byte(index)
          position += 1
        }
      }
    }
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
