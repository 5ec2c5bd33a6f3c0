internal import CClipboard
internal import Glibc
package import SeifBytes

/// What is to be seen on the screen, in shades of grey.
package struct ScreenPicture: Sendable {
  /// In pixels.
  package let width: Int
  package let height: Int
  /// A byte a pixel, 0 black to 255 white, row by row.
  package let pixels: SecretValue

  /// The most pixels: those of a screen of 7680 by 4320.
  package static let pixelLimit = 7680 * 4320
  /// Of one request.
  private static let bandByteCount = 1 << 20

  /// Grabs an X display's screen, windows and all.
  ///
  /// - Parameter environment: the variables of this process.
  /// - Throws: `noScreen` on a Wayland desktop, also where an X display stands beside it: that one shows nothing of it.
  package init(environment: @escaping (String) -> String?) throws(ClipboardError) {
    let given = { (name: String) in environment(name).flatMap { $0.isEmpty ? nil : $0 } }
    if given("WAYLAND_DISPLAY") != nil { throw .noScreen }
    guard let name = given("DISPLAY") else { throw .noDisplay }
    let display = try X11Connection(display: name)
    var screen = seif_xcb_screen()
    guard seif_xcb_look(display.x, display.connection, &screen) != 0, [16, 24, 32].contains(screen.bits),
      [8, 16, 32].contains(screen.pad), screen.width > 0, screen.height > 0
    else { throw .strangeScreen }
    let (width, height) = (Int(screen.width), Int(screen.height))
    (self.width, self.height) = (width, height)
    guard width * height <= Self.pixelLimit else { throw .strangeScreen }
    let (bits, pad) = (Int(screen.bits), Int(screen.pad))
    let stride = (width * bits + pad - 1) / pad * pad / 8
    let rows = max(1, Self.bandByteCount / stride)
    var shades = SecretBuffer(capacity: width * height)
    var top = 0
    while top < height {
      let count = min(rows, height - top)
      try Self.band(display, screen, top: top, rows: count, byteCount: stride * count) { bytes in
        for row in 0..<count { Self.append(bytes, at: row * stride, screen, width: width, to: &shades) }
      }
      top += count
    }
    pixels = shades.finish()
  }

  private static func band(
    _ display: X11Connection, _ screen: seif_xcb_screen, top: Int, rows: Int, byteCount: Int,
    _ body: (UnsafeRawBufferPointer) -> Void
  ) throws(ClipboardError) {
    let (x, connection) = (display.x, display.connection)
    let asked = x.pointee.xcb_get_image(
      connection, UInt8(XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue), screen.root, 0, Int16(clamping: top),
      UInt16(clamping: screen.width), UInt16(clamping: rows), .max)
    guard let reply = x.pointee.xcb_get_image_reply(connection, asked, nil) else { throw .displayRefused }
    defer { free(reply) }
    let length = Int(x.pointee.xcb_get_image_data_length(reply))
    guard length >= byteCount, let start = x.pointee.xcb_get_image_data(reply) else { throw .strangeScreen }
    body(UnsafeRawBufferPointer(start: start, count: length))
    explicit_bzero(start, length)
  }

  private static func append(
    _ bytes: UnsafeRawBufferPointer, at start: Int, _ screen: seif_xcb_screen, width: Int, to shades: inout SecretBuffer
  ) {
    let size = Int(screen.bits / 8)
    // Green weighs most, as for the eye; a part of 5 bits is as bright as one of 8.
    let parts = [(screen.red, UInt32(77)), (screen.green, 150), (screen.blue, 29)].map { mask, weight in
      (
        shift: UInt32(mask.trailingZeroBitCount), most: max(1, mask >> UInt32(mask.trailingZeroBitCount)),
        weight: weight
      )
    }
    var row = [UInt8](repeating: 0, count: width)
    for column in 0..<width {
      var pixel: UInt32 = 0
      for index in 0..<size {
        let place = start + column * size + (screen.is_big_endian != 0 ? index : size - 1 - index)
        pixel = pixel << 8 | UInt32(bytes[place])
      }
      var shade: UInt32 = 0
      for part in parts {
        let value = UInt64((pixel >> part.shift) & part.most) * 255 / UInt64(part.most)
        shade += UInt32(truncatingIfNeeded: value) * part.weight
      }
      row[column] = UInt8(truncatingIfNeeded: min(255, shade >> 8))
    }
    shades.append(row.span.bytes)
    row.withUnsafeMutableBytes { if let first = $0.baseAddress { explicit_bzero(first, $0.count) } }
  }
}
