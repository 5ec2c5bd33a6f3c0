internal import CImages
internal import Glibc
package import SeifBytes

/// A QR code as squares.
package struct QRMatrix {
  /// Squares in a row, and rows; without the white frame.
  package let side: Int
  /// Row by row; true is black. It is what it encodes, so it is as secret.
  private let squares: [Bool]

  package enum Failure: Error, Equatable {
    case noLibrary
    /// More than a QR code can hold.
    case tooLong
  }

  /// The white frame around it, in squares, that readers need (ISO/IEC 18004).
  package static let frame = 4

  /// The smallest code that holds the bytes and bears a seventh of it being unreadable.
  package init(_ content: SecretValue) throws(Failure) {
    guard let library = seif_load_qrencode("libqrencode.so.4") else { throw .noLibrary }
    let made = content.withBytes { bytes in
      bytes.withUnsafeBytes { buffer in
        library.pointee.QRcode_encodeData(
          Int32(clamping: buffer.count), buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), 0, QR_ECLEVEL_M)
      }
    }
    guard let made else { throw .tooLong }
    defer { library.pointee.QRcode_free(made) }
    side = Int(made.pointee.width)
    let count = side * side
    guard let data = made.pointee.data else { throw .tooLong }
    squares = (0..<count).map { data[$0] & 1 == 1 }
    // The library frees without wiping.
    explicit_bzero(data, count)
  }

  /// Whether a square is black; outside of the code, in its frame, none is.
  package func isBlack(row: Int, column: Int) -> Bool {
    guard (0..<side).contains(row), (0..<side).contains(column) else { return false }
    return squares[row * side + column]
  }
}
