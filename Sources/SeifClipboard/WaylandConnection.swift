internal import CClipboard
internal import Glibc

/// Messages to and from a Wayland compositor: the wire format of its protocol, chapter 4, and nothing of what they mean.
///
/// Spoken directly: what we need of it is smaller than the tables that its library wants.
final class WaylandConnection {
  struct Event {
    let object: UInt32
    let opcode: Int
    private var body: ArraySlice<UInt8>

    init(object: UInt32, opcode: Int, body: ArraySlice<UInt8>) {
      self.object = object
      self.opcode = opcode
      self.body = body
    }

    /// The next argument, a number or an object; nil where the message is too short.
    mutating func number() -> UInt32? {
      guard body.count >= 4 else { return nil }
      defer { body = body.dropFirst(4) }
      return WaylandConnection.number(body)
    }

    /// The next argument, a text: its length with a zero at the end, padded to four bytes.
    mutating func text() -> String? {
      guard let count = number(), count > 0, count <= body.count else { return nil }
      defer { body = body.dropFirst(min(body.count, (Int(count) + 3) & ~3)) }
      return String(validating: body.prefix(Int(count) - 1), as: UTF8.self)
    }
  }

  enum Argument {
    case number(UInt32)
    case text(String)
  }

  let descriptor: Int32
  private var received: [UInt8] = []
  private var descriptors: [Int32] = []

  /// The path of a compositor's socket; nil for a bare name where nothing says in which folder it lies.
  static func path(_ name: String, folder: String?) -> String? {
    if name.hasPrefix("/") { return name }
    return folder.flatMap { $0.hasPrefix("/") ? "\($0)/\(name)" : nil }
  }

  init?(path: String) {
    descriptor = seif_clipboard_connect(path)
    if descriptor < 0 { return nil }
  }

  deinit {
    close(descriptor)
    descriptors.forEach { close($0) }
  }

  /// Sends a request.
  /// - Returns: false where the compositor is gone.
  @discardableResult
  func send(_ object: UInt32, _ opcode: Int, _ arguments: Argument...) -> Bool {
    let message = Self.message(object, opcode, arguments)
    return message.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count > 0 { rest = rest.dropFirst(count) } else if count == 0 || errno != EINTR { return false }
      }
      return true
    }
  }

  /// Sends a request that a descriptor belongs to.
  func send(_ object: UInt32, _ opcode: Int, _ argument: Argument, with sent: Int32) -> Bool {
    let message = Self.message(object, opcode, [argument])
    return message.withUnsafeBytes { seif_clipboard_send(descriptor, $0.baseAddress, $0.count, sent) } != 0
  }

  private static func message(_ object: UInt32, _ opcode: Int, _ arguments: [Argument]) -> [UInt8] {
    var body: [UInt8] = []
    for argument in arguments {
      switch argument {
      case .number(let number): body += Self.bytes(number)
      case .text(let text):
        let bytes = Array(text.utf8) + [0]
        body += Self.bytes(UInt32(bytes.count)) + bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
      }
    }
    return Self.bytes(object) + Self.bytes(UInt32(body.count + 8) << 16 | UInt32(opcode)) + body
  }

  /// Reads what is there.
  /// - Returns: false where the compositor is gone, or sends more than a message can hold.
  func receive() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4096)
    var new = [Int32](repeating: -1, count: 28)
    var count: Int32 = 0
    let got = buffer.withUnsafeMutableBytes {
      seif_clipboard_receive(descriptor, $0.baseAddress, $0.count, &new, &count)
    }
    descriptors += new.prefix(Int(count))
    guard got > 0, received.count <= 1 << 17, descriptors.count <= 256 else { return false }
    received += buffer.prefix(got)
    return true
  }

  /// The next whole message that was read; nil where there is none yet.
  func next() -> Event? {
    guard received.count >= 8 else { return nil }
    let word = Self.number(received[4...])
    // A length below that of the head would never end: such a message is taken for a head alone.
    let length = max(8, Int(word >> 16))
    guard received.count >= length else { return nil }
    let event = Event(object: Self.number(received[...]), opcode: Int(word & 0xFFFF), body: received[8..<length])
    received = Array(received[length...])
    return event
  }

  /// The next descriptor that came with messages, which the caller closes.
  func nextDescriptor() -> Int32? { descriptors.isEmpty ? nil : descriptors.removeFirst() }

  fileprivate static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
  }

  private static func bytes(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number) { Array($0) } }
}
