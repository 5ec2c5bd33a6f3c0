internal import SeifCommandLine
internal import SeifBytes

/// A black and white PNG without compression (PNG 1.2, RFC 1950, RFC 1951).
enum PNGFile {
  /// - Parameter rows: for each row a zero byte and its pixels, one bit each, white is 1.
  static func make(width: Int, height: Int, rows: SecretValue) -> SecretValue {
    var file = SecretBuffer(capacity: rows.byteCount + 1024)
    file.append([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    var header = SecretBuffer()
    header.appendBigEndian(UInt64(width), byteCount: 4)
    header.appendBigEndian(UInt64(height), byteCount: 4)
    // One bit, grey; the only compression, filter method and interlacing there are.
    header.append([1, 0, 0, 0, 0])
    chunk("IHDR", header.finish(), to: &file)
    chunk("IDAT", stored(rows), to: &file)
    chunk("IEND", .empty, to: &file)
    return file.finish()
  }

  /// A zlib stream of stored blocks.
  private static func stored(_ bytes: SecretValue) -> SecretValue {
    var stream = SecretBuffer(capacity: bytes.byteCount + 1024)
    stream.append([0x78, 0x01])
    bytes.withBytes { span in
      var start = 0
      repeat {
        let count = min(65_535, span.byteCount - start)
        stream.append(start + count == span.byteCount ? 1 : 0)
        for number in [count, count ^ 0xFFFF] {
          stream.append(UInt8(truncatingIfNeeded: number))
          stream.append(UInt8(truncatingIfNeeded: number >> 8))
        }
        stream.append(span.extracting(start..<start + count))
        start += count
      } while start < span.byteCount
    }
    stream.appendBigEndian(UInt64(adler32(bytes)), byteCount: 4)
    return stream.finish()
  }

  private static func chunk(_ name: String, _ content: SecretValue, to file: inout SecretBuffer) {
    file.appendBigEndian(UInt64(content.byteCount), byteCount: 4)
    var body = SecretBuffer(capacity: content.byteCount + 4)
    body.append(utf8: name)
    body.append(content)
    let made = body.finish()
    file.append(made)
    file.appendBigEndian(UInt64(crc32(made)), byteCount: 4)
  }

  private static func adler32(_ bytes: SecretValue) -> UInt32 {
    var (a, b): (UInt32, UInt32) = (1, 0)
    bytes.withBytes { span in
      span.withUnsafeBytes {
        for byte in $0 { (a, b) = ((a + UInt32(byte)) % 65_521, (a + UInt32(byte) + b) % 65_521) }
      }
    }
    return b << 16 | a
  }

  private static func crc32(_ bytes: SecretValue) -> UInt32 {
    var sum: UInt32 = 0xFFFF_FFFF
    bytes.withBytes { span in
      span.withUnsafeBytes { buffer in
        for byte in buffer {
          sum ^= UInt32(byte)
          for _ in 0..<8 { sum = sum >> 1 ^ (sum & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
      }
    }
    return ~sum
  }
}
