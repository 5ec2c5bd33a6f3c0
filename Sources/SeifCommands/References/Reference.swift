internal import SeifCommandLine

/// A place in the vault, as `seif://ITEM/FIELD` names it. docs/references.md has the grammar.
struct Reference: Hashable, Sendable, CustomStringConvertible {
  /// What every reference begins with, in these letters.
  static let scheme = "seif://"
  /// The longest reference that is read, in bytes.
  static let byteLimit = 2048

  /// What finds the entry: a name, a part of one, `name:account`, or an identifier.
  let item: String
  let field: FieldName
  /// As it was written.
  let description: String

  /// What is wrong with a reference. Holds nothing of it but an offset.
  struct Fault: Error, Equatable, CustomStringConvertible {
    enum Code: Equatable { case scheme, tooLong, character, escape, notText, noItem, noField, tooManyParts }
    let code: Code
    /// Where, in bytes from the reference's start.
    let offset: Int

    var description: String {
      switch code {
      case .scheme: "it doesn't begin with seif://"
      case .tooLong: "it is longer than \(Reference.byteLimit) bytes"
      case .character: "a character needs escaping as % and two hexadecimal digits (byte \(offset + 1))"
      case .escape: "% has to be followed by two hexadecimal digits (byte \(offset + 1))"
      case .notText: "its escapes don't give UTF-8 text"
      case .noItem: "it names no item"
      case .noField: "it names no field: seif://ITEM/FIELD"
      case .tooManyParts: "it has more than an item and a field (byte \(offset + 1)); a slash in a name is %2F"
      }
    }
  }

  /// Reads a whole text as a reference.
  init(_ text: String) throws(Fault) {
    let bytes = Array(text.utf8)
    guard bytes.count <= Self.byteLimit else { throw Fault(code: .tooLong, offset: Self.byteLimit) }
    let start = Self.scheme.utf8.count
    guard bytes.starts(with: Self.scheme.utf8) else { throw Fault(code: .scheme, offset: 0) }
    guard let slash = bytes[start...].firstIndex(of: UInt8(ascii: "/")) else {
      throw Fault(code: bytes.count == start ? .noItem : .noField, offset: bytes.count)
    }
    if let second = bytes[(slash + 1)...].firstIndex(of: UInt8(ascii: "/")) {
      throw Fault(code: .tooManyParts, offset: second)
    }
    let item = try Self.decode(bytes[start..<slash])
    let field = try Self.decode(bytes[(slash + 1)...])
    guard !item.isEmpty else { throw Fault(code: .noItem, offset: start) }
    guard !field.isEmpty else { throw Fault(code: .noField, offset: slash + 1) }
    self.item = item
    self.field = FieldName(field)
    description = text
  }

  /// Whether a byte may stand in a reference: what RFC 3986 allows in a part of a path, and the slash.
  static func isAllowed(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "%") || isPlain(byte)
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-._~!$&'()*+,;=:@".utf8.contains(byte)
    }
  }

  private static func decode(_ part: ArraySlice<UInt8>) throws(Fault) -> String {
    var decoded: [UInt8] = []
    var index = part.startIndex
    while index < part.endIndex {
      let byte = part[index]
      if byte == UInt8(ascii: "%") {
        guard index + 2 < part.endIndex, let high = digit(part[index + 1]), let low = digit(part[index + 2]) else {
          throw Fault(code: .escape, offset: index)
        }
        decoded.append(high << 4 | low)
        index += 3
        continue
      }
      guard isPlain(byte) else { throw Fault(code: .character, offset: index) }
      decoded.append(byte)
      index += 1
    }
    guard !decoded.contains(0), let text = String(validating: decoded, as: UTF8.self) else {
      throw Fault(code: .notText, offset: part.startIndex)
    }
    return text
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
