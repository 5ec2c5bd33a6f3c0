internal import SeifBytes
internal import SeifCrypto
internal import SeifSQL

/// The XOR of the digests of some rows, and their number.
struct RowSum: Equatable {
  var digest = SIMD4<UInt64>()
  var rows: UInt64 = 0

  mutating func toggle(_ other: SIMD4<UInt64>) { digest ^= other }
}

/// What the sealed state says: all rows of all tables, and how many transactions there were.
struct AccumulatorState: Equatable {
  var sum = RowSum()
  var counter: UInt64 = 0

  var encoded: [UInt8] {
    ((0..<4).map { sum.digest[$0] } + [sum.rows, counter]).flatMap { number in
      (0..<8).map { UInt8(number >> (56 - 8 * $0) & 0xFF) }
    }
  }

  init() {}

  init?(_ bytes: RawSpan) {
    guard bytes.byteCount == 48 else { return nil }
    let numbers = (0..<6).map { bytes.number(at: $0 * 8) }
    sum = RowSum(digest: SIMD4(numbers[0..<4]), rows: numbers[4])
    counter = numbers[5]
  }
}

/// What the digest of a row is made of.
private struct RowMessage {
  var bytes: [UInt8]

  mutating func append(_ integer: Int64) {
    append(type: 1, byteCount: 8)
    withUnsafeBytes(of: integer.bigEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func append(type: UInt8, _ value: some Collection<UInt8>) {
    append(type: type, byteCount: value.count)
    bytes.append(contentsOf: value)
  }

  // SQLite holds values of at most 2 GiB, so their lengths fit 4 bytes.
  mutating func append(type: UInt8, byteCount: Int) {
    bytes.append(type)
    withUnsafeBytes(of: UInt32(clamping: byteCount).bigEndian) { bytes.append(contentsOf: $0) }
  }
}

extension RawSpan {
  /// Eight bytes, most significant first; the offset leaves room for them.
  func number(at offset: Int) -> UInt64 {
    unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self).bigEndian
  }
}

/// A keyed MSet-XOR-Hash over rows (specified in docs/formats/vault.md).
final class Accumulator {
  private let mac: HMACSHA256
  private let cipher: AES256GCM
  private let vaultID: UUID
  private let aad: [UInt8]
  private var spare: [UInt8] = []

  init(key: borrowing SecretBytes, vaultID: UUID) throws(VaultError) {
    do throws(CryptoError) {
      mac = try HMACSHA256(key: key)
      cipher = try AES256GCM(key: key)
    } catch {
      throw VaultError(.outOfMemory)
    }
    self.vaultID = vaultID
    aad = Array("seif-accumulator:1:\(vaultID)".utf8)
  }

  // MARK: - Digests

  /// The digest of a row given by its values in the order of the columns' names.
  func digest(_ table: VaultTable, _ row: UUID, _ values: [SQLValue]) -> SIMD4<UInt64> {
    var message = begin(table, row)
    for (name, value) in zip(table.digestNames, values) {
      message.bytes.append(contentsOf: name)
      switch value {
      case .null: message.append(type: 0, byteCount: 0)
      case .integer(let integer): message.append(integer)
      case .text(let text): message.append(type: 2, text.utf8)
      case .blob(let bytes): message.append(type: 3, bytes)
      }
    }
    return finish(message)
  }

  /// The digest of the row on which a `selectOne` or `selectAll` stands.
  func digest(_ table: VaultTable, _ statement: borrowing Statement) throws(VaultError) -> SIMD4<UInt64> {
    do throws(SQLError) {
      let row = try statement.uuid(table.idIndex)
      var message = begin(table, row)
      for (index, name) in table.digestNames.enumerated() {
        message.bytes.append(contentsOf: name)
        switch try statement.type(index) {
        case .integer: message.append(try statement.integer(index))
        case .text: message.append(type: 2, try statement.text(index).utf8)
        case .blob:
          try statement.withBlob(index) { (bytes) throws(SQLError) in
            bytes.withUnsafeBytes { message.append(type: 3, $0) }
          }
        default: message.append(type: 0, byteCount: 0)
        }
      }
      return finish(message)
    } catch {
      throw VaultError(error)
    }
  }

