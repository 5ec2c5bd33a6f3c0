import FoundationEssentials
import Glibc
import SeifSQL

/// A folder of its own for one test, removed with it.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appending(path: "seif-sql-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { "\(path)/\(name)" }
  var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] }

  func bytes(_ name: String) -> [UInt8]? { FileManager.default.contents(atPath: file(name)).map { Array($0) } }

  func permissions(_ name: String) -> UInt32? {
    var status = stat()
    return stat(file(name), &status) == 0 ? status.st_mode & 0o7777 : nil
  }
}

extension Connection {
  /// The one integer that a query gives.
  func number(_ sql: StaticString) throws(SQLError) -> Int64 {
    let statement = try prepare(sql)
    guard try statement.step() else { throw SQLError(.misuse) }
    return try statement.integer(0)
  }

  func word(_ sql: StaticString) throws(SQLError) -> String {
    let statement = try prepare(sql)
    guard try statement.step() else { throw SQLError(.misuse) }
    return try statement.text(0)
  }

  func numbers(_ sql: StaticString) throws(SQLError) -> [Int64] {
    let statement = try prepare(sql)
    var numbers: [Int64] = []
    while try statement.step() { numbers.append(try statement.integer(0)) }
    return numbers
  }
}
