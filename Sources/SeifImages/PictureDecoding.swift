internal import CImages
internal import Glibc

/// What came of reading a picture; also how the process that reads it ends.
package enum PictureStatus: Int32, Sendable {
  case done = 0
  /// Neither PNG nor JPEG, or damaged.
  case unreadable = 65
  /// More pixels than memory is taken for.
  case tooLarge = 66
  /// A library isn't installed.
  case noLibrary = 69
  /// The kernel refuses the walls, and without them nothing is read.
  case noSandbox = 70
}

/// The libraries that read pictures, by the names with the versions of their interfaces.
struct PictureLibraries {
  let png: UnsafePointer<seif_png>
  let jpeg: UnsafePointer<seif_jpeg>
  let zbar: UnsafePointer<seif_zbar>

  init?() {
    guard let png = seif_load_png("libpng16.so.16"), let jpeg = seif_load_jpeg("libturbojpeg.so.0"),
      let zbar = seif_load_zbar("libzbar.so.0")
    else { return nil }
    (self.png, self.jpeg, self.zbar) = (png, jpeg, zbar)
  }
}

extension PictureLibraries {
  enum Outcome {
    case image(GrayImage)
    case failed(PictureStatus)
  }

  /// The pixels of a PNG or JPEG file; its size is looked at before memory is taken for it.
  func decode(_ bytes: UnsafeRawBufferPointer) -> Outcome {
    if bytes.starts(with: PictureReader.shadesBegin) { return Self.shades(bytes) }
    let pngBegin: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    if bytes.starts(with: pngBegin) { return decodePNG(bytes) }
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return decodeJPEG(bytes) }
    return .failed(.unreadable)
  }

  /// Pixels as they are: see ``PictureReader/shades(width:height:_:)``.
  private static func shades(_ bytes: UnsafeRawBufferPointer) -> Outcome {
    let start = PictureReader.shadesBegin.count
    guard bytes.count >= start + 8 else { return .failed(.unreadable) }
    func number(_ offset: Int) -> Int {
      Int(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    }
    let (width, height) = (number(start), number(start + 4))
    guard GrayImage.allows(width: width, height: height) else { return .failed(.tooLarge) }
    guard bytes.count == start + 8 + width * height else { return .failed(.unreadable) }
    return .image(GrayImage(width: width, height: height, pixels: Array(bytes[(start + 8)...])))
  }

  private func decodePNG(_ bytes: UnsafeRawBufferPointer) -> Outcome {
    var image = png_image()
    image.version = seif_png_version
    guard png.pointee.png_image_begin_read_from_memory(&image, bytes.baseAddress, bytes.count) != 0 else {
      return .failed(.unreadable)
    }
    defer { png.pointee.png_image_free(&image) }
    let (width, height) = (Int(image.width), Int(image.height))
    guard GrayImage.allows(width: width, height: height) else { return .failed(.tooLarge) }
    image.format = seif_png_gray
    var pixels = [UInt8](repeating: 255, count: width * height)
    var white = png_color(red: 255, green: 255, blue: 255)
    let result = pixels.withUnsafeMutableBytes {
      png.pointee.png_image_finish_read(&image, &white, $0.baseAddress, png_int_32(width), nil)
    }
    // 1 is a warning; from 2 on the picture isn't whole.
    guard result != 0, image.warning_or_error < 2 else { return .failed(.unreadable) }
    return .image(GrayImage(width: width, height: height, pixels: pixels))
  }

  private func decodeJPEG(_ bytes: UnsafeRawBufferPointer) -> Outcome {
    guard let handle = jpeg.pointee.tjInitDecompress() else { return .failed(.unreadable) }
    defer { _ = jpeg.pointee.tjDestroy(handle) }
    guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return .failed(.unreadable) }
    let size = UInt(bytes.count)
    var (wide, high, sampling, space): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
    guard jpeg.pointee.tjDecompressHeader3(handle, start, size, &wide, &high, &sampling, &space) == 0,
      wide > 0, high > 0
    else {
      return .failed(.unreadable)
    }
    let (width, height) = (Int(wide), Int(high))
    guard GrayImage.allows(width: width, height: height) else { return .failed(.tooLarge) }
    var pixels = [UInt8](repeating: 255, count: width * height)
    let result = pixels.withUnsafeMutableBufferPointer {
      jpeg.pointee.tjDecompress2(
        handle, start, size, $0.baseAddress, wide, wide, high, seif_tj_gray, seif_tj_limit_scans)
    }
    guard result == 0 else { return .failed(.unreadable) }
    return .image(GrayImage(width: width, height: height, pixels: pixels))
  }

  // MARK: - Codes

  /// What the QR codes of a picture hold, each once: as it is and inverted, and in another size where nothing was found.
  func codes(in image: GrayImage) -> [[UInt8]] {
    var image = image
    image.normalise()
    var found = bothWays(image)
    // Smoothed by four pixels becoming one, edges are found that noise has broken up.
    if found.isEmpty, image.width > 100, image.height > 100 { found = bothWays(image.halved()) }
    if found.isEmpty, image.width <= 1500, image.height <= 1500 { found = bothWays(image.doubled()) }
    var smaller = image
    while found.isEmpty, smaller.width > 1000, smaller.height > 1000 {
      smaller = smaller.halved().halved()
      found = bothWays(smaller)
    }
    return found
  }

  private func bothWays(_ image: GrayImage) -> [[UInt8]] {
    var found: [[UInt8]] = []
    var image = image
    for _ in 0..<2 {
      for code in scan(image.framed(by: 24)) where !found.contains(code) { found.append(code) }
      image.invert()
    }
    return found
  }

  private func scan(_ image: GrayImage) -> [[UInt8]] {
    let zbar = zbar.pointee
    guard let scanner = zbar.zbar_image_scanner_create() else { return [] }
    defer { zbar.zbar_image_scanner_destroy(scanner) }
    _ = zbar.zbar_image_scanner_set_config(scanner, ZBAR_NONE, ZBAR_CFG_ENABLE, 0)
    _ = zbar.zbar_image_scanner_set_config(scanner, ZBAR_QRCODE, ZBAR_CFG_ENABLE, 1)
    // The bytes as they are: guessing their encoding would open files.
    _ = zbar.zbar_image_scanner_set_config(scanner, ZBAR_QRCODE, ZBAR_CFG_BINARY, 1)
    guard let picture = zbar.zbar_image_create() else { return [] }
    defer { zbar.zbar_image_destroy(picture) }
    zbar.zbar_image_set_format(picture, seif_y800)
    zbar.zbar_image_set_size(picture, UInt32(image.width), UInt32(image.height))
    return image.pixels.withUnsafeBytes { pixels in
      zbar.zbar_image_set_data(picture, pixels.baseAddress, UInt(pixels.count), nil)
      guard zbar.zbar_scan_image(scanner, picture) > 0 else { return [] }
      var codes: [[UInt8]] = []
      var symbol = zbar.zbar_image_first_symbol(picture)
      while let current = symbol, codes.count < PictureReader.codeLimit {
        if zbar.zbar_symbol_get_type(current) == ZBAR_QRCODE, let data = zbar.zbar_symbol_get_data(current) {
          let count = Int(zbar.zbar_symbol_get_data_length(current))
          codes.append(Array(UnsafeRawBufferPointer(start: data, count: count)))
        }
        symbol = zbar.zbar_symbol_next(current)
      }
      return codes
    }
  }
}
