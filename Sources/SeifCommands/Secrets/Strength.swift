internal import SeifCommandLine
internal import Glibc
package import SeifBytes

/// How long a passphrase would stand up to guessing.
package struct Strength: Sendable, Equatable {
  /// The base-2 logarithm of the guesses that somebody needs who knows how people choose.
  package let bits: Double

  /// How many machines like this one the second assumption gives the attacker.
  package static let manyMachines = 10_000.0
  private static let day = 86_400.0

  package init(bits: Double) { self.bits = bits }

  /// Judged by zxcvbn, loaded only now; nil where the library isn't installed.
  ///
  /// At most the first 256 bytes are judged, since its time grows faster than the length; less is never judged stronger.
  /// It takes fragments into memory of its own, which isn't wiped.
  package init?(judging passphrase: borrowing SecretBytes) {
    guard let library = dlopen("libzxcvbn.so.0", RTLD_NOW | RTLD_LOCAL) else { return nil }
    guard let symbol = dlsym(library, "ZxcvbnMatch") else { return nil }
    typealias Match = @convention(c) (UnsafePointer<CChar>, UnsafeRawPointer?, UnsafeRawPointer?) -> Double
    let match = unsafeBitCast(symbol, to: Match.self)
    // In locked memory once more, ended by a zero as C wants it.
    let ended = SecretBytes(byteCount: 257) { buffer in
      passphrase.withBytes { bytes in
        let judged = bytes.extracting(first: 256)
        judged.withUnsafeBytes { buffer.copyMemory(from: $0) }
        return judged.byteCount + 1
      }
    }
    bits = ended.withBytes { bytes in
      bytes.withUnsafeBytes { buffer in
        guard let start = buffer.baseAddress else { return 0 }
        return max(0, match(start.assumingMemoryBound(to: CChar.self), nil, nil))
      }
    }
  }

  /// The seconds that all guesses take.
  package func seconds(guessesPerSecond: Double, machines: Double = 1) -> Double {
    exp2(min(bits, 1000)) / max(guessesPerSecond, .leastNormalMagnitude) / machines
  }

  /// Whether ten thousand machines like this one guess it within a day.
  package func isWeak(guessesPerSecond: Double) -> Bool {
    seconds(guessesPerSecond: guessesPerSecond, machines: Self.manyMachines) < Self.day
  }

  /// The line for the person, with both assumptions: `strength ######---- 3 years on one machine like this, 2 hours on
  /// 10,000 of them`.
  package func line(guessesPerSecond: Double) -> String {
    let filled = min(10, Int(bits / 8))
    let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: 10 - filled)
    let one = Self.words(forSeconds: seconds(guessesPerSecond: guessesPerSecond))
    let many = Self.words(forSeconds: seconds(guessesPerSecond: guessesPerSecond, machines: Self.manyMachines))
    return "strength  [\(bar)]  to guess it: \(one) on one machine like this, \(many) on 10,000 of them"
  }

  static func words(forSeconds seconds: Double) -> String {
    func count(_ unit: Double, _ name: String) -> String {
      let number = Int((seconds / unit).rounded())
      return "\(number) \(name)\(number == 1 ? "" : "s")"
    }
    return switch seconds {
    case ..<1: "under a second"
    case ..<60: count(1, "second")
    case ..<3600: count(60, "minute")
    case ..<(2 * day): count(3600, "hour")
    case ..<(730 * day): count(day, "day")
    case ..<(365.25e6 * day): count(365.25 * day, "year")
    default: "over a million years"
    }
  }
}
