internal import CCurl
internal import SeifBytes
internal import SeifHTTPFields

/// One exchange, as curl's callbacks see it: what is sent, and what has come so far.
final class CurlTransfer {
  /// Why a callback stopped the exchange.
  enum Stop {
    case tooLarge
    case broken(String)
    /// The body of a refusal is long; its beginning is enough.
    case enough
  }

  static let maximumHeadByteCount = 64 << 10
  static let maximumFieldCount = 200
  static let maximumRefusalByteCount = 64 << 10

  private let request: HTTPRequest
  private var sentByteCount = 0
  private var headByteCount = 0
  private(set) var isHeadDone = false
  private var body = SecretBuffer()
  private var sunkByteCount = 0
  private(set) var status = 0
  private(set) var fields: [HTTPField] = []
  private(set) var stop: Stop?

  init(_ request: HTTPRequest) { self.request = request }

  /// The body that came.
  func takeBody() -> SecretValue {
    let value = body.withBytes { SecretValue(copying: $0) }
    body.removeAll()
    return value
  }

  // MARK: - What is sent

  /// Fills a buffer with the next bytes of the body and gives their number, 0 at its end.
  /// Nil ends the exchange.
  func send(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    if let source = request.source {
      guard let count = source.read(into: buffer) else { return nil }
      sentByteCount += count
      return count
    }
    guard let content = request.body else { return 0 }
    let count = min(buffer.count, content.byteCount - sentByteCount)
    content.withBytes { bytes in
      bytes.extracting(sentByteCount..<(sentByteCount + count)).withUnsafeBytes { buffer.copyMemory(from: $0) }
    }
    sentByteCount += count
    return count
  }

  /// Goes back to a place in the body, for a request that is sent once more with credentials.
  func seek(to place: Int) -> Bool {
    if request.source != nil { return place == sentByteCount }
    guard let content = request.body, (0...content.byteCount).contains(place) else { return false }
    sentByteCount = place
    return true
  }

  // MARK: - What comes

  /// Takes one line of a head; false: the exchange ends here.
  func receive(line: UnsafeRawBufferPointer) -> Bool {
    let isStatusLine = line.starts(with: "HTTP/".utf8)
    if isStatusLine {
      // Of a further answer, such as the one after 100 or 401: what came before it counts no more.
      (headByteCount, isHeadDone, fields, status) = (0, false, [], 0)
      body.removeAll()
    }
    // Fields after a body are of no use to anybody here.
    guard !isHeadDone else { return true }
    headByteCount += line.count
    guard headByteCount <= Self.maximumHeadByteCount else { return end(.broken("the head of the answer is too long")) }
    let text = line.prefix { $0 != 0x0D && $0 != 0x0A }
    if isStatusLine {
      let words = text.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
      guard words.count > 1, words[1].count == 3, let number = Int(String(decoding: words[1], as: UTF8.self)),
        (100...599).contains(number)
      else { return end(.broken("the answer has no status")) }
      status = number
      return true
    }
    guard !text.isEmpty else {
      isHeadDone = true
      return checkHead()
    }
    return takeField(text)
  }

  private func takeField(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
    guard fields.count < Self.maximumFieldCount else { return end(.broken("the answer's head has too many fields")) }
    guard let colon = text.firstIndex(of: 0x3A), HTTPSyntax.isToken(text[..<colon]) else {
      return end(.broken("a line of the answer's head isn't a field"))
    }
    let value = text[(colon + 1)...]
    guard HTTPSyntax.isFieldValue(value) else {
      return end(.broken("a field of the answer's head holds a control character"))
    }
    fields.append(HTTPField(String(decoding: text[..<colon], as: UTF8.self), HTTPSyntax.text(trimming: value)))
    return true
  }

  // A message whose length can be read in two ways is read differently by two readers (RFC 9112 §6.3).
  private func checkHead() -> Bool {
    let lengths = Set(fields.filter { $0.name.lowercased() == "content-length" }.map(\.value))
    guard let stated = lengths.first else { return true }
    guard lengths.count == 1, stated.utf8.count <= 18, stated.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let length = Int(stated)
    else { return end(.broken("the answer's length is stated in two ways, or isn't a number")) }
    guard !fields.contains(where: { $0.name.lowercased() == "transfer-encoding" }) else {
      return end(.broken("the answer's length is stated in two ways"))
    }
    guard status >= 300 || status < 200 || length <= request.limit || request.method == "HEAD" else {
      return end(.tooLarge)
    }
    return true
  }

  /// Takes a piece of the body; false: the exchange ends here.
  func receive(body bytes: UnsafeRawBufferPointer) -> Bool {
    let isRefusal = status >= 300
    let room = (isRefusal ? max(request.limit, Self.maximumRefusalByteCount) : request.limit) - body.byteCount
    guard bytes.count <= room else {
      if isRefusal { body.append(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: bytes.prefix(room)))) }
      return end(isRefusal ? .enough : .tooLarge)
    }
    guard !isRefusal, let sink = request.sink else {
      body.append(RawSpan(_unsafeBytes: bytes))
      return true
    }
    sunkByteCount += bytes.count
    guard sunkByteCount <= request.limit else { return end(.tooLarge) }
    return sink.take(bytes) ? true : end(.broken("what came wasn't taken"))
  }

  private func end(_ why: Stop) -> Bool {
    stop = why
    return false
  }
}

// MARK: - What curl calls

// In an ordinary file, as functions of no actor: curl calls them on the thread that performs the exchange.

private func transfer(_ context: UnsafeMutableRawPointer) -> CurlTransfer {
  Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
}

// Any other number of bytes than those given ends the exchange.
private func hand(
  _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ context: UnsafeMutableRawPointer?,
  _ receive: (CurlTransfer, UnsafeRawBufferPointer) -> Bool
) -> Int {
  guard let context else { return -1 }
  return receive(transfer(context), UnsafeRawBufferPointer(start: bytes, count: count)) ? count : -1
}

func curlTakesLine(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  hand(bytes, size * count, context) { $0.receive(line: $1) }
}

func curlTakesBody(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  hand(bytes, size * count, context) { $0.receive(body: $1) }
}

func curlAsksForBody(
  _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let context, let buffer else { return 0 }
  // CURL_READFUNC_ABORT.
  return transfer(context).send(into: UnsafeMutableRawBufferPointer(start: buffer, count: size * count)) ?? 0x1000_0000
}

func curlSeeks(_ context: UnsafeMutableRawPointer?, _ place: curl_off_t, _ origin: Int32) -> Int32 {
  guard let context, origin == 0, transfer(context).seek(to: Int(place)) else { return 1 }
  return 0
}
