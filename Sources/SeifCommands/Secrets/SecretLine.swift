internal import SeifCommandLine
internal import CSeif
internal import Glibc
internal import SeifBytes

/// Reads a secret of one line from a descriptor straight into locked memory.
enum SecretLine {
  /// The longest passphrase that is read: 64 KiB.
  static let byteLimit = 64 * 1024

  /// All that comes until the end, without one line end (LF or CRLF).
  /// - Throws: exit 64 where there is a second line or more than 64 KiB, 74 where reading fails.
  static func read(_ descriptor: Int32, name: String) throws(CommandFailure) -> SecretBytes {
    // Two bytes more, for the line end; a third shows that it is too long.
    var failure: CommandFailure?
    let line = SecretBytes(byteCount: byteLimit + 3) { buffer in
      var count = 0
      while count < buffer.count {
        let result = Descriptor.read(descriptor, into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
        if result == 0 { break }
        if result < 0 {
          let words = Descriptor.words(for: Int32(truncatingIfNeeded: -result))
          failure = CommandFailure(.ioFailed, "the passphrase can't be read from \(name): \(words)")
          return 0
        }
        count += result
      }
      count = withoutLineEnd(buffer, count)
      if count > byteLimit {
        failure = CommandFailure(.usage, "what comes from \(name) is too long for a passphrase")
      } else if buffer[..<count].contains(0x0A) {
        failure = CommandFailure(
          .usage, "\(name) has more than one line", hint: "A passphrase is one line, without anything after it.")
      }
      return failure == nil ? count : 0
    }
    if let failure { throw failure }
    // A copy of its own size: locked memory is scarce.
    return line.duplicate()
  }

  /// The count without exactly one LF or CRLF at the end. Never spaces: they can be part of a passphrase.
  static func withoutLineEnd(_ buffer: UnsafeMutableRawBufferPointer, _ count: Int) -> Int {
    guard count > 0, buffer[count - 1] == 0x0A else { return count }
    return count > 1 && buffer[count - 2] == 0x0D ? count - 2 : count - 1
  }
}
