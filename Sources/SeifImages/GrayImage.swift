/// A picture of one byte a pixel, 0 black to 255 white, row by row.
struct GrayImage {
  let width: Int
  let height: Int
  var pixels: [UInt8]

  /// The largest side, in pixels.
  static let sideLimit = 16_384
  /// The most pixels: those of the largest telephone cameras.
  static let pixelLimit = 64_000_000

  /// Whether a size that a file claims is one that memory is taken for.
  static func allows(width: Int, height: Int) -> Bool {
    guard (1...sideLimit).contains(width), (1...sideLimit).contains(height) else { return false }
    return width * height <= pixelLimit
  }

  /// Stretched so that its darkest hundredth is black and its lightest white; what has one shade stays.
  mutating func normalise() {
    var counts = [Int](repeating: 0, count: 256)
    for pixel in pixels { counts[Int(pixel)] += 1 }
    let part = pixels.count / 100
    var (low, high, below, above) = (0, 255, 0, 0)
    while low < 255, below + counts[low] <= part {
      below += counts[low]
      low += 1
    }
    while high > 0, above + counts[high] <= part {
      above += counts[high]
      high -= 1
    }
    guard low < high, low > 0 || high < 255 else { return }
    let shades = (0..<256).map { UInt8(clamping: (min(max($0, low), high) - low) * 255 / (high - low)) }
    for index in pixels.indices { pixels[index] = shades[Int(pixels[index])] }
  }

  mutating func invert() {
    for index in pixels.indices { pixels[index] = 255 - pixels[index] }
  }

  /// With white around it, which some pictures have been cut free of.
  func framed(by border: Int) -> GrayImage {
    let wide = width + 2 * border
    var result = [UInt8](repeating: 255, count: wide * (height + 2 * border))
    for row in 0..<height {
      let start = (row + border) * wide + border
      result.replaceSubrange(start..<start + width, with: pixels[row * width..<(row + 1) * width])
    }
    return GrayImage(width: wide, height: height + 2 * border, pixels: result)
  }

  /// Twice as wide and high.
  func doubled() -> GrayImage {
    var result = [UInt8](repeating: 0, count: 4 * pixels.count)
    for row in 0..<2 * height {
      for column in 0..<2 * width {
        result[row * 2 * width + column] = pixels[row / 2 * width + column / 2]
      }
    }
    return GrayImage(width: 2 * width, height: 2 * height, pixels: result)
  }

  /// Half as wide and high, each pixel the mean of four.
  func halved() -> GrayImage {
    let (wide, high) = (width / 2, height / 2)
    var result = [UInt8](repeating: 0, count: wide * high)
    for row in 0..<high {
      for column in 0..<wide {
        let start = 2 * row * width + 2 * column
        let sum =
          Int(pixels[start]) + Int(pixels[start + 1]) + Int(pixels[start + width]) + Int(pixels[start + width + 1])
        result[row * wide + column] = UInt8(sum / 4)
      }
    }
    return GrayImage(width: wide, height: high, pixels: result)
  }
}
