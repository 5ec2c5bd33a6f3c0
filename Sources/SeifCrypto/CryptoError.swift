/// Why a cryptographic operation gave nothing. Holds no key, text or length of one.
public enum CryptoError: Error, Equatable, CustomStringConvertible {
  /// The tag doesn't match: another key, or altered bytes. The two can't be told apart.
  case authenticationFailed
  /// A key, nonce, salt, tag or output has a length that the algorithm doesn't take; its name.
  case badLength(String)
  /// A key derivation's number is out of range.
  case costOutOfRange(CostError)
  /// The memory that a derivation asks for can't be had.
  case outOfMemory
  /// A library that isn't loaded at start is missing; its file name, and the name of its package on Debian.
  case libraryMissing(String, package: String)
  /// The library refused what it shouldn't; the function's name.
  case internalFailure(String)

  /// What it says to people.
  public var description: String {
    switch self {
    case .authenticationFailed: "the key is wrong or the data was altered"
    case .badLength(let what): "the \(what) has an impossible length"
    case .costOutOfRange(let error): error.description
    case .outOfMemory: "there isn't enough memory for this derivation"
    case .libraryMissing(let name, let package):
      "the library \(name) isn't installed; on Debian: apt install \(package)"
    case .internalFailure(let function): "internal error: \(function) failed"
    }
  }
}

/// A number of a key derivation outside of its range, found before any memory is taken.
public struct CostError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The parameter's name: `rounds`, `memoryKiB`, `passes`, `lanes` or `memoryKiB × passes`.
  public let field: String
  /// The number asked for, nil if it doesn't fit 64 bits.
  public let value: Int64?
  /// The range that is allowed.
  public let allowed: ClosedRange<Int64>

  /// A refused number.
  public init(field: String, value: Int64?, allowed: ClosedRange<Int64>) {
    self.field = field
    self.value = value
    self.allowed = allowed
  }

  /// What it says to people.
  public var description: String {
    let number = value.map(String.init) ?? "a number of more than 64 bits"
    return "\(field) is \(number); allowed are \(allowed.lowerBound) to \(allowed.upperBound)"
  }
}
