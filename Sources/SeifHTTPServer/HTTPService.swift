package import SeifBytes

/// What answers requests, whatever engine reads them.
package protocol HTTPService: Sendable {
  /// Decides what becomes of a request, once its head was read and before its body is. Called on a thread that serves other
  /// connections too: it may look and compute, never wait.
  func plan(_ head: HTTPRequestHead) -> HTTPPlan
  /// Told once of each request that was answered or given up, for the log and the counts.
  func ended(_ request: HTTPEndedRequest)
}

/// What becomes of a request. Closures run on a thread of the engine's own pool, where they may wait.
package enum HTTPPlan: Sendable {
  /// This answer, at once; a body that is announced isn't read, and the connection ends.
  case answer(HTTPAnswer)
  /// The answer of some work; a body that is announced is refused with 400.
  case work(@Sendable () -> HTTPAnswer)
  /// The answer of some work with the whole body, which has at most `limit` bytes; else 413.
  case collect(limit: Int, @Sendable (SecretValue) -> HTTPAnswer)
  /// A body that is taken as it comes.
  case receive(any HTTPBodyReceiver)
}

/// Takes a body piece by piece. The calls of one receiver never overlap, though their threads differ: `begin`, `take` for
/// each piece, then either `finish` or `abandon`.
package protocol HTTPBodyReceiver: AnyObject, Sendable {
  /// Before the first byte is read; may wait. An answer refuses the body: it isn't read, and nothing more is called.
  func begin() -> HTTPAnswer?
  /// The next piece, valid during the call; mustn't wait for anything but a write to a file. False: no more is wanted, and
  /// `finish` says why.
  func take(_ piece: UnsafeRawBufferPointer) -> Bool
  /// After the last byte, or after `take` gave false; may wait.
  func finish() -> HTTPAnswer
  /// The client went away or was cut off, half-way.
  func abandon()
}

/// A request that is over.
package struct HTTPEndedRequest: Sendable {
  package var head: HTTPRequestHead
  /// The status that was answered; nil: none was.
  package var status: Int?
  /// Bytes of bodies.
  package var received: Int
  package var sent: Int
  package var microseconds: Int

  package init(head: HTTPRequestHead, status: Int?, received: Int, sent: Int, microseconds: Int) {
    self.head = head
    self.status = status
    self.received = received
    self.sent = sent
    self.microseconds = microseconds
  }
}
