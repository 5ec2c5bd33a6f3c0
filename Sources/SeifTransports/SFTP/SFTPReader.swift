/// Reads the fields of one packet, none of them past its end.
struct SFTPReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func byte(_ field: String) throws(SFTPFault) -> UInt8 {
    guard let value = rest.popFirst() else { throw .truncated(field: field) }
    return value
  }

  mutating func uint32(_ field: String) throws(SFTPFault) -> UInt32 {
    try bytes(4, field).reduce(0) { $0 << 8 | UInt32($1) }
  }

  mutating func uint64(_ field: String) throws(SFTPFault) -> UInt64 {
    try bytes(8, field).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// A string: its length in four bytes, then its bytes.
  mutating func string(_ field: String) throws(SFTPFault) -> ArraySlice<UInt8> {
    try bytes(Int(uint32(field)), field)
  }

  func end() throws(SFTPFault) {
    guard rest.isEmpty else { throw .trailingBytes }
  }

  private mutating func bytes(_ count: Int, _ field: String) throws(SFTPFault) -> ArraySlice<UInt8> {
    guard count <= rest.count else { throw .truncated(field: field) }
    let taken = rest.prefix(count)
    rest = rest.dropFirst(count)
    return taken
  }
}
