/// What names and values of fields may hold (RFC 9110 §5).
package enum HTTPSyntax {
  /// Whether bytes are a token: a method, the name of a field.
  package static func isToken(_ bytes: some Collection<UInt8>) -> Bool {
    !bytes.isEmpty
      && bytes.allSatisfy {
        switch $0 {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains($0)
        }
      }
  }

  /// Whether bytes hold no control character but tabs.
  package static func isFieldValue(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
  }

  /// The text of a value without the white space around it: UTF-8, or each byte its own character where it isn't that.
  package static func text(trimming bytes: some BidirectionalCollection<UInt8>) -> String {
    var array = Array(bytes.drop { $0 == 0x20 || $0 == 0x09 })
    while let last = array.last, last == 0x20 || last == 0x09 { array.removeLast() }
    return String(validating: array, as: UTF8.self)
      ?? String(String.UnicodeScalarView(array.map { Unicode.Scalar($0) }))
  }
}
