/// What a server answers, read strictly: bytes in, values out.
enum SFTPAnswer: Equatable {
  /// The first answer: a version, and the names of the extensions that are there.
  case version(extensions: Set<String>)
  case status(SFTPStatus)
  case handle([UInt8])
  case data(ArraySlice<UInt8>)
  case names([SFTPName])
  case attributes(SFTPAttributes)
  /// An extension's own fields.
  case extended(ArraySlice<UInt8>)

  /// Most bytes of a packet: what OpenSSH's own client takes.
  static let packetLimit: UInt32 = 256 << 10
  /// Most bytes of a handle (§4: "MUST NOT be longer than 256 bytes").
  static let handleLimit = 256
  private static let extensionLimit = 64

  /// The length that a packet's first four bytes give.
  static func length(_ bytes: [UInt8]) throws(SFTPFault) -> Int {
    var reader = SFTPReader(bytes[...])
    let length = try reader.uint32("length")
    // Kind and identifier at least.
    guard (5...packetLimit).contains(length) else { throw .length(length) }
    return Int(length)
  }

  /// The first answer, which has no identifier.
  static func version(_ packet: [UInt8]) throws(SFTPFault) -> Set<String> {
    var reader = SFTPReader(packet[...])
    let kind = try reader.byte("kind")
    guard kind == 2 else { throw .kind(kind) }
    let version = try reader.uint32("version")
    guard version == 3 else { throw .version(version) }
    var extensions = Set<String>()
    var count = 0
    while !reader.isAtEnd {
      count += 1
      guard count <= extensionLimit else { throw .count(field: "extensions") }
      let name = try reader.string("extension")
      _ = try reader.string("extension")
      if let name = String(validating: name, as: UTF8.self) { extensions.insert(name) }
    }
    return extensions
  }

  /// Any later answer, without its length.
  static func parse(_ packet: [UInt8]) throws(SFTPFault) -> (id: UInt32, answer: SFTPAnswer) {
    var reader = SFTPReader(packet[...])
    let kind = try reader.byte("kind")
    let id = try reader.uint32("identifier")
    let answer: SFTPAnswer
    switch kind {
    case 101: answer = .status(try SFTPStatus(&reader))
    case 102:
      let handle = try reader.string("handle")
      guard handle.count <= handleLimit else { throw .count(field: "bytes of a handle") }
      answer = .handle(Array(handle))
    case 103: answer = .data(try reader.string("data"))
    case 104: answer = .names(try names(&reader))
    case 105: answer = .attributes(try SFTPAttributes(&reader))
    case 201:
      // The fields are the extension's, which knows where they end.
      return (id, .extended(packet[5...]))
    default: throw .kind(kind)
    }
    try reader.end()
    return (id, answer)
  }

  private static func names(_ reader: inout SFTPReader) throws(SFTPFault) -> [SFTPName] {
    let count = try reader.uint32("count")
    // Each takes 12 bytes at least, which bounds the count by the packet.
    guard count <= packetLimit / 12 else { throw .count(field: "names") }
    var names: [SFTPName] = []
    for _ in 0..<count {
      let bytes = try reader.string("name")
      // What `ls -l` would print: for people, and not to be read by programs (§7).
      _ = try reader.string("long name")
      let attributes = try SFTPAttributes(&reader)
      guard !bytes.contains(0x2F), !bytes.contains(0), !bytes.isEmpty else { throw .name }
      // No name of ours is long, and a listing of long ones would fill the memory.
      let text = bytes.count <= 1024 ? String(validating: bytes, as: UTF8.self) : nil
      names.append(SFTPName(text: text, attributes: attributes))
    }
    return names
  }
}

/// One entry of a folder.
struct SFTPName: Equatable {
  /// Nil: not UTF-8, so no name of ours.
  var text: String?
  var attributes: SFTPAttributes
}

/// How something went (§7).
struct SFTPStatus: Equatable {
  static let ok: UInt32 = 0
  static let endOfFile: UInt32 = 1
  static let noSuchFile: UInt32 = 2
  static let permissionDenied: UInt32 = 3
  static let failure: UInt32 = 4

  var code: UInt32
  /// The server's words, empty where there are none.
  var message = ""

  init(_ code: UInt32) { self.code = code }

  init(_ reader: inout SFTPReader) throws(SFTPFault) {
    code = try reader.uint32("status")
    // Servers that began with an older version send the code alone.
    guard !reader.isAtEnd else { return }
    message = String(decoding: try reader.string("message").prefix(1_024), as: UTF8.self)
    guard !reader.isAtEnd else { return }
    _ = try reader.string("language")
  }
}

/// What a server says of a file (§5).
struct SFTPAttributes: Equatable {
  static let permissionsFlag: UInt32 = 0x04
  private static let knownFlags: UInt32 = 0x8000_000F
  private static let extendedLimit: UInt32 = 64

  var byteCount: UInt64?
  /// Kind and rights as POSIX has them.
  var permissions: UInt32?
  /// Unix seconds, by the server's clock.
  var modified: UInt32?

  init(byteCount: UInt64? = nil, permissions: UInt32? = nil, modified: UInt32? = nil) {
    self.byteCount = byteCount
    self.permissions = permissions
    self.modified = modified
  }

  init(_ reader: inout SFTPReader) throws(SFTPFault) {
    let flags = try reader.uint32("attributes")
    guard flags & ~Self.knownFlags == 0 else { throw .attributes(flags) }
    if flags & 0x01 != 0 { byteCount = try reader.uint64("size") }
    if flags & 0x02 != 0 {
      _ = try reader.uint32("owner")
      _ = try reader.uint32("group")
    }
    if flags & Self.permissionsFlag != 0 { permissions = try reader.uint32("permissions") }
    if flags & 0x08 != 0 {
      _ = try reader.uint32("access time")
      modified = try reader.uint32("modification time")
    }
    if flags & 0x8000_0000 != 0 {
      let count = try reader.uint32("extended attributes")
      guard count <= Self.extendedLimit else { throw .count(field: "extended attributes") }
      for _ in 0..<count {
        _ = try reader.string("extended attribute")
        _ = try reader.string("extended attribute")
      }
    }
  }

  /// Whether it is a regular file, as far as the server says what it is.
  var isRegularFile: Bool { kind == nil || kind == 0o100_000 }
  /// Whether it is a folder, as far as the server says what it is.
  var isFolder: Bool { kind == nil || kind == 0o040_000 }

  // Servers that aren't on POSIX may leave the bits of the kind out.
  private var kind: UInt32? {
    guard let permissions, permissions & 0o170_000 != 0 else { return nil }
    return permissions & 0o170_000
  }
}

/// What `statvfs@openssh.com` answers, as far as it says why nothing can be written.
struct SFTPFileSystem: Equatable {
  var freeBytes: UInt64
  var isReadOnly: Bool

  init(_ fields: ArraySlice<UInt8>) throws(SFTPFault) {
    var reader = SFTPReader(fields)
    _ = try reader.uint64("block size")
    let unit = try reader.uint64("fundamental block size")
    for _ in 0..<2 { _ = try reader.uint64("blocks") }
    let free = try reader.uint64("blocks that may be used")
    for _ in 0..<4 { _ = try reader.uint64("files") }
    let flags = try reader.uint64("flags")
    _ = try reader.uint64("longest name")
    try reader.end()
    let bytes = unit.multipliedReportingOverflow(by: free)
    freeBytes = bytes.overflow ? .max : bytes.partialValue
    isReadOnly = flags & 1 != 0
  }
}
