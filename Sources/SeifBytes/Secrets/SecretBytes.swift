private import Glibc

/// A key or passphrase: memory of its own, locked against swapping, left out of core dumps, wiped at the end.
///
/// It can't be copied, printed or compared with `==`. Use it for what opens other things; values of records
/// are `SecretValue`. A process may lock about 8 MiB (`RLIMIT_MEMLOCK`): where locking is refused the bytes are
/// still wiped, and `isLocked` says so.
@safe
public struct SecretBytes: ~Copyable, @unchecked Sendable {
  private let base: UnsafeMutableRawPointer
  private let mappedByteCount: Int
  /// Number of bytes held.
  public let byteCount: Int
  /// Whether the kernel agreed to keep these pages out of swap.
  public let isLocked: Bool

  /// Secret bytes filled by `body`, which is given `byteCount` zero bytes and returns how many of them count.
  ///
  /// - Parameter byteCount: capacity, 0 and up; our own number, never one read from a file.
  public init<E: Error>(
    byteCount capacity: Int, initializingWith body: (UnsafeMutableRawBufferPointer) throws(E) -> Int
  ) throws(E) {
    let mapped = max(1, capacity)
    let pages = unsafe mmap(nil, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let pages = unsafe pages, unsafe pages != MAP_FAILED else {
      fatalError("internal error: no memory for \(mapped) secret bytes")
    }
    let locked = unsafe mlock(pages, mapped) == 0
    unsafe _ = madvise(pages, mapped, MADV_DONTDUMP)
    do {
      let used = unsafe try body(UnsafeMutableRawBufferPointer(start: pages, count: capacity))
      precondition((0...capacity).contains(used), "internal error: more secret bytes than there is room for")
      unsafe base = pages
      mappedByteCount = mapped
      byteCount = used
      isLocked = locked
    } catch {
      unsafe explicit_bzero(pages, mapped)
      unsafe _ = munmap(pages, mapped)
      throw error
    }
  }

  /// Secret bytes copied from a span.
  public init(copying bytes: RawSpan) {
    unsafe self.init(byteCount: bytes.byteCount) { target in
      unsafe bytes.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
      return bytes.byteCount
    }
  }

  /// Secret bytes copied from the value of a record.
  public init(copying value: SecretValue) {
    self = value.withBytes { SecretBytes(copying: $0) }
  }

  /// Calls `body` with the bytes; they must not leave it.
  public borrowing func withBytes<R: ~Copyable, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
    try body(unsafe RawSpan(_unsafeStart: base, byteCount: byteCount))
  }

  /// Another copy in pages of its own.
  public borrowing func duplicate() -> SecretBytes {
    withBytes { SecretBytes(copying: $0) }
  }

  deinit {
    unsafe explicit_bzero(base, mappedByteCount)
    unsafe _ = munlock(base, mappedByteCount)
    unsafe _ = munmap(base, mappedByteCount)
  }
}
