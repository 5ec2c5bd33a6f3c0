internal import CSeif
internal import SeifBackups
internal import SeifBytes

/// One connection to a server's SFTP: questions out, answers in, each within its time.
///
/// One thread at a time uses it. After any failure but a status it is broken, since nobody knows what comes next.
final class SFTPSession: @unchecked Sendable {
  /// How long a packet may take, in milliseconds.
  private let patience: Int64
  /// Most bytes that are kept of what a server sends before it is read.
  private static let holding = 1 << 20

  /// The server, as the person knows it.
  let place: String
  private let program: PipedProgram
  private(set) var extensions: Set<String> = []
  private(set) var isBroken = false
  /// Whether what a killed program left has been looked for.
  var hasCleaned = false
  private var lastID: UInt32 = 0
  // In milliseconds since the machine started: a server that gives a byte a minute is no server.
  private var deadline: Int64

  /// Says hello to a program that speaks SFTP on its streams.
  ///
  /// - Throws: `TransportError`, where the program ended before it answered: `unavailable` without a reason.
  init(_ program: PipedProgram, place: String, patience: Int64) throws(TransportError) {
    self.program = program
    self.place = place
    self.patience = patience
    deadline = seif_milliseconds_since_boot() + patience
    try send(SFTPRequest.initialize.packet(0))
    let packet = try packet()
    extensions = try read { () throws(SFTPFault) in try SFTPAnswer.version(packet) }
  }

  /// Whether it can take another call: it hasn't ended, and nothing came that wasn't asked for.
  var isFresh: Bool {
    guard !isBroken else { return false }
    _ = program.pump(UnsafeRawBufferPointer(start: nil, count: 0), holding: 1, until: 0)
    return program.available == 0 && !program.isOutputEnded
  }

  /// Begins a call that moves so many bytes at most: it may take two minutes, and a second for each 4 KiB.
  func begin(moving byteCount: Int) {
    deadline = seif_milliseconds_since_boot() + 120_000 + Int64(byteCount / 4)
  }

  // MARK: - Questions and answers

  /// Asks, and waits for the answer.
  func ask(_ request: SFTPRequest) throws(TransportError) -> SFTPAnswer {
    let id = try send(request)
    let (answered, answer) = try receive()
    guard answered == id else { throw broken(.identifier) }
    return answer
  }

  /// Asks for something that is done or not.
  func perform(_ request: SFTPRequest) throws(TransportError) -> SFTPStatus {
    guard case .status(let status) = try ask(request) else { throw broken(.otherAnswer(to: request.name)) }
    return status
  }

  /// Sends a question and, of a `write`, its bytes; gives the identifier that the answer will have.
  func send(
    _ request: SFTPRequest, _ bytes: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
  ) throws(TransportError) -> UInt32 {
    lastID &+= 1
    try send(request.packet(lastID))
    try send(bytes)
    return lastID
  }

  /// Waits for the next answer, to whichever question.
  func receive() throws(TransportError) -> (id: UInt32, answer: SFTPAnswer) {
    let packet = try packet()
    return try read { () throws(SFTPFault) in try SFTPAnswer.parse(packet) }
  }

  /// The failure that a broken protocol is; nothing more is asked here.
  func broken(_ fault: SFTPFault) -> TransportError {
    isBroken = true
    return TransportError(.badAnswer, place: place, reason: fault.description)
  }

  private func read<Value>(_ body: () throws(SFTPFault) -> Value) throws(TransportError) -> Value {
    do throws(SFTPFault) {
      return try body()
    } catch {
      throw broken(error)
    }
  }

  // MARK: - Bytes

  private func send(_ bytes: [UInt8]) throws(TransportError) {
    try bytes.span.bytes.withUnsafeBytes { (buffer) throws(TransportError) in try send(buffer) }
  }

  private func send(_ bytes: UnsafeRawBufferPointer) throws(TransportError) {
    let end = packetDeadline
    var sent = 0
    while sent < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
      sent += program.pump(rest, holding: Self.holding, until: end).sent
      if program.isInputBroken { throw lost(.unavailable) }
      if sent < bytes.count, seif_milliseconds_since_boot() >= end { throw lost(.timedOut) }
    }
  }

  private func packet() throws(TransportError) -> [UInt8] {
    let end = packetDeadline
    let head = try bytes(4, until: end)
    let length = try read { () throws(SFTPFault) in try SFTPAnswer.length(head) }
    return try bytes(length, until: end)
  }

  private func bytes(_ count: Int, until end: Int64) throws(TransportError) -> [UInt8] {
    while program.available < count {
      if program.isOutputEnded { throw lost(.unavailable) }
      if seif_milliseconds_since_boot() >= end { throw lost(.timedOut) }
      _ = program.pump(UnsafeRawBufferPointer(start: nil, count: 0), holding: Self.holding, until: end)
    }
    return program.take(count)
  }

  private var packetDeadline: Int64 { min(deadline, seif_milliseconds_since_boot() + patience) }

  private func lost(_ code: TransportError.Code) -> TransportError {
    isBroken = true
    return TransportError(code, place: place, reason: program.lastMessage)
  }
}
