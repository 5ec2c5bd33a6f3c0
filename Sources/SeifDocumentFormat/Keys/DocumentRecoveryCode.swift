public import SeifBytes
public import SeifCrypto

/// The recovery code of a document vault: 24 characters, 120 bits of randomness (seed *Formatul seifului*: "Recovery
/// code"). Another type than the vault's own, so that one never stands for the other.
public struct DocumentRecoveryCode: ~Copyable, Sendable {
  private let code: SecretBytes

  /// Rounds of PBKDF2-HMAC-SHA256, fixed: a row that says others is refused.
  public static let rounds = 600_000
  /// Bytes of a row's salt.
  public static let saltByteCount = 16

  /// A new code.
  public static func make(_ random: RandomSource = .system) -> DocumentRecoveryCode {
    DocumentRecoveryCode(RecoveryCharacters.make(random))
  }

  private init(_ code: consuming SecretBytes) { self.code = code }

  /// The code that someone typed: per Unicode scalar, ASCII letters in upper case, everything outside the alphabet
  /// dropped.
  ///
  /// - Throws: what is wrong and in which group, before anything is derived, unless exactly 24 characters remain.
  public init(typed: borrowing SecretBytes) throws(RecoveryCodeFault) {
    guard let code = typed.withBytes({ RecoveryCharacters.normalised($0) }) else {
      throw typed.withBytes { RecoveryCodeFault($0) }
    }
    self.code = code
  }

  /// Calls `body` with the 24 characters in ASCII.
  public borrowing func withBytes<R: ~Copyable, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
    try code.withBytes(body)
  }

  /// The code as it is shown and printed: six groups of four, with hyphens.
  public var grouped: SecretValue { code.withBytes { RecoveryCharacters.grouped($0) } }

  /// The key that seals the master key in a row with this salt: 32 bytes. Takes about a tenth of a second.
  ///
  /// - Throws: `badRow("salt")` for a salt of other than 16 bytes.
  public func deriveKey(salt: [UInt8]) throws(DocumentFormatError) -> SecretBytes {
    guard salt.count == Self.saltByteCount else { throw .badRow("salt") }
    do throws(CryptoError) {
      return try PBKDF2.deriveKey(passphrase: code, salt: salt, rounds: Self.rounds)
    } catch {
      throw .badRow("salt")
    }
  }
}

/// Why something typed is no recovery code, by places alone: nothing of it is repeated.
public struct RecoveryCodeFault: Error, Equatable, Sendable, CustomStringConvertible {
  /// How many characters of the alphabet it has; 24 are right.
  public let characterCount: Int
  /// Groups, counted from 1, with a 0, O, 1 or I, which no code has.
  public let excluded: [Int]
  /// Groups with fewer or more than four characters; empty where six groups can't be told apart.
  public let uneven: [Int]

  init(_ typed: RawSpan) {
    var groups: [(kept: Int, excluded: Int)] = [(0, 0)]
    for offset in 0..<typed.byteCount {
      let byte = unsafe typed.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
      let last = groups.count - 1
      if RecoveryCharacters.character(byte) != nil {
        groups[last].kept += 1
      } else if [0x30, 0x31, 0x49, 0x4F, 0x69, 0x6F].contains(byte) {
        groups[last].excluded += 1
      } else if byte == 0x20 || byte == 0x2D, groups[last] != (0, 0), groups.count < 64 {
        groups.append((0, 0))
      }
    }
    if let last = groups.last, last == (0, 0) { groups.removeLast() }
    characterCount = groups.reduce(0) { $0 + $1.kept }
    // Typed without separators nothing says where a group ends.
    excluded = groups.count == 1 ? [] : Self.places(groups) { $0.excluded > 0 }
    let areAllThere = groups.count == RecoveryCharacters.count / 4
    uneven = areAllThere ? Self.places(groups) { $0.kept != 4 && $0.excluded == 0 } : []
  }

  private static func places(
    _ groups: [(kept: Int, excluded: Int)], _ isMeant: ((kept: Int, excluded: Int)) -> Bool
  ) -> [Int] {
    groups.indices.filter { isMeant(groups[$0]) }.map { $0 + 1 }
  }

  /// What it says to people.
  public var description: String {
    var words = ["that is \(characterCount) of \(RecoveryCharacters.count) characters"]
    if !excluded.isEmpty {
      let name = excluded.count == 1 ? "group" : "groups"
      words.append("\(name) \(Self.joined(excluded)) may hold a 0, O, 1 or I, which no code has")
    }
    if !uneven.isEmpty {
      words.append("\(uneven.count == 1 ? "group" : "groups") \(Self.joined(uneven)) should have four")
    }
    return words.joined(separator: "; ")
  }

  private static func joined(_ numbers: [Int]) -> String { numbers.map(String.init).joined(separator: ", ") }
}
