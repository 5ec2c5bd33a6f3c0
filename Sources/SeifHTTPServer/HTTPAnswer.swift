internal import Glibc
package import SeifHTTPFields

/// What is answered to a request. The engine adds `Date`, `Content-Length` and the framing, and leaves the body out for HEAD.
package struct HTTPAnswer: Sendable {
  package var status: Int
  package var fields: [HTTPField]
  package var body: HTTPAnswerBody
  /// Whether the connection ends with it.
  package var closes: Bool

  package init(_ status: Int, fields: [HTTPField] = [], body: HTTPAnswerBody = .none, closes: Bool = false) {
    self.status = status
    self.fields = fields
    self.body = body
    self.closes = closes
  }
}

/// The body of an answer.
package enum HTTPAnswerBody: Sendable {
  case none
  case bytes([UInt8])
  /// A part of a file, sent by the kernel where it can be.
  case file(OpenedFile, offset: Int, byteCount: Int)
  /// Bytes that are made as they are sent.
  case pieces(any HTTPPieces, byteCount: Int)

  package var byteCount: Int {
    switch self {
    case .none: 0
    case .bytes(let bytes): bytes.count
    case .file(_, _, let byteCount), .pieces(_, let byteCount): byteCount
    }
  }
}

/// The bytes of an answer's body, a piece after another. Used by one thread at a time.
package protocol HTTPPieces: AnyObject, Sendable {
  /// Fills a buffer with the bytes from `offset` on; 0: it can't go on, and the connection ends. Mustn't wait for anything but
  /// a file.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int
}

/// A descriptor that is closed with the last reference to it.
package final class OpenedFile: Sendable {
  package let descriptor: Int32

  /// Takes a descriptor over.
  package init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }
}
