internal import Glibc
internal import SeifBytes

/// What the owner is told by its pipe: a head of 16 bytes, then the text up to the end.
///
/// The head: the ASCII `SEIFCLIP`, the seconds in two bytes (most significant first), one byte of flags, five of zero.
final class ClipboardMessage {
  static let headByteCount = 16
  private static let magic = Array("SEIFCLIP".utf8)

  let options: ClipboardOptions
  private let whole: SecretBytes

  static func head(_ options: ClipboardOptions) -> [UInt8] {
    let flags: UInt8 = (options.alsoPrimary ? 1 : 0) | (options.allowsWlCopy ? 2 : 0)
    return magic + [UInt8(options.seconds >> 8 & 0xFF), UInt8(options.seconds & 0xFF), flags, 0, 0, 0, 0, 0]
  }

  /// Reads it from a descriptor to the end; nil where it isn't one.
  init?(readingFrom descriptor: Int32) {
    let room = Self.headByteCount + Clipboard.byteLimit
    whole = SecretBytes(byteCount: room + 1) { buffer in
      var count = 0
      while count < buffer.count {
        let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
        let got = read(descriptor, piece.baseAddress, piece.count)
        if got > 0 { count += got } else if got == 0 || errno != EINTR { break }
      }
      return count
    }
    guard whole.byteCount > Self.headByteCount, whole.byteCount <= room else { return nil }
    let head = whole.withBytes { bytes in bytes.withUnsafeBytes { Array($0.prefix(Self.headByteCount)) } }
    let seconds = Int(head[8]) << 8 | Int(head[9])
    guard head.starts(with: Self.magic), Clipboard.secondsAllowed.contains(seconds), head[10] < 4 else { return nil }
    options = ClipboardOptions(
      seconds: seconds, alsoPrimary: head[10] & 1 != 0, allowsWlCopy: head[10] & 2 != 0)
  }

  /// The text's bytes; they must not leave `body`.
  func withText<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
    whole.withBytes { bytes in
      bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0.dropFirst(Self.headByteCount))) }
    }
  }

  /// Whether the text is the same in every encoding that a program may ask for.
  var isASCII: Bool { withText { $0.allSatisfy { $0 < 0x80 } } }

  /// The mark that asks clipboard managers not to keep it: a format of this name whose value is `secret`.
  static let hintName = "x-kde-passwordManagerHint"
  static let hintValue = Array("secret".utf8)
}
