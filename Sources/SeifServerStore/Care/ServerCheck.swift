package import SeifBytes
internal import SeifCrypto

/// A comparison of a server's database with its blobs. Changes nothing.
package struct ServerCheck {
  private let store: SQLiteServerStore
  private let blobs: any BlobStore

  package struct Report: Sendable, Equatable {
    /// Of the database, in words.
    package var database: [String] = []
    /// Blobs that objects name and that aren't there.
    package var missing: [UUID] = []
    /// Blobs of another length or content than was stored.
    package var damaged: [UUID] = []
    /// Blobs that nothing names, which care takes away after a day.
    package var unnamed = 0
    package var checked = 0
    package var isWell: Bool { database.isEmpty && missing.isEmpty && damaged.isEmpty }
  }

  package init(_ store: SQLiteServerStore, _ blobs: any BlobStore) {
    self.store = store
    self.blobs = blobs
  }

  /// - Parameters:
  ///   - reads: whether contents are compared with their SHA-256; else lengths alone.
  ///   - progress: called with how many blobs were looked at.
  package func run(reads: Bool, progress: (Int) -> Void = { _ in }) throws(StoreFailure) -> Report {
    var report = Report()
    report.database = try store.problems()
    var after: UUID?
    while true {
      let page = try store.blobs(after: after, limit: 500)
      guard let last = page.last else { break }
      for reference in page {
        switch try state(reference, reads: reads) {
        case .whole: break
        case .damaged: report.damaged.append(reference.blob)
        case .missing: report.missing.append(reference.blob)
        }
        report.checked += 1
        progress(report.checked)
      }
      after = last.blob
    }
    // What was taken away meanwhile isn't missing.
    report.missing = try Array(store.named(report.missing)).sorted { $0.description < $1.description }
    report.unnamed = try unnamed()
    return report
  }

  private enum State { case whole, damaged, missing }

  private func state(_ reference: BlobReference, reads: Bool) throws(StoreFailure) -> State {
    guard let reader = try blobs.open(reference.blob) else { return .missing }
    guard reader.byteCount == reference.byteCount else { return .damaged }
    guard reads else { return .whole }
    var hash = SHA256Stream()
    var offset = 0
    var buffer = [UInt8](repeating: 0, count: 1 << 17)
    while offset < reader.byteCount {
      let count = try Self.read(reader, into: &buffer, at: offset)
      guard count > 0 else { return .damaged }
      hash.update(buffer.span.bytes.extracting(0..<count))
      offset += count
    }
    return hash.finish() == reference.sha256 ? .whole : .damaged
  }

  static func read(
    _ reader: any BlobReader, into buffer: inout [UInt8], at offset: Int
  ) throws(StoreFailure) -> Int {
    // `withUnsafeMutableBytes` doesn't carry typed errors, hence the result.
    let result = buffer.withUnsafeMutableBytes { buffer in
      Result { () throws(StoreFailure) in try reader.read(into: buffer, at: offset) }
    }
    return try result.get()
  }

  private func unnamed() throws(StoreFailure) -> Int {
    var (after, count): (UUID?, Int) = (nil, 0)
    while true {
      let page = try blobs.list(after: after, limit: 1000).map(\.blob)
      guard let last = page.last else { return count }
      count += page.count - (try store.named(page)).count
      after = last
    }
  }
}
