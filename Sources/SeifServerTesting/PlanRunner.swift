internal import Glibc
internal import SeifBytes
package import SeifHTTPServer

/// Takes a plan to its end without a network: what an engine does, in the order in which it does it.
package enum PlanRunner {
  /// - Parameter pieceByteCount: how much of the body comes at a time.
  package static func run(_ plan: HTTPPlan, body: [UInt8] = [], pieceByteCount: Int = 4096) -> HTTPAnswer {
    switch plan {
    case .answer(let answer): return answer
    case .work(let work): return body.isEmpty ? work() : HTTPAnswer(400)
    case .collect(let limit, let work):
      return body.count > limit ? HTTPAnswer(413) : work(SecretValue(body))
    case .receive(let receiver):
      if let refusal = receiver.begin() { return refusal }
      var rest = body[...]
      while !rest.isEmpty {
        let piece = Array(rest.prefix(pieceByteCount))
        guard piece.withUnsafeBytes({ receiver.take($0) }) else { break }
        rest = rest.dropFirst(piece.count)
      }
      return receiver.finish()
    }
  }

  /// All bytes of an answer's body.
  package static func bytes(_ body: HTTPAnswerBody) -> [UInt8] {
    switch body {
    case .none: return []
    case .bytes(let bytes): return bytes
    case .file(let file, let offset, let byteCount):
      return filled(byteCount) { buffer, done in pread(file.descriptor, buffer.baseAddress, buffer.count, offset + done)
      }
    case .pieces(let pieces, let byteCount):
      return filled(byteCount) { buffer, done in pieces.read(into: buffer, at: done) }
    }
  }

  // In pieces of an odd length, so that nothing depends on where they begin.
  private static func filled(_ count: Int, _ read: (UnsafeMutableRawBufferPointer, Int) -> Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let read = bytes.withUnsafeMutableBytes { all in
        read(UnsafeMutableRawBufferPointer(rebasing: all[done..<min(count, done + 1021)]), done)
      }
      guard read > 0 else { break }
      done += read
    }
    return Array(bytes.prefix(done))
  }
}
