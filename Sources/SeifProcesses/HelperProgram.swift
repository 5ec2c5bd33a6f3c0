internal import CSeif
internal import Glibc
package import SeifBytes

/// A program run to its end, with its input and output in pipes. Its messages are dropped: they aren't ours.
package enum HelperProgram {
  package static let outputLimit = 4096
  /// A keyring may ask its owner for a password, who may have gone.
  private static let millisecondsToWait: Int64 = 120_000
  /// To end, once it has closed its output.
  private static let millisecondsToEnd = 5_000

  /// One that takes longer than two minutes, or lives on with its output closed, is killed.
  ///
  /// - Parameter input: less than a pipe holds, so that neither waits for the other.
  /// - Returns: its exit status and what it wrote, at most 4 KiB; nil where it can't be started.
  package static func run(
    _ path: String, _ arguments: [String], input: borrowing SecretBytes
  ) -> (status: Int32, output: HelperOutput)? {
    guard let child = ChildProcess(path, arguments, showsErrors: false) else { return nil }
    // A program that is gone gets nothing.
    input.withBytes { send($0, to: child.input) }
    child.closeInput()
    let output = SecretBytes(byteCount: outputLimit) { buffer in
      var count = 0
      let end = seif_milliseconds_since_boot() + millisecondsToWait
      while count < buffer.count {
        var poller = pollfd(fd: child.output, events: Int16(POLLIN), revents: 0)
        let ready = poll(&poller, 1, Int32(clamping: max(0, end - seif_milliseconds_since_boot())))
        if ready < 0, errno == EINTR { continue }
        if ready == 0 {
          // What it started may hold the pipe on: nothing more is read.
          kill(child.identifier, SIGKILL)
          break
        }
        let got = read(child.output, buffer.baseAddress?.advanced(by: count), buffer.count - count)
        if got < 0, errno == EINTR { continue }
        guard got > 0 else { break }
        count += got
      }
      return count
    }
    child.closeOutput()
    if !child.hasExited(within: millisecondsToEnd) { kill(child.identifier, SIGKILL) }
    return (child.wait(), HelperOutput(output))
  }

  /// Writes without the signal that a pipe without a reader raises, whatever the process has set for it.
  private static func send(_ bytes: RawSpan, to descriptor: Int32) {
    let held = seif_hold_pipe_signal()
    defer { seif_release_pipe_signal(held) }
    _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
  }
}

/// What a program wrote, in locked memory.
package final class HelperOutput {
  package let bytes: SecretBytes
  init(_ bytes: consuming SecretBytes) { self.bytes = bytes }
}
