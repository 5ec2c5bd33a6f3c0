internal import CMicroHTTPD
internal import SeifBytes
internal import SeifHTTPFields

/// The way of a request through an engine: head, body, work, answer.
final class EngineCore: Sendable {
  let watch: ConnectionWatch
  let pool: WorkerPool
  private let service: any HTTPService
  private let headByteLimit: Int
  private let isEncrypted: Bool

  init(_ settings: HTTPEngineSettings, _ service: any HTTPService) {
    // Not the settings themselves: they hold the key of TLS.
    (headByteLimit, isEncrypted) = (settings.headByteLimit, settings.tls != nil)
    self.service = service
    watch = ConnectionWatch(headSeconds: settings.headSeconds, bytesPerSecond: settings.bodyBytesPerSecond)
    pool = WorkerPool(count: max(1, settings.workerCount), limit: max(1, settings.waitingLimit))
  }

  func connectionBegan(_ descriptor: Int32) -> UnsafeMutableRawPointer {
    Unmanaged.passRetained(watch.began(descriptor)).toOpaque()
  }

  func connectionEnded(_ descriptor: Int32, _ context: UnsafeMutableRawPointer) {
    watch.ended(descriptor, Unmanaged<ConnectionState>.fromOpaque(context).takeRetainedValue())
  }

  func ended(_ exchange: Exchange, isComplete: Bool) {
    if let receiver = exchange.receiver {
      exchange.receiver = nil
      receiver.abandon()
    }
    exchange.connection?.enter(.head)
    guard let head = exchange.head else { return }
    let isAnswered = isComplete && exchange.answer != nil
    service.ended(
      HTTPEndedRequest(
        head: head, status: isAnswered ? exchange.answer?.status : nil, received: exchange.received,
        sent: isAnswered && head.method != "HEAD" ? exchange.answer?.body.byteCount ?? 0 : 0,
        microseconds: MonotonicTime.microseconds() - exchange.startedAt))
  }

  /// One call for a request: with its head, with each piece of its body, after its end, and after each suspension.
  ///
  /// - Returns: whether the connection goes on.
  func handle(
    _ exchange: Exchange, _ connection: OpaquePointer, method: String, version: String,
    _ piece: UnsafeRawBufferPointer, _ taken: inout Bool
  ) -> Bool {
    if case .new = exchange.step { return begin(exchange, connection, method: method, version: version) }
    if !piece.isEmpty { return take(piece, exchange, connection, &taken) }
    switch exchange.step {
    case .answering:
      guard let answer = exchange.answer else { return false }
      exchange.step = .answered
      exchange.connection?.enter(.answer)
      return Response.queue(answer, connection)
    case .collecting(let work):
      guard let body = exchange.collected, !body.isTooLong else {
        exchange.settle(Self.refusal(413))
        return handle(exchange, connection, method: method, version: version, piece, &taken)
      }
      let value = body.take()
      exchange.collected = nil
      return run(exchange, connection) { work(value) }
    case .beginning(let receiver):
      return begin(receiver, exchange, connection)
    case .receiving(let receiver):
      return finish(receiver, exchange, connection)
    case .working(let work):
      return run(exchange, connection, work)
    case .discarding:
      exchange.step = .answering
      return handle(exchange, connection, method: method, version: version, piece, &taken)
    case .new, .waiting, .answered:
      return false
    }
  }

  private func begin(_ exchange: Exchange, _ connection: OpaquePointer, method: String, version: String) -> Bool {
    let fields = Response.fields(of: connection)
    var head: HTTPRequestHead
    do throws(RequestGuard.Refusal) {
      head = try RequestGuard.head(
        method: method, target: exchange.target, version: version, fields: fields, byteLimit: headByteLimit)
    } catch {
      // The place where the next request begins isn't sure any more.
      exchange.answer = HTTPAnswer(error.status, closes: true)
      // For the log, which gets nothing of what is refused so.
      exchange.head = HTTPRequestHead(method: "-", path: "-")
      exchange.step = .answered
      return Response.queue(HTTPAnswer(error.status, closes: true), connection)
    }
    head.peer = Response.peer(of: connection)
    head.isEncrypted = isEncrypted
    exchange.head = head
    let hasBody = head.bodyByteCount != 0
    exchange.connection?.enter(hasBody ? .body : .work)
    switch service.plan(head) {
    case .answer(let answer):
      exchange.answer = answer
      guard hasBody else {
        // Queued by the next call: an answer in the first one ends the connection.
        exchange.step = .answering
        return true
      }
      // A proxy that still sends when the connection ends may never read why, so a body of a usual length is read; who
      // asked before sending is answered at once.
      guard head.values("Expect").isEmpty, let length = head.bodyByteCount, length <= Self.refusedByteLimit else {
        return refuse(answer, exchange, connection)
      }
      exchange.step = .discarding
    case .work(let work):
      guard !hasBody else { return refuse(Self.refusal(400), exchange, connection) }
      exchange.step = .working(work)
    case .collect(let limit, let work):
      if let length = head.bodyByteCount, length > limit { return refuse(Self.refusal(413), exchange, connection) }
      exchange.step = .collecting(work)
      exchange.collected = CollectedBody(limit: limit, expected: head.bodyByteCount)
    case .receive(let receiver):
      exchange.step = .beginning(receiver)
    }
    return true
  }

