internal import SeifCommandLine
internal import CSeif
internal import Glibc

/// The public list of passwords from break-ins: lines `HASH:COUNT`, SHA-1 in capital hexadecimal, ordered by hash, with
/// LF or CRLF. It is tens of gigabytes, so it is never loaded: a hash is searched by bisection, with reads of 256 bytes.
struct BreachedList {
  /// Why a file is no such list.
  enum Fault: Error, Equatable {
    case cannotRead
    /// What stands at a byte of the file isn't a line of such a list.
    case malformed(offset: Int64)
    /// The line at a byte of the file isn't in its order.
    case unordered(offset: Int64)
  }

  /// More than any line is long: 40 digits, a colon, 20 digits and CRLF are 63 bytes.
  private static let lineLimit = 64
  private static let readByteCount = 256

  private struct Line {
    let start: Int64
    /// The start of the line after it.
    let end: Int64
    let hash: [UInt8]
    let count: UInt64
  }

  private let byteCount: Int64
  /// Fills with the bytes from an offset on; how many there were, or nil where reading failed.
  private let read: (Int64, UnsafeMutableRawBufferPointer) -> Int?
  private let first: Line
  private let last: Line

  /// A list behind any way of reading. Its first and last line are looked at now.
  init(byteCount: Int64, read: @escaping (Int64, UnsafeMutableRawBufferPointer) -> Int?) throws(Fault) {
    self.byteCount = byteCount
    self.read = read
    guard byteCount > 0 else { throw .malformed(offset: 0) }
    first = try Self.line(at: 0, byteCount, read)
    let lastStart = try Self.start(before: byteCount - 1, notBefore: 0, read)
    last = try Self.line(at: lastStart, byteCount, read)
    guard last.end == byteCount else { throw .malformed(offset: last.end) }
    guard last.start == first.start || Self.precedes(first.hash, last.hash) else {
      throw .unordered(offset: last.start)
    }
  }

  /// How often a password of this SHA-1 (20 bytes) was found; nil: never.
  func count(of hash: [UInt8]) throws(Fault) -> UInt64? {
    if hash == first.hash { return first.count }
    if hash == last.hash { return last.count }
    guard Self.precedes(first.hash, hash), Self.precedes(hash, last.hash) else { return nil }
    // Lines that begin in low..<high are left; what is below and above them is known.
    var (low, high) = (first.end, last.start)
    var (below, above) = (first.hash, last.hash)
    while low < high {
      let start = try Self.start(before: low + (high - low) / 2, notBefore: low, read)
      let line = try Self.line(at: start, byteCount, read)
      guard line.end <= high else { throw .malformed(offset: start) }
      guard Self.precedes(below, line.hash), Self.precedes(line.hash, above) else { throw .unordered(offset: start) }
      if line.hash == hash { return line.count }
      if Self.precedes(line.hash, hash) {
        (low, below) = (line.end, line.hash)
      } else {
        (high, above) = (start, line.hash)
      }
    }
    return nil
  }

  // MARK: - Lines

  /// The start of the line in which a byte stands.
  private static func start(
    before offset: Int64, notBefore low: Int64, _ read: (Int64, UnsafeMutableRawBufferPointer) -> Int?
  ) throws(Fault) -> Int64 {
    // The line end of that line itself doesn't count.
    let from = max(low, offset - Int64(lineLimit))
    let bytes = try self.bytes(at: from, count: Int(offset - from), read)
    if let end = bytes.lastIndex(of: 0x0A) { return from + Int64(end) + 1 }
    guard from == low else { throw .malformed(offset: from) }
    return low
  }

  private static func line(
    at start: Int64, _ byteCount: Int64, _ read: (Int64, UnsafeMutableRawBufferPointer) -> Int?
  ) throws(Fault) -> Line {
    let bytes = try self.bytes(at: start, count: Int(min(Int64(lineLimit), byteCount - start)), read)
    let end = bytes.firstIndex(of: 0x0A) ?? bytes.count
    // Only the last line may lack its end.
    guard end < bytes.count || start + Int64(bytes.count) == byteCount else { throw .malformed(offset: start) }
    var text = bytes[..<end]
    if text.last == 0x0D { text.removeLast() }
    guard text.count > 41, text[40] == UInt8(ascii: ":") else { throw .malformed(offset: start) }
    var hash: [UInt8] = []
    hash.reserveCapacity(20)
    for index in stride(from: 0, to: 40, by: 2) {
      guard let high = digit(text[index]), let low = digit(text[index + 1]) else { throw .malformed(offset: start) }
      hash.append(high << 4 | low)
    }
    let digits = text[41...]
    guard digits.allSatisfy({ (48...57).contains($0) }), let count = UInt64(String(decoding: digits, as: UTF8.self))
    else { throw .malformed(offset: start) }
    return Line(start: start, end: start + Int64(min(end + 1, bytes.count)), hash: hash, count: count)
  }

  private static func bytes(
    at offset: Int64, count: Int, _ read: (Int64, UnsafeMutableRawBufferPointer) -> Int?
  ) throws(Fault) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: min(count, readByteCount))
    let done = bytes.withUnsafeMutableBytes { read(offset, $0) }
    // A file that got shorter meanwhile is none to be relied on.
    guard done == bytes.count else { throw .cannotRead }
    return bytes
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  private static func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool { left.lexicographicallyPrecedes(right) }
}

/// The list as a file that stays open.
final class BreachedFile {
  private let descriptor: Int32
  let list: BreachedList

  /// - Throws: exit 66 where there is none, 65 where it is no such list.
  init(_ path: String) throws(CommandFailure) {
    let descriptor = seif_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0)
    guard descriptor >= 0 else {
      throw CommandFailure(.notFound, "\(path) can't be read: \(Descriptor.words(for: errno))")
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw CommandFailure(.badInput, "\(path) is no file", hint: "The list is searched, so it can't be a pipe.")
    }
    do throws(BreachedList.Fault) {
      list = try BreachedList(byteCount: Int64(status.st_size)) { offset, buffer in
        var done = 0
        while done < buffer.count {
          let (place, rest) = (off_t(offset) + off_t(done), buffer.count - done)
          let count = pread(descriptor, buffer.baseAddress?.advanced(by: done), rest, place)
          if count < 0, errno == EINTR { continue }
          guard count > 0 else { return count == 0 ? done : nil }
          done += count
        }
        return done
      }
    } catch {
      close(descriptor)
      throw CommandFailure(error, list: path)
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }
}

extension CommandFailure {
  init(_ fault: BreachedList.Fault, list path: String) {
    let hint = "It has to be the SHA-1 list ordered by hash: lines HASH:COUNT, hash in capitals."
    switch fault {
    case .cannotRead: self.init(.ioFailed, "\(path) can't be read to its end")
    case .malformed(let offset):
      self.init(.badInput, "\(path) is no list of breached passwords: byte \(offset)", hint: hint)
    case .unordered(let offset):
      self.init(.badInput, "\(path) isn't ordered by hash: byte \(offset)", hint: hint)
    }
  }
}
