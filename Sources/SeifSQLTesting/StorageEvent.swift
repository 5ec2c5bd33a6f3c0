/// What SQLite asked of the disk, in order. Files are named without their folder.
package enum StorageEvent: Sendable, Equatable {
  /// The file as it was when it was first opened: safely on the disk.
  case baseline(file: String, bytes: [UInt8])
  /// The file was made.
  case create(file: String)
  case write(file: String, offset: Int, bytes: [UInt8])
  case truncate(file: String, byteCount: Int)
  case sync(file: String)
  /// What was made and deleted until now is durable: SQLite does this at the first sync of each log and journal.
  case syncFolder
  /// `durable`: the folder was synced too.
  case delete(file: String, durable: Bool)
  /// The test's own note: everything up to here was confirmed to a person.
  case mark(Int)
}

/// A call that a fault can be set on.
package enum StorageOperation: String, Sendable, CaseIterable {
  case open, read, write, truncate, sync, delete, fileSize, sharedMemory, lock
}

/// The failure of one call.
package struct StorageFault: Sendable {
  let operation: StorageOperation
  let call: Int
  let code: Int32
  let lasting: Bool

  /// - Parameters:
  ///   - call: which call fails, counted from 1 after `RecordingVFS.inject`.
  ///   - code: an SQLite result code.
  ///   - lasting: all later calls of this operation fail too, as on a disk that stays full. A write that fails as full
  ///     first writes the first half of its bytes.
  package init(_ operation: StorageOperation, call: Int, code: Int32, lasting: Bool = false) {
    self.operation = operation
    self.call = call
    self.code = code
    self.lasting = lasting
  }
}
