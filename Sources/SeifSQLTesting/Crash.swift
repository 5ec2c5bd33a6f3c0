import Glibc

/// What a crash does to writes that no sync has followed.
package enum UnsyncedWrites: Sendable, Hashable {
  /// All reached the disk: a killed process, not a power cut.
  case kept
  /// None did.
  case dropped
  /// Each was kept, dropped or cut at a sector, as the seed has it.
  case torn(seed: UInt64)
}

/// The files that a crash leaves: a recording up to some event, with the unsynced rest as told.
package struct Crash: Sendable {
  /// By name without folder. A file that isn't there has no entry.
  package private(set) var files: [String: [UInt8]] = [:]
  /// The number of the last mark before the crash; nil before the first.
  package private(set) var lastMark: Int?

  private static let sectorSize = 512

  package init(_ events: some Sequence<StorageEvent>, unsynced: UnsyncedWrites) {
    var durable: [String: [UInt8]] = [:]
    var pending: [String: [StorageEvent]] = [:]
    for event in events {
      switch event {
      case .mark(let number): lastMark = number
      case .baseline(let file, let bytes):
        durable[file] = bytes
        pending[file] = nil
      case .create(let file), .write(let file, _, _), .truncate(let file, _), .delete(let file, durable: false):
        pending[file, default: []].append(event)
      case .delete(let file, durable: true):
        durable[file] = nil
        pending[file] = nil
      case .sync(let file):
        for event in pending[file] ?? [] { Self.apply(event, to: &durable[file]) }
        pending[file] = nil
      case .syncFolder:
        for file in pending.keys { Self.settleNames(&pending[file], &durable[file]) }
      }
    }
    files = durable
    guard unsynced != .dropped else { return }
    var random: SplitMix64?
    if case .torn(let seed) = unsynced { random = SplitMix64(state: seed) }
    for file in pending.keys.sorted() {
      for event in pending[file] ?? [] {
        guard let happened = Self.torn(event, &random) else {
          // The folder still has the old file, so what came later went to one that no name leads to.
          if case .delete = event { break }
          continue
        }
        Self.apply(happened, to: &files[file])
      }
    }
  }

  /// Writes the files into a folder that is there, each with mode 0600.
  package func write(into folder: String) throws(CrashError) {
    for (name, bytes) in files {
      let descriptor = open("\(folder)/\(name)", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw CrashError(errno: errno) }
      defer { close(descriptor) }
      var written = 0
      while written < bytes.count {
        let count = bytes.withUnsafeBytes {
          Glibc.write(descriptor, $0.baseAddress.map { $0 + written }, $0.count - written)
        }
        guard count > 0 else { throw CrashError(errno: errno) }
        written += count
      }
    }
  }

  /// Makes deleting and making the file durable; what was written to it since stays unsynced.
  private static func settleNames(_ pending: inout [StorageEvent]?, _ durable: inout [UInt8]?) {
    guard var rest = pending else { return }
    if let deleted = rest.lastIndex(where: { if case .delete = $0 { true } else { false } }) {
      rest.removeSubrange(...deleted)
      durable = nil
    }
    if case .create = rest.first {
      rest.removeFirst()
      durable = durable ?? []
    }
    pending = rest
  }

  private static func torn(_ event: StorageEvent, _ random: inout SplitMix64?) -> StorageEvent? {
    guard var generator = random else { return event }
    defer { random = generator }
    switch generator.next() % 3 {
    case 0: return event
    case 1: return nil
    default:
      guard case .write(let file, let offset, let bytes) = event else { return event }
      let sectors = bytes.count / sectorSize
      let kept = Int(generator.next() % UInt64(sectors + 1)) * sectorSize
      // The end may have reached the disk before the beginning.
      return generator.next() % 2 == 0
        ? .write(file: file, offset: offset, bytes: Array(bytes.prefix(kept)))
        : .write(file: file, offset: offset + kept, bytes: Array(bytes.dropFirst(kept)))
    }
  }

  private static func apply(_ event: StorageEvent, to file: inout [UInt8]?) {
    switch event {
    case .create: if file == nil { file = [] }
    case .delete: file = nil
    case .truncate(_, let count): resize(&file, to: count, mayShrink: true)
    case .write(_, let offset, let bytes):
      guard !bytes.isEmpty else { return }
      resize(&file, to: offset + bytes.count, mayShrink: false)
      file?.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    case .baseline, .sync, .syncFolder, .mark: break
    }
  }

  private static func resize(_ file: inout [UInt8]?, to count: Int, mayShrink: Bool) {
    var bytes = file ?? []
    // Taken out first: the array is then alone and grows in place.
    file = nil
    if bytes.count < count {
      bytes.append(contentsOf: repeatElement(0, count: count - bytes.count))
    } else if mayShrink {
      bytes.removeLast(bytes.count - count)
    }
    file = bytes
  }
}

package struct CrashError: Error { package let errno: Int32 }

/// Small, and the same on every run and machine.
package struct SplitMix64: RandomNumberGenerator, Sendable {
  var state: UInt64
  package init(state: UInt64) { self.state = state }
  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
