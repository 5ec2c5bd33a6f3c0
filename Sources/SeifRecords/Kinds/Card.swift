public import SeifBytes

/// A payment card.
public struct Card: Sendable, Hashable {
  /// What every entry has.
  public var info = EntryInfo()
  /// Its name in lists.
  public var name = ""
  /// The name on the card.
  public var holder = ""
  /// The number: digits, or another text as it came.
  public var number: SecretValue
  /// `YYYY-MM`, or another text as it came; nil when not stored.
  public var expiry: String?
  /// The security code, nil when not stored.
  public var cvc: SecretValue?

  /// A card with a number.
  public init(number: SecretValue) {
    self.number = number
  }

  /// Whether the last digit is the one that the others ask for (ISO/IEC 7812-1, Luhn); nil if these aren't digits alone.
  public var hasValidCheckDigit: Bool? {
    number.withBytes { bytes in
      var sum = 0
      let count = bytes.byteCount
      guard count > 1 else { return nil }
      for offset in 0..<count {
        let byte = bytes.unsafeLoadUnchecked(offset)
        guard (0x30...0x39).contains(byte) else { return nil }
        let digit = Int(byte - 0x30)
        let doubled = (count - offset) % 2 == 0 ? digit * 2 : digit
        sum += doubled > 9 ? doubled - 9 : doubled
      }
      return sum % 10 == 0
    }
  }
}

extension RawSpan {
  fileprivate func unsafeLoadUnchecked(_ offset: Int) -> UInt8 {
    unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }
}