  /// Answers before the body, which isn't read.
  private func refuse(_ answer: HTTPAnswer, _ exchange: Exchange, _ connection: OpaquePointer) -> Bool {
    var answer = answer
    answer.closes = true
    exchange.answer = answer
    exchange.step = .answered
    exchange.connection?.enter(.answer)
    return Response.queue(answer, connection)
  }

  private func take(
    _ piece: UnsafeRawBufferPointer, _ exchange: Exchange, _ connection: OpaquePointer, _ taken: inout Bool
  ) -> Bool {
    switch exchange.step {
    case .collecting:
      exchange.collected?.append(piece)
      // Whoever sends much more than it was told it may isn't listened to any longer.
      if exchange.collected?.isTooLong ?? true, exchange.received > headByteLimit << 8 { return false }
    case .beginning(let receiver):
      return begin(receiver, exchange, connection)
    case .receiving(let receiver):
      if !receiver.take(piece) {
        exchange.received &+= piece.count
        taken = true
        return run(exchange, connection, then: .discarding) { receiver.finish() }
      }
    case .discarding, .answering:
      // Read so that its sender can read the answer; without end only as far as a courtesy goes.
      exchange.discarded &+= piece.count
      if exchange.head?.bodyByteCount == nil, exchange.discarded > Self.discardedByteLimit { return false }
    case .new, .working, .waiting, .answered:
      return false
    }
    exchange.received &+= piece.count
    taken = true
    return true
  }

  private func begin(
    _ receiver: any HTTPBodyReceiver, _ exchange: Exchange, _ connection: OpaquePointer
  ) -> Bool {
    exchange.step = .waiting
    return suspend(exchange, connection) { exchange in
      if let answer = receiver.begin() {
        // What comes of the body is read and thrown away, so that the client can read why.
        exchange.answer = answer
        exchange.step = .discarding
      } else {
        exchange.receiver = receiver
        exchange.step = .receiving(receiver)
      }
    }
  }

  private func finish(
    _ receiver: any HTTPBodyReceiver, _ exchange: Exchange, _ connection: OpaquePointer
  ) -> Bool {
    run(exchange, connection) { receiver.finish() }
  }

  private func run(
    _ exchange: Exchange, _ connection: OpaquePointer, then step: Exchange.Step = .answering,
    _ work: @escaping @Sendable () -> HTTPAnswer
  ) -> Bool {
    exchange.step = .waiting
    return suspend(exchange, connection) { exchange in
      exchange.receiver = nil
      exchange.answer = work()
      exchange.step = step
    }
  }

  /// Hands the exchange to a worker; the connection goes on when that is done.
  private func suspend(
    _ exchange: Exchange, _ connection: OpaquePointer, _ work: @escaping @Sendable (Exchange) -> Void
  ) -> Bool {
    struct Suspended: @unchecked Sendable { let connection: OpaquePointer }
    let suspended = Suspended(connection: connection)
    exchange.connection?.enter(.work)
    MHD_suspend_connection(connection)
    let isTaken = pool.submit {
      work(exchange)
      if case .answering = exchange.step {} else { exchange.connection?.enter(.body) }
      MHD_resume_connection(suspended.connection)
    }
    guard !isTaken else { return true }
    // It won't be finished, so it is given up: whatever it holds goes.
    if let receiver = exchange.receiver.take() { receiver.abandon() }
    exchange.answer = HTTPAnswer(
      503, fields: [HTTPField("Retry-After", "1")], closes: exchange.head?.bodyByteCount != 0)
    exchange.step = .discarding
    // What is left of the body is watched like any other.
    exchange.connection?.enter(exchange.head?.bodyByteCount == 0 ? .answer : .body)
    MHD_resume_connection(connection)
    return true
  }

  /// Longest body that is read though it is refused: that of a document in base64.
  private static let refusedByteLimit = 70 << 20
  /// Of a body in chunks that was refused, whose end nobody knows.
  private static let discardedByteLimit = 1 << 20

  private static func refusal(_ status: Int) -> HTTPAnswer { HTTPAnswer(status) }
}
