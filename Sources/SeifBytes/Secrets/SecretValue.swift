private import Glibc

/// Bytes of a record or of a file's contents: shared by reference, wiped when the last holder lets go.
///
/// Not in locked pages (there can be a hundred thousand), so the threat model names swap. Printing, dumping and
/// mirroring give `<secret>`. Comparison takes the same time wherever two values of one length differ.
@safe
public struct SecretValue: @unchecked Sendable, Hashable {
  private let storage: Storage

  private final class Storage: ManagedBuffer<Int, UInt8> {
    deinit {
      unsafe withUnsafeMutablePointers { count, elements in
        unsafe explicit_bzero(elements, unsafe count.pointee)
      }
    }
  }

  /// No bytes.
  public static let empty = unsafe SecretValue(byteCount: 0) { _ in }

  /// A value of exactly `byteCount` bytes, filled by `body`, which is given zero bytes.
  public init<E: Error>(
    byteCount: Int, initializingWith body: (UnsafeMutableRawBufferPointer) throws(E) -> Void
  ) throws(E) {
    let created = Storage.create(minimumCapacity: byteCount) { _ in byteCount }
    storage = unsafe unsafeDowncast(created, to: Storage.self)
    // `withUnsafeMutablePointers` doesn't carry typed errors, so the pointer is taken out for this call only.
    let elements = unsafe storage.withUnsafeMutablePointerToElements { unsafe $0 }
    unsafe elements.initialize(repeating: 0, count: byteCount)
    let buffer = unsafe UnsafeMutableRawBufferPointer(start: elements, count: byteCount)
    unsafe try body(buffer)
  }

  /// A copy of a span.
  public init(copying bytes: RawSpan) {
    unsafe self.init(byteCount: bytes.byteCount) { target in
      unsafe bytes.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
    }
  }

  /// A copy of an array.
  public init(_ bytes: [UInt8]) {
    unsafe self.init(copying: bytes.span.bytes)
  }

  /// The UTF-8 of a text.
  public init(utf8 text: String) {
    var text = text
    self = text.withUTF8 { bytes in
      unsafe SecretValue(byteCount: bytes.count) { unsafe $0.copyMemory(from: UnsafeRawBufferPointer(bytes)) }
    }
  }

  /// Number of bytes.
  public var byteCount: Int { storage.header }
  /// Whether there are no bytes.
  public var isEmpty: Bool { byteCount == 0 }

  /// Calls `body` with the bytes; they must not leave it.
  public func withBytes<R: ~Copyable, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
    let elements = unsafe storage.withUnsafeMutablePointerToElements { unsafe $0 }
    defer { withExtendedLifetime(storage) {} }
    return try body(unsafe RawSpan(_unsafeStart: elements, byteCount: storage.header))
  }

  /// The bytes as text for showing, or nil if they aren't UTF-8. The copy in a `String` is not wiped: say at the
  /// call why it is taken (`EXPOSE: …`).
  public func exposedText() -> String? {
    withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe String(validating: $0, as: UTF8.self) } }
  }

  /// The bytes as an array, not wiped: say at the call why it is taken (`EXPOSE: …`).
  public func exposedBytes() -> [UInt8] {
    withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) } }
  }

  /// Whether both hold the same bytes.
  public static func == (left: SecretValue, right: SecretValue) -> Bool {
    left.storage === right.storage || left.withBytes { a in right.withBytes { b in constantTimeEqual(a, b) } }
  }

  /// Adds the bytes to a hash.
  public func hash(into hasher: inout Hasher) {
    withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) } }
  }
}

extension SecretValue: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `<secret>`.
  public var description: String { "<secret>" }
  /// `<secret>`.
  public var debugDescription: String { "<secret>" }
  /// No children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Whether two spans hold the same bytes, in a time that depends on their lengths alone.
public func constantTimeEqual(_ left: RawSpan, _ right: RawSpan) -> Bool {
  guard left.byteCount == right.byteCount else { return false }
  var difference: UInt8 = 0
  for offset in 0..<left.byteCount {
    unsafe difference |=
      left.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
      ^ right.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }
  return difference == 0
}
