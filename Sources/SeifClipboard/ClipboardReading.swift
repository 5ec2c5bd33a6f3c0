internal import CSeif
internal import Glibc
package import SeifBytes

/// What somebody copied.
package enum ClipboardContents: Sendable {
  case text(SecretValue)
  /// A PNG or JPEG file.
  case picture(SecretValue)
}

/// A clipboard that is read: what it offers, and one of the formats.
protocol CopiedFormats {
  var formats: [String] { get }
  func read(_ format: String, byteLimit: Int) throws(ClipboardError) -> SecretValue
}

extension Clipboard {
  /// The longest text that is read.
  package static let textByteLimit = 65_536
  /// The largest picture that is read.
  package static let pictureByteLimit = 32 << 20

  private static let texts = ["UTF8_STRING", "text/plain;charset=utf-8", "text/plain", "STRING"]
  private static let pictures = ["image/png", "image/jpeg"]

  /// Reads what was copied last: a text that begins so, else a picture, else any text. Programs that copy a picture offer
  /// words beside it.
  ///
  /// - Parameters:
  ///   - preferred: how a text begins that is taken before a picture; letters of either case.
  ///   - environment: the variables of this process.
  package static func copied(
    preferring preferred: String, environment: @escaping (String) -> String?
  ) throws(ClipboardError) -> ClipboardContents {
    let copied = try open(environment)
    let offered = copied.formats
    var text: SecretValue?
    if let format = texts.first(where: { offered.contains($0) }) {
      do throws(ClipboardError) {
        let read = try copied.read(format, byteLimit: textByteLimit)
        if begins(read, with: preferred) { return .text(read) }
        text = read
      } catch {
        // What isn't given as text may be given as a picture.
        guard offered.contains(where: { pictures.contains($0) }) else { throw error }
      }
    }
    if let format = pictures.first(where: { offered.contains($0) }) {
      return .picture(try copied.read(format, byteLimit: pictureByteLimit))
    }
    guard let text, !text.isEmpty else { throw .nothingCopied }
    return .text(text)
  }

  private static func begins(_ text: SecretValue, with beginning: String) -> Bool {
    text.withBytes { bytes in
      bytes.withUnsafeBytes { bytes in
        let rest = bytes.drop { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
        return rest.count >= beginning.utf8.count
          && zip(rest, beginning.utf8).allSatisfy { $0 == $1 || ((0x41...0x5A).contains($0) && $0 | 0x20 == $1) }
      }
    }
  }

  private static func open(
    _ environment: @escaping (String) -> String?
  ) throws(ClipboardError) -> any CopiedFormats {
    let given = { (name: String) in environment(name).flatMap { $0.isEmpty ? nil : $0 } }
    let x = given("DISPLAY")
    guard let name = given("WAYLAND_DISPLAY"),
      let path = WaylandConnection.path(name, folder: given("XDG_RUNTIME_DIR"))
    else {
      guard let x else { throw .noDisplay }
      return try X11Copied(display: x)
    }
    do throws(ClipboardError) {
      return try WaylandCopied(path: path)
    } catch {
      // Such a desktop shares its clipboard with the X display beside it.
      guard let x, error == .noDataControl || error == .displayRefused else { throw error }
      return try X11Copied(display: x)
    }
  }
}

/// Reads a pipe to its end.
enum PipeReading {
  static let millisecondsToWait: Int64 = 3_000
  /// For all of it, however slowly it comes.
  static let millisecondsInAll: Int64 = 30_000

  static func read(_ descriptor: Int32, byteLimit: Int) throws(ClipboardError) -> SecretValue {
    let end = Moment.now + millisecondsInAll
    var contents = SecretBuffer()
    var buffer = [UInt8](repeating: 0, count: 65_536)
    defer { buffer.withUnsafeMutableBytes { if let start = $0.baseAddress { explicit_bzero(start, $0.count) } } }
    while true {
      guard Wait.readable(descriptor, until: min(end, Moment.now + millisecondsToWait)) else { throw .silent }
      let count = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .silent }
      if count == 0 { return contents.finish() }
      guard contents.byteCount + count <= byteLimit else { throw .copiedTooLarge }
      contents.append(buffer.span.bytes.extracting(first: count))
    }
  }
}
