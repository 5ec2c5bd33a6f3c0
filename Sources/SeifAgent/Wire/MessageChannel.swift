internal import CSeif
internal import Glibc
package import SeifBytes

/// Whole messages over a connected socket.
///
/// A message is one or more frames: length of the payload (4 bytes, big endian), 1 while more frames of the message follow
/// and 0 in its last, payload. A frame is at most 1 MiB, its head included; a request at most 32 MiB in all.
package struct MessageChannel: Sendable {
  /// Longest frame, its head of 5 bytes included.
  package static let frameLimit = 1 << 20
  /// Longest request, all frames together.
  package static let requestLimit = 32 << 20
  /// Longest answer that a client takes.
  package static let answerLimit = 1 << 30
  static let headByteCount = 5

  package let descriptor: Int32

  package init(descriptor: Int32) { self.descriptor = descriptor }

  // MARK: - Sending

  /// Sends a message.
  ///
  /// - Parameters:
  ///   - hello: a short message that goes before it, in the same call.
  ///   - patience: milliseconds without progress after which it gives up; nil waits for ever.
  /// - Throws: `gone`, `tooSlow`.
  package func send(_ payload: SecretValue, after hello: SecretValue? = nil, patience: Int64?) throws(AgentRefusal) {
    let room = Self.frameLimit - Self.headByteCount
    var start = 0
    repeat {
      let end = min(payload.byteCount, start + room)
      let isLast = end == payload.byteCount
      // One piece of memory, so that a small message goes in one call.
      var frame = SecretBuffer(capacity: 2 * Self.headByteCount + (hello?.byteCount ?? 0) + end - start)
      if start == 0, let hello {
        frame.appendBigEndian(UInt64(hello.byteCount), byteCount: 4)
        frame.append(0)
        frame.append(hello)
      }
      frame.appendBigEndian(UInt64(end - start), byteCount: 4)
      frame.append(isLast ? 0 : 1)
      payload.withBytes { frame.append($0.extracting(start..<end)) }
      try frame.withBytes { (bytes) throws(AgentRefusal) in try write(bytes, patience) }
      start = end
    } while start < payload.byteCount
  }

  private func write(_ bytes: RawSpan, _ patience: Int64?) throws(AgentRefusal) {
    var sent = 0
    while sent < bytes.byteCount {
      let rest = bytes.extracting(sent..<bytes.byteCount)
      let count = rest.withUnsafeBytes { seif_send(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        sent += count
      } else if count < 0, errno == EAGAIN {
        guard waitFor(POLLOUT, on: descriptor, until: patience.map { Deadline(in: $0) }) else {
          throw AgentRefusal(.tooSlow)
        }
      } else if count == 0 || errno != EINTR {
        throw AgentRefusal(.gone)
      }
    }
  }

  // MARK: - Receiving

  /// The next message.
  ///
  /// - Parameters:
  ///   - limit: longest message.
  ///   - first: until when its first byte has to come; nil waits for ever.
  ///   - patience: milliseconds that all the rest of it may take; nil waits for ever.
  /// - Returns: nil where the other side ended the connection before a first byte.
  /// - Throws: `gone` half-way, `tooSlow`, `tooLarge`, `badMessage`.
  package func receive(
    limit: Int, first: Deadline?, patience: Int64?
  ) throws(AgentRefusal) -> SecretValue? {
    guard waitFor(POLLIN, on: descriptor, until: first) else { throw AgentRefusal(.tooSlow) }
    let end = patience.map { Deadline(in: $0) }
    var message = SecretBuffer(capacity: 512)
    var isFirst = true
    while true {
      guard let head = try read(Self.headByteCount, until: end, mayEnd: isFirst) else { return nil }
      isFirst = false
      let (length, more) = head.withBytes { bytes in
        let length = bytes.unsafeLoadUnaligned(as: UInt32.self).bigEndian
        return (Int(length), bytes.unsafeLoad(fromByteOffset: 4, as: UInt8.self))
      }
      guard more <= 1 else { throw AgentRefusal(.badMessage, "frame") }
      guard length <= Self.frameLimit - Self.headByteCount, length <= limit - message.byteCount else {
        throw AgentRefusal(.tooLarge)
      }
      // Only the last frame may be short of nothing: empty ones would keep a reader busy without end.
      guard length > 0 else { throw AgentRefusal(.badMessage, "empty frame") }
      guard let payload = try read(length, until: end, mayEnd: false) else { throw AgentRefusal(.gone) }
      if more == 0, message.byteCount == 0 { return payload }
      message.append(payload)
      if more == 0 { return message.finish() }
    }
  }

  private func read(_ count: Int, until end: Deadline?, mayEnd: Bool) throws(AgentRefusal) -> SecretValue? {
    var hasEnded = false
    let bytes = try SecretValue(byteCount: count) { (buffer) throws(AgentRefusal) in
      var filled = 0
      while filled < count {
        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
        let got = seif_receive(descriptor, rest.baseAddress, rest.count)
        if got > 0 {
          filled += got
        } else if got < 0, errno == EAGAIN {
          guard waitFor(POLLIN, on: descriptor, until: end) else { throw AgentRefusal(.tooSlow) }
        } else if got == 0, filled == 0, mayEnd {
          hasEnded = true
          return
        } else if got == 0 || errno != EINTR {
          throw AgentRefusal(.gone)
        }
      }
    }
    return hasEnded ? nil : bytes
  }
}

extension MessageChannel {
  /// Whether the other side has closed its end altogether.
  static func isHungUp(_ descriptor: Int32) -> Bool {
    var poller = pollfd(fd: descriptor, events: 0, revents: 0)
    return poll(&poller, 1, 0) > 0 && poller.revents & Int16(POLLHUP | POLLERR) != 0
  }
}