  // The buffer is taken out while it is filled: as a property, each append would be checked for exclusive access.
  private func begin(_ table: VaultTable, _ row: UUID) -> RowMessage {
    var message = RowMessage(bytes: spare)
    spare = []
    message.bytes.removeAll(keepingCapacity: true)
    message.bytes.append(contentsOf: table.digestStart)
    row.appendText(to: &message.bytes)
    return message
  }

  private func finish(_ message: RowMessage) -> SIMD4<UInt64> {
    let bytes = message.bytes
    let code = mac.code(bytes.span.bytes)
    spare = bytes
    let span = code.span.bytes
    return SIMD4(span.number(at: 0), span.number(at: 8), span.number(at: 16), span.number(at: 24))
  }

  /// The sum over all rows of some tables; nil if there are more than `limit`.
  func sum(
    of tables: [VaultTable], in connection: Connection, limit: UInt64 = .max
  ) throws(VaultError) -> RowSum? {
    var sum = RowSum()
    for table in tables {
      do throws(SQLError) {
        let statement = try connection.prepare(table.selectAll)
        while try statement.step() {
          sum.rows &+= 1
          guard sum.rows <= limit else { return nil }
          do throws(VaultError) { sum.toggle(try digest(table, statement)) } catch { throw SQLError(.corrupt) }
        }
      } catch {
        throw VaultError(error)
      }
    }
    return sum
  }

  // MARK: - The sealed state

  /// What the vault last wrote; `damaged` if it is missing or doesn't open.
  func read(from connection: Connection) throws(VaultError) -> AccumulatorState {
    do throws(SQLError) {
      let statement = try connection.prepare("SELECT state FROM accumulator WHERE id = ?1")
      try statement.bind(vaultID.bytes, at: 1)
      guard try statement.step() else { throw SQLError(.corrupt, message: "no accumulator") }
      return try statement.withBlob(0) { (sealed) throws(SQLError) in
        let opened: SecretValue
        do throws(CryptoError) {
          let aad = aad
          opened = try cipher.openCombined(sealed, aad: aad.span.bytes)
        } catch {
          throw SQLError(.corrupt, message: "the accumulator doesn't open")
        }
        guard let state = opened.withBytes({ AccumulatorState($0) }) else {
          throw SQLError(.corrupt, message: "the accumulator doesn't open")
        }
        return state
      }
    } catch {
      throw VaultError(error)
    }
  }

  /// Identifiers of rows beside the vault's own; its sum covers all tables but this one.
  func strayRows(in connection: Connection) throws(VaultError) -> [UUID] {
    let vaultID = vaultID
    return try sql { () throws(SQLError) in
      let statement = try connection.prepare("SELECT id FROM accumulator WHERE id <> ?1")
      try statement.bind(vaultID.bytes, at: 1)
      var ids: [UUID] = []
      while try statement.step() { ids.append(try statement.uuid(0)) }
      return ids
    }
  }

  func write(_ state: AccumulatorState, vaultID: UUID, nonce: [UInt8], to connection: Connection) throws(VaultError) {
    let sealed: [UInt8]
    let (plain, aad) = (state.encoded, aad)
    do throws(CryptoError) {
      sealed = try cipher.sealCombined(plain.span.bytes, nonce: nonce, aad: aad.span.bytes)
    } catch {
      throw VaultError(.internalFailure, "sealing")
    }
    do throws(SQLError) {
      let statement = try connection.prepare(
        "INSERT INTO accumulator (id, state) VALUES (?1, ?2) ON CONFLICT (id) DO UPDATE SET state = ?2")
      try statement.bind(vaultID.bytes, at: 1)
      try statement.bind(sealed, at: 2)
      try statement.run()
    } catch {
      throw VaultError(error)
    }
  }
}

extension Statement {
  /// A column of 16 bytes.
  func uuid(_ column: Int) throws(SQLError) -> UUID {
    try withBlob(column) { (bytes) throws(SQLError) in
      guard let id = UUID(bytes: bytes) else {
        throw SQLError(.wrongType, message: "column \(column) is no identifier")
      }
      return id
    }
  }
}
