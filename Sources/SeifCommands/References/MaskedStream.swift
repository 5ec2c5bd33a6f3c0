internal import SeifCommandLine
internal import Glibc

/// What a program writes, on its way out through a mask.
final class MaskedStream {
  /// Where it comes from; -1 at the end.
  private(set) var source: Int32
  private let target: Int32
  private var mask: OutputMask
  private var output: [UInt8] = []
  private var buffer = [UInt8](repeating: 0, count: 16 * 1024)
  private var heldSince: Int64?
  private let close: () -> Void

  /// A beginning of a few bytes is mostly chance, as at the end of a prompt, and is let go of soon; a longer one is
  /// waited for.
  static let shortWaitMilliseconds: Int64 = 50
  static let longWaitMilliseconds: Int64 = 1000

  init(from source: Int32, to target: Int32, mask: consuming OutputMask, close: @escaping () -> Void) {
    self.source = source
    self.target = target
    self.mask = mask
    self.close = close
  }

  var isOpen: Bool { source >= 0 }

  /// Milliseconds until something that is held back is let go of; nil while nothing is.
  func wait(now: Int64) -> Int64? {
    guard let heldSince else { return nil }
    let limit =
      mask.longestBeginning < OutputMask.shortestNeedle ? Self.shortWaitMilliseconds : Self.longWaitMilliseconds
    return max(0, heldSince + limit - now)
  }

  /// Reads once and passes on; at the end, what was held back too.
  func pump(now: Int64) {
    guard isOpen else { return }
    let count = buffer.withUnsafeMutableBytes { bytes -> Int in
      let count = read(source, bytes.baseAddress, bytes.count)
      // A pseudo-terminal whose last program has gone says EIO.
      if count < 0 { return errno == EAGAIN || errno == EINTR ? -1 : 0 }
      if count > 0 {
        mask.pass(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[..<count]), into: &output)
        if let start = bytes.baseAddress { explicit_bzero(start, count) }
      }
      return count
    }
    if count == 0 { mask.releaseAll(into: &output) }
    heldSince = mask.heldCount == 0 ? nil : count > 0 ? now : heldSince
    if count == 0 { end() }
    send()
  }

  /// Lets go of what has been held back long enough.
  func releaseIfDue(now: Int64) {
    guard wait(now: now) == 0 else { return }
    mask.releaseAll(into: &output)
    heldSince = nil
    send()
  }

  func end() {
    guard isOpen else { return }
    source = -1
    close()
  }

  private func send() {
    guard !output.isEmpty else { return }
    let code = Descriptor.writeAll(output.span.bytes, to: target)
    output.removeAll(keepingCapacity: true)
    // The reader has gone: closing our end tells the program, as it would have been told without us.
    if code != 0 { end() }
  }
}
