extension RawSpan {
  /// The byte at an offset; outside the span it stops the program, as an array does.
  func byte(at offset: Int) -> UInt8 {
    unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }
}

extension UInt8 {
  /// This byte with an ASCII capital made small.
  var asciiLowercased: UInt8 { (0x41...0x5A).contains(self) ? self + 0x20 : self }

  /// The value of a hexadecimal digit of either case, or nil.
  var hexValue: UInt8? {
    switch self {
    case 0x30...0x39: self - 0x30
    case 0x41...0x46: self - 0x37
    case 0x61...0x66: self - 0x57
    default: nil
    }
  }
}
