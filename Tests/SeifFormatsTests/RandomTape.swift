import SeifBytes
import SeifCrypto
import Synchronization

/// Random bytes that a test has written down, in the order in which they are drawn; zeros after their end.
final class RandomTape: Sendable {
  private let bytes: Mutex<[UInt8]>

  init(_ bytes: [UInt8]) {
    self.bytes = Mutex(bytes)
  }

  var source: RandomSource {
    unsafe RandomSource { buffer in
      self.bytes.withLock { bytes in
        for index in 0..<buffer.count {
          unsafe buffer[index] = bytes.isEmpty ? 0 : bytes.removeFirst()
        }
      }
    }
  }
}
