internal import SeifBytes
internal import SeifCrypto
internal import SeifSQL

/// The XOR of the digests of some rows, and their number.
struct RowSum: Equatable {
  var digest: [UInt64] = [0, 0, 0, 0]
  var rows: UInt64 = 0

  mutating func toggle(_ other: [UInt64]) {
    for index in 0..<4 { digest[index] ^= other[index] }
  }
}

/// What the sealed state says: all rows of all tables, and how many transactions there were.
struct AccumulatorState: Equatable {
  var sum = RowSum()
  var counter: UInt64 = 0

  var encoded: [UInt8] {
    (sum.digest + [sum.rows, counter]).flatMap { number in (0..<8).map { UInt8(number >> (56 - 8 * $0) & 0xFF) } }
  }

  init() {}

  init?(_ bytes: RawSpan) {
    guard bytes.byteCount == 48 else { return nil }
    let numbers = (0..<6).map { bytes.number(at: $0 * 8) }
    sum = RowSum(digest: Array(numbers[0..<4]), rows: numbers[4])
    counter = numbers[5]
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
  private let aad: [UInt8]
  private var message: [UInt8] = []

  init(key: borrowing SecretBytes, vaultID: UUID) throws(VaultError) {
    do throws(CryptoError) {
      mac = try HMACSHA256(key: key)
      cipher = try AES256GCM(key: key)
    } catch {
      throw VaultError(.outOfMemory)
    }
    aad = Array("seif-accumulator:1:\(vaultID)".utf8)
  }

  // MARK: - Digests

  /// The digest of a row given by its values in the order of the columns' names.
  func digest(_ table: VaultTable, _ row: UUID, _ values: [SQLValue]) -> [UInt64] {
    begin(table, row)
    for (column, value) in zip(table.columns, values) {
      begin(column)
      switch value {
      case .null:
        message.append(0)
        appendLength(0)
      case .integer(let integer):
        message.append(1)
        appendLength(8)
        append(UInt64(bitPattern: integer), byteCount: 8)
      case .text(let text):
        message.append(2)
        appendLength(text.utf8.count)
        message.append(contentsOf: text.utf8)
      case .blob(let bytes):
        message.append(3)
        appendLength(bytes.count)
        message.append(contentsOf: bytes)
      }
    }
    return finish()
  }

  /// The digest of the row on which a `selectOne` or `selectAll` stands.
  func digest(_ table: VaultTable, _ statement: borrowing Statement) throws(VaultError) -> [UInt64] {
    do throws(SQLError) {
      let row = try statement.uuid(table.index(of: "id"))
      begin(table, row)
      for (index, column) in table.columns.enumerated() {
        begin(column)
        switch try statement.type(index) {
        case .integer:
          message.append(1)
          appendLength(8)
          append(UInt64(bitPattern: try statement.integer(index)), byteCount: 8)
        case .blob:
          message.append(3)
          try statement.withBlob(index) { (bytes) throws(SQLError) in
            appendLength(bytes.byteCount)
            bytes.withUnsafeBytes { message.append(contentsOf: $0) }
          }
        case .text:
          let text = try statement.text(index)
          message.append(2)
          appendLength(text.utf8.count)
          message.append(contentsOf: text.utf8)
        default:
          message.append(0)
          appendLength(0)
        }
      }
    } catch {
      throw VaultError(error)
    }
    return finish()
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

  private func begin(_ table: VaultTable, _ row: UUID) {
    message.removeAll(keepingCapacity: true)
    appendLength(table.name.utf8.count)
    message.append(contentsOf: table.name.utf8)
    appendLength(36)
    row.appendText(to: &message)
  }

  private func begin(_ column: String) {
    appendLength(column.utf8.count)
    message.append(contentsOf: column.utf8)
  }

  // SQLite holds values of at most 2 GiB, so their lengths fit 4 bytes.
  private func appendLength(_ count: Int) { append(UInt64(UInt32(clamping: count)), byteCount: 4) }

  private func append(_ number: UInt64, byteCount: Int) {
    for index in stride(from: byteCount - 1, through: 0, by: -1) {
      message.append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(index))))
    }
  }

  private func finish() -> [UInt64] {
    let message = message
    let code = mac.code(message.span.bytes)
    let bytes = code.span.bytes
    return [bytes.number(at: 0), bytes.number(at: 8), bytes.number(at: 16), bytes.number(at: 24)]
  }

  // MARK: - The sealed state

  /// What the vault last wrote; `damaged` if it is missing or doesn't open.
  func read(from connection: Connection) throws(VaultError) -> AccumulatorState {
    do throws(SQLError) {
      let statement = try connection.prepare("SELECT state FROM accumulator")
      guard try statement.step() else { throw SQLError(.corrupt, message: "no accumulator") }
      return try statement.withBlob(0) { (sealed) throws(SQLError) in
        let opened: SecretValue
        do throws(CryptoError) {
          let aad = aad
          opened = try cipher.openCombined(sealed, aad: aad.span.bytes)
        } catch {
          throw SQLError(.corrupt, message: "the accumulator doesn't open")
        }
        guard let state = opened.withBytes({ AccumulatorState($0) }) else { throw SQLError(.corrupt, message: "the accumulator doesn't open") }
        return state
      }
    } catch {
      throw VaultError(error)
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
    guard let id = UUID(bytes: try blob(column)) else {
      throw SQLError(.wrongType, message: "column \(column) is no identifier")
    }
    return id
  }
}
