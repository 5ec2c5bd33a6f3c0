internal import SeifBytes
internal import SeifSQL

/// What takes back one change.
enum UndoOperation {
  /// Put an entry that was added into the bin.
  case removeItem(UUID)
  /// Put an entry back as it was.
  case restoreItem(UUID, detail: SecretValue, seed: SecretValue?)
  /// Take an entry out of the bin.
  case unbin(UUID)
  /// Put an entry into the bin again, with the time of its removal.
  case bin(UUID, removedAt: Timestamp)
  /// Take out an entry that can't be used.
  case deleteUnusable(UUID)
  /// Put back the top-level members.
  case setOpaque([OpaqueMember])
  /// Put back what was set aside.
  case unsetAside(UUID)
  /// Nothing: when the change was made, before its first operation.
  case madeAt(Timestamp)
}

/// Collects what takes back a transaction, as sealed rows of `undo` that share its counter.
///
/// Plaintext: operations one after the other: code (1) ‖ identifier (16) ‖ its values, each lp(x) = length (4) ‖ x.
struct UndoRecorder: ~Copyable {
  private var buffer = SecretBuffer()
  private let step: Int64
  private let time: Timestamp
  private var hasTime = false

  /// Plaintext bytes from which a new row is begun.
  private static let rowByteCount = 1 << 20
  /// Transactions that can be undone.
  static let stepCount = 10

  init(step: Int64, at time: Timestamp) {
    self.step = step
    self.time = time
  }

  mutating func record(_ operation: UndoOperation, _ writer: inout RowWriter) throws(VaultError) {
    if !hasTime {
      hasTime = true
      buffer.append(8)
      append(time)
    }
    switch operation {
    case .madeAt: break
    case .removeItem(let id): append(1, id)
    case .restoreItem(let id, let detail, let seed):
      append(2, id)
      append(detail)
      buffer.append(seed == nil ? 0 : 1)
      if let seed { append(seed) }
    case .unbin(let id): append(3, id)
    case .bin(let id, let removedAt):
      append(4, id)
      append(removedAt)
    case .deleteUnusable(let id): append(5, id)
    case .setOpaque(let members):
      buffer.append(6)
      buffer.appendBigEndian(UInt64(members.count), byteCount: 4)
      for member in members {
        append(SecretValue(utf8: member.key))
        append(member.value)
      }
    case .unsetAside(let id): append(7, id)
    }
    if buffer.byteCount >= Self.rowByteCount { try flush(&writer) }
  }

  /// Writes what is left and drops the steps beyond the last ten.
  mutating func finish(_ writer: inout RowWriter) throws(VaultError) {
    try flush(&writer)
    let connection = writer.connection
    let old = try sql { () throws(SQLError) in
      let statement = try connection.prepare(
        """
        SELECT id FROM undo WHERE step NOT IN (SELECT DISTINCT step FROM undo ORDER BY step DESC LIMIT ?1)
        """)
      try statement.bind(Int64(Self.stepCount), at: 1)
      var ids: [UUID] = []
      while try statement.step() { ids.append(try statement.uuid(0)) }
      return ids
    }
    for id in old { try writer.delete(.undo, id) }
  }

  private mutating func append(_ code: UInt8, _ id: UUID) {
    buffer.append(code)
    buffer.append(id.bytes)
  }

  private mutating func append(_ time: Timestamp) {
    buffer.appendBigEndian(UInt64(bitPattern: time.milliseconds), byteCount: 8)
  }

  private mutating func append(_ value: SecretValue) {
    buffer.appendBigEndian(UInt64(value.byteCount), byteCount: 4)
    buffer.append(value)
  }

  private mutating func flush(_ writer: inout RowWriter) throws(VaultError) {
    guard buffer.byteCount > 0 else { return }
    let id = writer.makeID()
    let sealer = try writer.keys.sealer(.undo)
    let content = try buffer.withBytes { (bytes) throws(VaultError) in
      try sealer.seal(bytes, row: id, column: "content", revision: 1)
    }
    try writer.insert(
      .undo, id,
      [
        .blob(content), .blob(id.bytes), .integer(try writer.nextPosition(.undo)), .integer(1), .integer(step),
      ])
    buffer = SecretBuffer()
  }

  // MARK: - Reading

  /// The operations of one row in their order.
  ///
  /// - Throws: `damaged` for anything but whole operations.
  static func decode(_ bytes: RawSpan) throws(VaultError) -> [UndoOperation] {
    var position = 0
    func take(_ count: Int) throws(VaultError) -> Range<Int> {
      guard count <= bytes.byteCount - position else { throw VaultError(.damaged, "undo") }
      defer { position += count }
      return position..<position + count
    }
    func byte() throws(VaultError) -> UInt8 { bytes.byte(try take(1).lowerBound) }
    func id() throws(VaultError) -> UUID {
      let range = try take(16)
      guard let id = UUID(bytes: range.map { bytes.byte($0) }) else { throw VaultError(.damaged, "undo") }
      return id
    }
    func time() throws(VaultError) -> Timestamp {
      Timestamp(milliseconds: Int64(bitPattern: bytes.number(at: try take(8).lowerBound)))
    }
    func count() throws(VaultError) -> Int {
      Int(bytes.unsafeLoadUnaligned(fromByteOffset: try take(4).lowerBound, as: UInt32.self).bigEndian)
    }
    func value() throws(VaultError) -> SecretValue { SecretValue(copying: bytes.extracting(try take(try count()))) }
    var operations: [UndoOperation] = []
    while position < bytes.byteCount {
      switch try byte() {
      case 1: operations.append(.removeItem(try id()))
      case 2:
        let row = try id()
        let detail = try value()
        let hasSeed = try byte() == 1
        operations.append(.restoreItem(row, detail: detail, seed: hasSeed ? try value() : nil))
      case 3: operations.append(.unbin(try id()))
      case 4:
        let row = try id()
        operations.append(.bin(row, removedAt: try time()))
      case 5: operations.append(.deleteUnusable(try id()))
      case 6:
        var members: [OpaqueMember] = []
        for _ in 0..<(try count()) {
          // EXPOSE: a member's key is text in `OpaqueMember`.
          let key = try value().exposedText() ?? ""
          members.append(OpaqueMember(key: key, value: try value()))
        }
        operations.append(.setOpaque(members))
      case 7: operations.append(.unsetAside(try id()))
      case 8: operations.append(.madeAt(try time()))
      default: throw VaultError(.damaged, "undo")
      }
    }
    return operations
  }
}
