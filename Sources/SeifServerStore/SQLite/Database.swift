internal import CSeif
internal import Glibc
internal import SeifBytes
internal import SeifSQL
internal import Synchronization

/// The database of a server: one connection that writes, and as many that read as are needed at once.
final class Database: Sendable {
  /// A connection belongs to whoever took it out.
  private struct Owned: @unchecked Sendable { let connection: Connection }

  private let path: String
  private let writer: Mutex<Owned>
  private let readers = Mutex<[Owned]>([])

  /// Opens it, made and brought up to date where that is needed.
  init(path: String) throws(StoreFailure) {
    self.path = path
    var status = stat()
    let mode: Connection.Mode = lstat(path, &status) == 0 ? .readWrite : .create
    do throws(SQLError) {
      let connection = try Schema.migrator.open(path: path, mode: mode, options: Self.options)
      writer = Mutex(Owned(connection: connection))
    } catch {
      guard mode == .create, error.code == .alreadyExists else { throw StoreFailure(error) }
      // Another process was faster.
      do throws(SQLError) {
        let connection = try Schema.migrator.open(path: path, mode: .readWrite, options: Self.options)
        writer = Mutex(Owned(connection: connection))
      } catch { throw StoreFailure(error) }
    }
  }

  private static let options = ConnectionOptions(maximumValueByteCount: 24 << 20)

  /// One transaction that may write.
  func write<R: Sendable>(_ body: (Connection) throws(SQLError) -> R) throws(StoreFailure) -> R {
    // `withLock` doesn't carry typed errors, hence the result.
    let result: Result<R, StoreFailure> = writer.withLock { owned in
      do throws(SQLError) {
        let connection = owned.connection
        return .success(try connection.transaction(.immediate) { () throws(SQLError) in try body(connection) })
      } catch { return .failure(StoreFailure(error)) }
    }
    return try result.get()
  }

  /// Reads that see one moment.
  func read<R: Sendable>(_ body: (Connection) throws(SQLError) -> R) throws(StoreFailure) -> R {
    do throws(SQLError) {
      let owned = try takeReader()
      defer { readers.withLock { if $0.count < 16 { $0.append(owned) } } }
      let connection = owned.connection
      return try connection.transaction(.deferred) { () throws(SQLError) in try body(connection) }
    } catch { throw StoreFailure(error) }
  }

  private func takeReader() throws(SQLError) -> Owned {
    if let owned = readers.withLock({ $0.popLast() }) { return owned }
    return Owned(connection: try Connection(path: path, mode: .readWrite, options: Self.options))
  }

  /// A whole copy, as it is at one moment, while others go on.
  func copy(to destination: String) throws(StoreFailure) {
    do throws(SQLError) {
      let owned = try takeReader()
      defer { readers.withLock { $0.append(owned) } }
      try owned.connection.copy(to: destination)
    } catch { throw StoreFailure(error) }
  }
}

extension StoreFailure {
  init(_ error: SQLError) {
    switch error.code {
    case .busy: self.init(.busy, error.description)
    case .full: self.init(.full, error.description)
    case .corrupt, .notADatabase, .wrongType, .invalidText, .foreignSchema: self.init(.damaged, error.description)
    default: self.init(.unavailable, error.description)
    }
  }
}

extension Connection {
  /// Runs a statement that gives no rows; how many rows it changed.
  @discardableResult
  func run(_ sql: StaticString, _ values: SQLValue...) throws(SQLError) -> Int {
    let statement = try prepare(sql)
    for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
    try statement.run()
    return changes
  }

  /// The rows of a statement.
  func rows<R>(
    _ sql: StaticString, _ values: SQLValue..., read: (borrowing Statement) throws(SQLError) -> R
  ) throws(SQLError) -> [R] {
    let statement = try prepare(sql)
    for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
    var rows: [R] = []
    while try statement.step() { rows.append(try read(statement)) }
    return rows
  }
}

extension SQLValue {
  static func id(_ id: UUID) -> SQLValue { .blob(id.bytes) }
  static func id(_ id: UUID?) -> SQLValue { id.map { .blob($0.bytes) } ?? .null }
  static func number(_ number: Int) -> SQLValue { .integer(Int64(number)) }
  static func number(_ number: Int?) -> SQLValue { number.map { .integer(Int64($0)) } ?? .null }
  static func flag(_ flag: Bool) -> SQLValue { .integer(flag ? 1 : 0) }
  static func time(_ time: Timestamp) -> SQLValue { .integer(time.milliseconds) }
  static func time(_ time: Timestamp?) -> SQLValue { time.map { .integer($0.milliseconds) } ?? .null }
  static func bytes(_ bytes: [UInt8]?) -> SQLValue { bytes.map { .blob($0) } ?? .null }
}

extension Statement {
  func id(_ column: Int) throws(SQLError) -> UUID {
    guard let id = UUID(bytes: try blob(column)) else { throw SQLError(.wrongType, message: "column \(column)") }
    return id
  }
  func number(_ column: Int) throws(SQLError) -> Int { Int(try integer(column)) }
  func flag(_ column: Int) throws(SQLError) -> Bool { try integer(column) != 0 }
  func time(_ column: Int) throws(SQLError) -> Timestamp { Timestamp(milliseconds: try integer(column)) }
  func optionalNumber(_ column: Int) throws(SQLError) -> Int? { try isNull(column) ? nil : try number(column) }
  func optionalBlob(_ column: Int) throws(SQLError) -> [UInt8]? { try isNull(column) ? nil : try blob(column) }
  func optionalTime(_ column: Int) throws(SQLError) -> Timestamp? { try isNull(column) ? nil : try time(column) }
  func optionalID(_ column: Int) throws(SQLError) -> UUID? { try isNull(column) ? nil : try id(column) }
  func optionalFlag(_ column: Int) throws(SQLError) -> Bool? { try isNull(column) ? nil : try flag(column) }
}
