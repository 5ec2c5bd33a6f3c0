package import SeifBytes

/// The 24 characters of a recovery code, 120 bits of randomness: how they are drawn, read and shown. The vault and the
/// document vault have codes of one kind and bind different keys to them.
package enum RecoveryCharacters {
  /// The characters of a code: no I, O, 0 and 1, which get misread.
  package static let alphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
  /// Number of characters.
  package static let count = 24
  private static let letters = [UInt8](alphabet.utf8)

  /// A new code, in ASCII.
  package static func make(_ random: RandomSource) -> SecretBytes {
    let bytes = random.makeSecret(byteCount: count)
    return unsafe SecretBytes(byteCount: count) { target in
      bytes.withBytes { source in
        // 256 is a multiple of 32, so every character is as likely as the others.
        for index in 0..<count {
          unsafe target[index] = letters[Int(source.unsafeLoad(fromByteOffset: index, as: UInt8.self) & 31)]
        }
      }
      return count
    }
  }

  /// The character of a code that a typed byte stands for: ASCII letters in upper case. Nil for all else; bytes from 0x80
  /// belong to scalars outside of the alphabet, or to nothing.
  package static func character(_ byte: UInt8) -> UInt8? {
    let upper = (0x61...0x7A).contains(byte) ? byte - 0x20 : byte
    return letters.contains(upper) ? upper : nil
  }

  /// The code that was typed, without all that is outside of the alphabet; nil unless exactly 24 characters remain.
  package static func normalised(_ typed: RawSpan) -> SecretBytes? {
    var kept = 0
    let code = unsafe SecretBytes(byteCount: count) { target in
      for offset in 0..<typed.byteCount {
        guard let character = character(unsafe typed.unsafeLoad(fromByteOffset: offset, as: UInt8.self)) else {
          continue
        }
        if kept < count { unsafe target[kept] = character }
        kept += 1
      }
      return min(kept, count)
    }
    guard kept == count else { return nil }
    return code
  }

  /// A code as it is shown and printed: six groups of four, with hyphens.
  package static func grouped(_ code: RawSpan) -> SecretValue {
    unsafe SecretValue(byteCount: code.byteCount + max(0, code.byteCount - 1) / 4) { target in
      var position = 0
      for offset in 0..<code.byteCount {
        if offset > 0, offset % 4 == 0 {
          unsafe target[position] = 0x2D
          position += 1
        }
        unsafe target[position] = unsafe code.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
        position += 1
      }
    }
  }
}
