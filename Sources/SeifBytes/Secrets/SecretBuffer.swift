private import Glibc

/// A growing buffer for text that holds secrets: what it leaves behind when it grows is wiped.
@safe
public struct SecretBuffer: ~Copyable {
  private var base: UnsafeMutableRawPointer
  private var capacity: Int
  /// Number of bytes written so far.
  public private(set) var byteCount = 0

  /// An empty buffer with room for `capacity` bytes before it grows.
  public init(capacity: Int = 256) {
    self.capacity = max(16, capacity)
    unsafe base = .allocate(byteCount: self.capacity, alignment: 16)
  }

  /// Adds one byte.
  public mutating func append(_ byte: UInt8) {
    reserve(1)
    unsafe base.storeBytes(of: byte, toByteOffset: byteCount, as: UInt8.self)
    byteCount += 1
  }

  /// Adds the bytes of a span.
  public mutating func append(_ bytes: RawSpan) {
    reserve(bytes.byteCount)
    let target = unsafe UnsafeMutableRawBufferPointer(start: base + byteCount, count: bytes.byteCount)
    unsafe bytes.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
    byteCount += bytes.byteCount
  }

  /// Adds a secret value.
  public mutating func append(_ value: SecretValue) {
    reserve(value.byteCount)
    value.withBytes { append($0) }
  }

  /// Adds an array of bytes.
  public mutating func append(_ bytes: [UInt8]) {
    unsafe append(bytes.span.bytes)
  }

  /// Adds the UTF-8 of a text.
  public mutating func append(utf8 text: String) {
    unsafe append(text.utf8Span.span.bytes)
  }

  /// Adds a number of 1 to 8 bytes, most significant byte first.
  public mutating func appendBigEndian(_ number: UInt64, byteCount count: Int) {
    for index in stride(from: count - 1, through: 0, by: -1) {
      append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(index))))
    }
  }

  /// Calls `body` with what was written so far.
  public borrowing func withBytes<R: ~Copyable, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
    try body(unsafe RawSpan(_unsafeStart: base, byteCount: byteCount))
  }

  /// What was written, as a value; the buffer is wiped.
  public consuming func finish() -> SecretValue {
    withBytes { SecretValue(copying: $0) }
  }

  /// Forgets what was written and keeps the room.
  public mutating func removeAll() {
    unsafe explicit_bzero(base, byteCount)
    byteCount = 0
  }

  private mutating func reserve(_ more: Int) {
    guard byteCount + more > capacity else { return }
    let larger = max(capacity * 2, byteCount + more)
    let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
    unsafe moved.copyMemory(from: base, byteCount: byteCount)
    unsafe explicit_bzero(base, byteCount)
    unsafe base.deallocate()
    unsafe base = moved
    capacity = larger
  }

  deinit {
    unsafe explicit_bzero(base, byteCount)
    unsafe base.deallocate()
  }
}
