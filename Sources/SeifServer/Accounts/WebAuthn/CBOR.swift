/// A value of CBOR (RFC 8949), of the kinds that authenticators write.
package enum CBORValue: Sendable, Equatable {
  case integer(Int64)
  case bytes([UInt8])
  case text(String)
  case array([CBORValue])
  case map(CBORMap)
  case bool(Bool)
  case null

  package var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
  package var text: String? { if case .text(let text) = self { text } else { nil } }
  package var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
  package var map: CBORMap? { if case .map(let map) = self { map } else { nil } }
}

/// A map, in the order of its bytes. No key stands twice.
package struct CBORMap: Sendable, Equatable {
  package fileprivate(set) var keys: [CBORValue] = []
  package fileprivate(set) var values: [CBORValue] = []

  package subscript(key: CBORValue) -> CBORValue? { keys.firstIndex(of: key).map { values[$0] } }
  package subscript(key: String) -> CBORValue? { self[.text(key)] }
}

/// Why bytes aren't CBOR as it is read here, and where. Holds nothing of them.
package struct CBORError: Error, Sendable, Equatable {
  package enum Code: Sendable {
    case truncated, notShortest, indefinite, unsupported, tooDeep, tooMany, notUTF8, badKey, duplicateKey, trailing
  }
  package var code: Code
  /// In bytes from the start.
  package var offset: Int

  package init(_ code: Code, at offset: Int) {
    self.code = code
    self.offset = offset
  }
}

/// Reads CBOR strictly: definite lengths, the shortest form of each number and length, keys that are texts or integers
/// and
/// stand once, no tags and no floating point (CTAP 2.1 §8, but for the order of keys, which some authenticators miss).
package struct CBORReader {
  /// Deepest nesting; a number alone has depth 0.
  package static let maximumDepth = 4
  /// Most values and keys together.
  package static let maximumValueCount = 64

  private let bytes: [UInt8]
  private var position: Int
  private var valueCount = 0

  private init(_ bytes: [UInt8], from offset: Int) {
    self.bytes = bytes
    position = offset
  }

  /// The one value that these bytes are.
  package static func read(_ bytes: [UInt8]) throws(CBORError) -> CBORValue {
    let (value, end) = try readPrefix(bytes, from: 0)
    guard end == bytes.count else { throw CBORError(.trailing, at: end) }
    return value
  }

  /// The value that begins at an offset, and where it ends.
  package static func readPrefix(
    _ bytes: [UInt8], from offset: Int
  ) throws(CBORError) -> (value: CBORValue, end: Int) {
    var reader = CBORReader(bytes, from: max(0, offset))
    let value = try reader.value(depth: 0)
    return (value, reader.position)
  }

  private mutating func value(depth: Int) throws(CBORError) -> CBORValue {
    let start = position
    guard depth <= Self.maximumDepth else { throw CBORError(.tooDeep, at: start) }
    valueCount += 1
    guard valueCount <= Self.maximumValueCount else { throw CBORError(.tooMany, at: start) }
    let first = try byte()
    let (kind, detail) = (first >> 5, first & 31)
    if kind == 7 {
      switch detail {
      case 20: return .bool(false)
      case 21: return .bool(true)
      case 22: return .null
      default: throw CBORError(.unsupported, at: start)
      }
    }
    let argument = try argument(detail, start: start)
    switch kind {
    case 0:
      guard let number = Int64(exactly: argument) else { throw CBORError(.unsupported, at: start) }
      return .integer(number)
    case 1:
      guard let number = Int64(exactly: argument) else { throw CBORError(.unsupported, at: start) }
      return .integer(-1 - number)
    case 2: return .bytes(try take(argument, start: start))
    case 3:
      guard let text = String(validating: try take(argument, start: start), as: UTF8.self) else {
        throw CBORError(.notUTF8, at: start)
      }
      return .text(text)
    case 4:
      var elements: [CBORValue] = []
      for _ in 0..<(try count(argument, bytesEach: 1, start: start)) {
        elements.append(try value(depth: depth + 1))
      }
      return .array(elements)
    case 5:
      var map = CBORMap()
      for _ in 0..<(try count(argument, bytesEach: 2, start: start)) {
        let place = position
        let key = try value(depth: depth + 1)
        switch key {
        case .text, .integer: break
        default: throw CBORError(.badKey, at: place)
        }
        guard !map.keys.contains(key) else { throw CBORError(.duplicateKey, at: place) }
        map.keys.append(key)
        map.values.append(try value(depth: depth + 1))
      }
      return .map(map)
    default: throw CBORError(.unsupported, at: start)
    }
  }

  private mutating func byte() throws(CBORError) -> UInt8 {
    guard position < bytes.count else { throw CBORError(.truncated, at: position) }
    defer { position += 1 }
    return bytes[position]
  }

  private mutating func argument(_ detail: UInt8, start: Int) throws(CBORError) -> UInt64 {
    let (width, least): (Int, UInt64)
    switch detail {
    case 0...23: return UInt64(detail)
    case 24: (width, least) = (1, 24)
    case 25: (width, least) = (2, 1 << 8)
    case 26: (width, least) = (4, 1 << 16)
    case 27: (width, least) = (8, 1 << 32)
    case 31: throw CBORError(.indefinite, at: start)
    default: throw CBORError(.unsupported, at: start)
    }
    var number: UInt64 = 0
    for _ in 0..<width { number = number << 8 | UInt64(try byte()) }
    guard number >= least else { throw CBORError(.notShortest, at: start) }
    return number
  }

  private mutating func take(_ length: UInt64, start: Int) throws(CBORError) -> [UInt8] {
    guard let length = Int(exactly: length), length <= bytes.count - position else {
      throw CBORError(.truncated, at: start)
    }
    defer { position += length }
    return Array(bytes[position..<position + length])
  }

  // Bounded by what is left, before anything is made of it.
  private func count(_ argument: UInt64, bytesEach: Int, start: Int) throws(CBORError) -> Int {
    guard argument <= UInt64(Self.maximumValueCount) else { throw CBORError(.tooMany, at: start) }
    guard Int(argument) * bytesEach <= bytes.count - position else { throw CBORError(.truncated, at: start) }
    return Int(argument)
  }
}
