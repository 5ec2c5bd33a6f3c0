internal import SeifBackups
internal import SeifBytes

// Contents go in pieces, several of them under way at once: a round trip for each would cost more than the bytes.
extension SFTPSession {
  /// Bytes of one read or write: what every server takes (§6.4).
  static let pieceByteCount = 32 << 10
  /// How many are under way.
  static let window = 16

  /// Writes all of it to an open file.
  ///
  /// - Returns: the first status that isn't `ok`, when every answer is there; nil: all is written.
  func write(_ content: SecretValue, to handle: [UInt8]) throws(TransportError) -> SFTPStatus? {
    try content.withBytes { (bytes) throws(TransportError) in
      var offset = 0
      var asked = Set<UInt32>()
      var refusal: SFTPStatus?
      while !asked.isEmpty || (offset < bytes.byteCount && refusal == nil) {
        if offset < bytes.byteCount, refusal == nil, asked.count < Self.window {
          let count = min(Self.pieceByteCount, bytes.byteCount - offset)
          let request = SFTPRequest.write(handle: handle, offset: UInt64(offset), count: UInt32(count))
          let piece = bytes.extracting(offset..<offset + count)
          asked.insert(try piece.withUnsafeBytes { (buffer) throws(TransportError) in try send(request, buffer) })
          offset += count
          continue
        }
        let (id, answer) = try receive()
        guard asked.remove(id) != nil else { throw broken(.identifier) }
        guard case .status(let status) = answer else { throw broken(.otherAnswer(to: "WRITE")) }
        if status.code != SFTPStatus.ok, refusal == nil { refusal = status }
      }
      return refusal
    }
  }

  /// The first `byteCount` bytes of an open file.
  ///
  /// - Returns: what came, and the first status, which means that not all did.
  func read(_ byteCount: Int, of handle: [UInt8]) throws(TransportError) -> (content: SecretValue, refusal: SFTPStatus?)
  {
    var refusal: SFTPStatus?
    let content = try SecretValue(byteCount: byteCount) { (buffer) throws(TransportError) in
      var asked: [UInt32: Range<Int>] = [:]
      var missing: [Range<Int>] = []
      var offset = 0
      while true {
        let isOpen = refusal == nil && (offset < byteCount || !missing.isEmpty)
        guard isOpen || !asked.isEmpty else { return }
        if isOpen, asked.count < Self.window {
          let range: Range<Int>
          if let again = missing.popLast() {
            range = again
          } else {
            range = offset..<min(offset + Self.pieceByteCount, byteCount)
            offset = range.upperBound
          }
          let request = SFTPRequest.read(
            handle: handle, offset: UInt64(range.lowerBound), count: UInt32(range.count))
          asked[try send(request)] = range
          continue
        }
        let (id, answer) = try receive()
        guard let range = asked.removeValue(forKey: id) else { throw broken(.identifier) }
        switch answer {
        case .status(let status):
          guard status.code != SFTPStatus.ok else { throw broken(.otherAnswer(to: "READ")) }
          refusal = refusal ?? status
        case .data(let data):
          guard !data.isEmpty, data.count <= range.count else { throw broken(.count(field: "bytes of data")) }
          UnsafeMutableRawBufferPointer(rebasing: buffer[range]).copyBytes(from: data)
          // A server may give less than it is asked for.
          if data.count < range.count { missing.append(range.lowerBound + data.count..<range.upperBound) }
        default: throw broken(.otherAnswer(to: "READ"))
        }
      }
    }
    return (content, refusal)
  }
}
