internal import SeifBytes

/// Whether whole lines of a text are another text: what was merged into notes before stands there as lines of its own.
///
/// Linear in both lengths (Knuth, Morris, Pratt), since both come from files.
func containsLines(_ text: SecretValue, _ part: SecretValue) -> Bool {
  guard !part.isEmpty else { return true }
  guard part.byteCount <= text.byteCount else { return false }
  return text.withBytes { whole in
    part.withBytes { piece in
      // How much of the piece still fits after a mismatch behind so many bytes of it.
      var borders = [Int](repeating: 0, count: piece.byteCount)
      var length = 0
      for index in 1..<max(1, piece.byteCount) {
        while length > 0, byte(piece, index) != byte(piece, length) { length = borders[length - 1] }
        if byte(piece, index) == byte(piece, length) { length += 1 }
        borders[index] = length
      }
      var matched = 0
      for index in 0..<whole.byteCount {
        while matched > 0, matched == piece.byteCount || byte(whole, index) != byte(piece, matched) {
          matched = borders[matched - 1]
        }
        if byte(whole, index) == byte(piece, matched) { matched += 1 }
        guard matched == piece.byteCount else { continue }
        let start = index + 1 - matched
        let beginsLine = start == 0 || byte(whole, start - 1) == 0x0A
        if beginsLine, index + 1 == whole.byteCount || byte(whole, index + 1) == 0x0A { return true }
      }
      return false
    }
  }
}

private func byte(_ bytes: RawSpan, _ offset: Int) -> UInt8 {
  unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
}
