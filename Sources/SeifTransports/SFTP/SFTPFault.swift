/// What is wrong with a packet: how its bytes break the protocol, never the bytes.
enum SFTPFault: Error, Equatable, CustomStringConvertible {
  /// A packet of so many bytes.
  case length(UInt32)
  /// It ends inside a field.
  case truncated(field: String)
  /// Bytes follow its last field.
  case trailingBytes
  /// A kind of packet that answers nothing.
  case kind(UInt8)
  /// An answer to something that wasn't asked.
  case identifier
  /// An answer of another kind than the question's.
  case otherAnswer(to: String)
  /// Attributes with flags that version 3 doesn't have.
  case attributes(UInt32)
  /// More or fewer things than there can be.
  case count(field: String)
  /// Another version of the protocol.
  case version(UInt32)
  /// A name that leads elsewhere.
  case name

  var description: String {
    switch self {
    case .length(let count): "a packet of \(count) bytes"
    case .truncated(let field): "a packet that ends inside \(field)"
    case .trailingBytes: "a packet with bytes after its end"
    case .kind(let number): "a packet of kind \(number)"
    case .identifier: "an answer to nothing that was asked"
    case .otherAnswer(let question): "an answer that doesn't answer \(question)"
    case .attributes(let flags): "attributes with the flags 0x\(String(flags, radix: 16))"
    case .count(let field): "a wrong number of \(field)"
    case .version(let number): "version \(number) of SFTP"
    case .name: "a name that leads elsewhere"
    }
  }
}
