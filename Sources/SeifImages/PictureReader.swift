internal import CImages
internal import CSeif
internal import Glibc
package import SeifBytes

/// The process that reads one picture and does nothing else: `seif` starts itself for it.
///
/// It takes a length of 8 bytes and the file on standard input, and gives a number of codes and each code behind its length
/// (4 bytes each) on standard output; all big endian. Before the first byte of the picture is looked at, it can open no
/// file, no socket and no program, and its memory and time have an end.
package enum PictureReader {
  /// The word that makes a process of `seif` this one.
  package static let argument = "--read-picture"
  /// The largest file: 32 MiB.
  package static let byteLimit = 32 << 20
  /// The most codes of a picture.
  package static let codeLimit = 64
  /// The most bytes that a QR code can hold.
  package static let codeByteLimit = 2953

  /// How pixels without a format of theirs begin: of a screen, which no encoder needs to see.
  static let shadesBegin = Array("SEIFGREY".utf8)

  /// Pixels as a file that this reads: `SEIFGREY`, width and height in 4 bytes each, then a byte a pixel.
  package static func shades(width: Int, height: Int, _ pixels: SecretValue) -> SecretValue {
    var file = SecretBuffer(capacity: shadesBegin.count + 8 + pixels.byteCount)
    file.append(shadesBegin)
    file.appendBigEndian(UInt64(width), byteCount: 4)
    file.appendBigEndian(UInt64(height), byteCount: 4)
    file.append(pixels)
    return file.finish()
  }

  private static let memoryLimit: UInt = 2 << 30
  private static let secondLimit: UInt = 20

  package static func main() -> Never {
    closeOthers()
    // Loaded before the walls are up, since loading opens files.
    guard let libraries = PictureLibraries() else { end(.noLibrary) }
    guard seif_limit_picture_process(memoryLimit, secondLimit) == 0, seif_enter_sandbox() == 0 else { end(.noSandbox) }
    guard let count = readNumber(8), count <= byteLimit else { end(.unreadable) }
    var file = [UInt8](repeating: 0, count: count)
    guard file.withUnsafeMutableBytes({ fill($0) }) else { end(.unreadable) }
    switch file.withUnsafeBytes({ libraries.decode($0) }) {
    case .failed(let status): end(status)
    case .image(let image):
      var answer: [UInt8] = []
      let codes = libraries.codes(in: image).filter { $0.count <= codeByteLimit }.prefix(codeLimit)
      append(codes.count, to: &answer)
      for code in codes {
        append(code.count, to: &answer)
        answer += code
      }
      var rest = answer[...]
      while !rest.isEmpty {
        let written = rest.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
        guard written > 0 else { end(.unreadable) }
        rest = rest.dropFirst(written)
      }
      end(.done)
    }
  }

  /// Nothing that was open elsewhere is open here: a passphrase could wait behind a descriptor. What libraries say goes
  /// nowhere.
  private static func closeOthers() {
    let null = seif_open("/dev/null", O_WRONLY, 0)
    if null >= 0 { dup2(null, 2) }
    seif_close_others()
  }

  private static func end(_ status: PictureStatus) -> Never { _exit(status.rawValue) }

  private static func readNumber(_ byteCount: Int) -> Int? {
    var bytes = [UInt8](repeating: 0, count: byteCount)
    guard bytes.withUnsafeMutableBytes({ fill($0) }), bytes[0] < 0x80 else { return nil }
    return bytes.reduce(0) { $0 << 8 | Int($1) }
  }

  private static func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Bool {
    var filled = 0
    while filled < buffer.count {
      let count = read(0, buffer.baseAddress?.advanced(by: filled), buffer.count - filled)
      guard count > 0 else { return false }
      filled += count
    }
    return true
  }

  private static func append(_ number: Int, to bytes: inout [UInt8]) {
    for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
  }
}
