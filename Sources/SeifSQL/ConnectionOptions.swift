/// How a connection is set up. The defaults suit a file on a disk of this machine.
package struct ConnectionOptions: Sendable {
  package enum Journal: Sendable {
    /// A write-ahead log: readers don't wait for a writer. Needs memory shared between all users of the file, so
    /// never on a network file system.
    case writeAheadLog
    /// A rollback journal, for network file systems.
    case rollback
  }

  package var journal: Journal
  /// How long a statement waits for its turn before it fails with `busy`.
  package var busyTimeoutMilliseconds: Int32
  /// The longest value or row, read or written, in bytes.
  package var maximumValueByteCount: Int32
  /// Whether a file that is made has pages of 8 KiB, for tables that are read whole, rather than SQLite's usual 4.
  package var hasLargePages: Bool

  package init(
    journal: Journal = .writeAheadLog, busyTimeoutMilliseconds: Int32 = 5_000,
    maximumValueByteCount: Int32 = 64 << 20, hasLargePages: Bool = false
  ) {
    self.journal = journal
    self.hasLargePages = hasLargePages
    self.busyTimeoutMilliseconds = busyTimeoutMilliseconds
    self.maximumValueByteCount = maximumValueByteCount
  }
}
