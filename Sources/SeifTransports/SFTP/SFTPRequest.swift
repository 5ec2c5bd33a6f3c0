/// What a client asks, as packets of SFTP version 3 (draft-ietf-secsh-filexfer-02) and of OpenSSH's extensions to it
/// (its file PROTOCOL).
enum SFTPRequest {
  case initialize
  /// `flags`: see `OpenFlags`.
  case open(path: String, flags: UInt32)
  case close(handle: [UInt8])
  case read(handle: [UInt8], offset: UInt64, count: UInt32)
  /// The bytes themselves follow the packet's beginning.
  case write(handle: [UInt8], offset: UInt64, count: UInt32)
  case status(path: String)
  /// Of the path itself where it is a link.
  case linkStatus(path: String)
  case openFolder(path: String)
  case readFolder(handle: [UInt8])
  case remove(path: String)
  case rename(from: String, to: String)
  case synchronize(handle: [UInt8])
  case link(from: String, to: String)
  case fileSystem(path: String)

  /// How a file is opened (§6.3).
  enum OpenFlags {
    static let read: UInt32 = 0x01
    static let createNew: UInt32 = 0x02 | 0x08 | 0x20  // write, create, fail where it exists
  }

  /// Its name in messages.
  var name: String {
    switch self {
    case .initialize: "INIT"
    case .open: "OPEN"
    case .close: "CLOSE"
    case .read: "READ"
    case .write: "WRITE"
    case .status: "STAT"
    case .linkStatus: "LSTAT"
    case .openFolder: "OPENDIR"
    case .readFolder: "READDIR"
    case .remove: "REMOVE"
    case .rename: "RENAME"
    case .synchronize: SFTPExtension.synchronize
    case .link: SFTPExtension.link
    case .fileSystem: SFTPExtension.fileSystem
    }
  }

  /// The packet, its length first; of a `write`, what stands before the bytes.
  func packet(_ id: UInt32) -> [UInt8] {
    var body = SFTPWriter()
    var follows: UInt32 = 0
    switch self {
    case .initialize:
      body.byte(1)
      body.uint32(3)
    case .open(let path, let flags):
      body.begin(3, id)
      body.string(path.utf8)
      body.uint32(flags)
      // Attributes: the rights of a new file, for its owner alone.
      let isNew = flags == OpenFlags.createNew
      body.uint32(isNew ? SFTPAttributes.permissionsFlag : 0)
      if isNew { body.uint32(0o600) }
    case .close(let handle): body.ask(4, id, handle)
    case .read(let handle, let offset, let count):
      body.ask(5, id, handle)
      body.uint64(offset)
      body.uint32(count)
    case .write(let handle, let offset, let count):
      body.ask(6, id, handle)
      body.uint64(offset)
      body.uint32(count)
      follows = count
    case .linkStatus(let path): body.ask(7, id, Array(path.utf8))
    case .openFolder(let path): body.ask(11, id, Array(path.utf8))
    case .readFolder(let handle): body.ask(12, id, handle)
    case .remove(let path): body.ask(13, id, Array(path.utf8))
    case .status(let path): body.ask(17, id, Array(path.utf8))
    case .rename(let from, let to): body.ask(18, id, Array(from.utf8), Array(to.utf8))
    case .synchronize(let handle): body.ask(200, id, Array(name.utf8), handle)
    case .link(let from, let to): body.ask(200, id, Array(name.utf8), Array(from.utf8), Array(to.utf8))
    case .fileSystem(let path): body.ask(200, id, Array(name.utf8), Array(path.utf8))
    }
    var packet = SFTPWriter()
    packet.uint32(UInt32(body.bytes.count) + follows)
    return packet.bytes + body.bytes
  }
}

/// Names of OpenSSH's extensions.
enum SFTPExtension {
  static let synchronize = "fsync@openssh.com"
  static let link = "hardlink@openssh.com"
  static let fileSystem = "statvfs@openssh.com"
}

/// Fields, one after the other.
struct SFTPWriter {
  private(set) var bytes: [UInt8] = []

  mutating func byte(_ value: UInt8) { bytes.append(value) }

  mutating func uint32(_ value: UInt32) {
    for shift in stride(from: 24, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
  }

  mutating func uint64(_ value: UInt64) {
    uint32(UInt32(truncatingIfNeeded: value >> 32))
    uint32(UInt32(truncatingIfNeeded: value))
  }

  // Paths and handles are bounded where they come from, far below what the length can say.
  mutating func string(_ value: some Collection<UInt8>) {
    uint32(UInt32(value.count))
    bytes.append(contentsOf: value)
  }

  mutating func begin(_ kind: UInt8, _ id: UInt32) {
    byte(kind)
    uint32(id)
  }

  /// A request whose fields are strings.
  mutating func ask(_ kind: UInt8, _ id: UInt32, _ fields: [UInt8]...) {
    begin(kind, id)
    for field in fields { string(field) }
  }
}
