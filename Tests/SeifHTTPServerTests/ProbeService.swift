import Glibc
import SeifBytes
import SeifHTTPFields
import SeifHTTPServer
import Synchronization

/// A service that says what it was asked.
final class ProbeService: HTTPService {
  let ended = Mutex<[HTTPEndedRequest]>([])
  let abandoned = Atomic<Int>(0)
  let worked = Atomic<Int>(0)
  let begun = Atomic<Int>(0)
  let gate = Mutex(())
  let file: OpenedFile?

  init(file: OpenedFile? = nil) { self.file = file }

  func plan(_ head: HTTPRequestHead) -> HTTPPlan {
    switch head.path {
    case "/now":
      return .answer(HTTPAnswer(200, fields: [HTTPField("X-Seen", head.query ?? "-")], body: .bytes([1, 2])))
    case "/work": return .work { HTTPAnswer(200, body: .bytes(Array("worked".utf8))) }
    case "/slow":
      return .work {
        self.worked.add(1, ordering: .releasing)
        self.gate.withLock { _ in }
        return HTTPAnswer(200, body: .bytes([7]))
      }
    case "/collect":
      return .collect(limit: 1000) { body in
        HTTPAnswer(200, body: .bytes(Array("\(body.byteCount)".utf8)))
      }
    case "/file":
      guard let file else { return .answer(HTTPAnswer(404)) }
      return .work { HTTPAnswer(200, body: .file(file, offset: 10, byteCount: 5)) }
    case "/pieces":
      return .work { HTTPAnswer(200, body: .pieces(CountingPieces(), byteCount: 100_000)) }
    case "/put", "/full", "/stop": return .receive(ProbeReceiver(self, head.path))
    default: return .answer(HTTPAnswer(404))
    }
  }

  func ended(_ request: HTTPEndedRequest) { ended.withLock { $0.append(request) } }
}

final class CountingPieces: HTTPPieces {
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
    for index in buffer.indices { buffer[index] = UInt8(truncatingIfNeeded: offset + index) }
    return buffer.count
  }
}

final class ProbeReceiver: HTTPBodyReceiver {
  private let service: ProbeService
  private let path: String
  private let count = Atomic<Int>(0)
  private let largest = Atomic<Int>(0)

  init(_ service: ProbeService, _ path: String) {
    self.service = service
    self.path = path
  }

  func begin() -> HTTPAnswer? {
    service.begun.add(1, ordering: .releasing)
    return path == "/full" ? HTTPAnswer(507) : nil
  }

  func take(_ piece: UnsafeRawBufferPointer) -> Bool {
    count.add(piece.count, ordering: .relaxed)
    largest.max(piece.count, ordering: .relaxed)
    return path != "/stop"
  }

  func finish() -> HTTPAnswer {
    let text = "\(count.load(ordering: .relaxed)) \(largest.load(ordering: .relaxed) <= 65_536)"
    return HTTPAnswer(path == "/stop" ? 422 : 201, body: .bytes(Array(text.utf8)))
  }

  func abandon() { service.abandoned.add(1, ordering: .relaxed) }
}
