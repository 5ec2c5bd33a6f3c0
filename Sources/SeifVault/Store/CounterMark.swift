private import Glibc
internal import SeifBytes

/// The highest counter of a vault ever seen on this machine, in a file of the state folder.
///
/// Writers of several processes take turns by a lock. Nothing is synced: after a loss of power the mark may be lower,
/// which never raises a false alarm.
struct CounterMark {
  let folder: String
  let vaultID: UUID

  private var path: String { folder + "/" + vaultID.description + ".counter" }

  /// The mark; nil where there is none or it can't be read.
  func read() -> UInt64? {
    // Not waiting for the writer of a pipe that stands in its place.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return Self.number(in: descriptor)
  }

  /// Raises the mark to a counter that is higher.
  ///
  /// - Returns: whether the mark could be kept.
  @discardableResult
  func raise(to counter: UInt64) -> Bool { write { max($0 ?? 0, counter) } }

  /// Sets the mark, on a person's word.
  func set(to counter: UInt64) -> Bool { write { _ in counter } }

  /// Takes the mark away, with a vault that is destroyed.
  func forget() { unlink(path) }

  private func write(_ change: (UInt64?) -> UInt64) -> Bool {
    Folders.make(folder)
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    guard flock(descriptor, LOCK_EX) == 0 else { return false }
    let old = Self.number(in: descriptor)
    let new = change(old)
    guard new != old else { return true }
    // Always 21 bytes in one call, so that a kill leaves the old or the new number.
    let digits = String(new)
    let line = Array((String(repeating: "0", count: 20 - digits.utf8.count) + digits + "\n").utf8)
    return pwrite(descriptor, line, line.count, 0) == line.count
  }

  private static func number(in descriptor: Int32) -> UInt64? {
    var line = [UInt8](repeating: 0, count: 21)
    guard pread(descriptor, &line, 21, 0) == 21, line[20] == 0x0A else { return nil }
    return UInt64(String(decoding: line[..<20], as: UTF8.self))
  }
}
