import SeifCommandLine
import CSeif
import Glibc
import SeifVault
import Synchronization
import Testing

@testable import SeifCommands

/// A time server of our own: answers one datagram after another as a test wants.
final class FakeTimeServer: Sendable {
  let port: UInt16
  private let descriptor: Int32

  /// - Parameter answer: the datagram for a question; nil: none.
  init(_ answer: @escaping @Sendable ([UInt8]) -> [UInt8]?) throws {
    let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    try #require(descriptor >= 0)
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    try #require(bound)
    port = UInt16(bigEndian: name.sin_port)
    self.descriptor = descriptor
    let box = Box(descriptor: descriptor, answer: answer)
    var thread = pthread_t()
    let unmanaged = Unmanaged.passRetained(box)
    pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().serve()
        return nil
      }, unmanaged.toOpaque())
    pthread_detach(thread)
  }

  deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

  private final class Box: Sendable {
    let descriptor: Int32
    let answer: @Sendable ([UInt8]) -> [UInt8]?

    init(descriptor: Int32, answer: @escaping @Sendable ([UInt8]) -> [UInt8]?) {
      self.descriptor = descriptor
      self.answer = answer
    }

    func serve() {
      var buffer = [UInt8](repeating: 0, count: 512)
      while true {
        var peer = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let count = withUnsafeMutablePointer(to: &peer) { pointer in
          pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            recvfrom(descriptor, &buffer, buffer.count, 0, $0, &length)
          }
        }
        guard count > 0 else { break }
        guard let reply = answer(Array(buffer.prefix(count))) else { continue }
        _ = withUnsafePointer(to: &peer) { pointer in
          pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            sendto(descriptor, reply, reply.count, 0, $0, length)
          }
        }
      }
      close(descriptor)
    }
  }

  /// An answer by a clock that is ahead of ours by so many seconds.
  static func answer(_ question: [UInt8], ahead: Int64, change: (inout [UInt8]) -> Void = { _ in }) -> [UInt8] {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let stamp = SNTPQuestion.stamp((Int64(now.tv_sec) + ahead, Int64(now.tv_nsec)))
    let bytes = (0..<8).map { UInt8(truncatingIfNeeded: stamp >> (56 - 8 * UInt64($0))) }
    var answer: [UInt8] = [0x24, 2] + [UInt8](repeating: 0, count: 22) + Array(question.suffix(8)) + bytes + bytes
    change(&answer)
    return answer
  }
}

@Suite struct TimeServerTests {
  private func offset(_ answer: @escaping @Sendable ([UInt8]) -> [UInt8]?) throws -> Result<Double, TimeServer.Failure>
  {
    let fake = try FakeTimeServer(answer)
    let server = try #require(TimeServer("127.0.0.1:\(fake.port)"))
    return server.offset(milliseconds: 500)
  }

  @Test(arguments: [0, 3, -40, 100_000] as [Int64])
  func theOffsetIsTheServersClockLessOurs(ahead: Int64) throws {
    let offset = try offset { FakeTimeServer.answer($0, ahead: ahead) }.get()
    #expect(abs(offset - Double(ahead)) < 1)
  }

  @Test func aQuestionSaysNothingOfUs() throws {
    let seen = Mutex<[[UInt8]]>([])
    for _ in 0..<2 {
      _ = try offset { question in
        seen.withLock { $0.append(question) }
        return FakeTimeServer.answer(question, ahead: 0)
      }
    }
    let questions = seen.withLock { $0 }
    #expect(questions.map(\.count) == [48, 48])
    #expect(questions.allSatisfy { $0[0] == 0x23 && $0[1..<40].allSatisfy { $0 == 0 } })
    #expect(questions.first?.suffix(8) != questions.last?.suffix(8))
  }

  @Test func anAnswerThatGivesNoTimeIsRefused() throws {
    let changes: [@Sendable (inout [UInt8]) -> Void] = [
      { $0[0] = 0xE4 }, { $0[0] = 0x23 }, { $0[0] = 0x0C }, { $0[1] = 0 }, { $0[1] = 16 }, { $0[31] ^= 1 },
      { $0.removeLast() }, { $0.replaceSubrange(40..<48, with: [UInt8](repeating: 0, count: 8)) }, { $0 = [] },
    ]
    for change in changes {
      let result = try offset { FakeTimeServer.answer($0, ahead: 0, change: change) }
      #expect(result == .failure(.notTime))
    }
  }

  @Test func aServerThatIsSilentOrUnknownIsWaitedForOnlySoLong() throws {
    #expect(try offset { _ in nil } == .failure(.noAnswer))
    #expect(TimeServer("nobody.invalid")?.offset() == .failure(.noSuchHost))
  }

  @Test func theEndOfTheEraIsNoLeap() {
    let question = SNTPQuestion(cookie: [1, 2, 3, 4, 5, 6, 7, 8])
    // 2036-02-07 06:28:16: the seconds begin at 0 again.
    let turn: Int64 = 2_085_978_496
    let bytes = (0..<8).map { UInt8(truncatingIfNeeded: SNTPQuestion.stamp((turn + 1, 0)) >> (56 - 8 * UInt64($0))) }
    let answer: [UInt8] = [0x24, 1] + [UInt8](repeating: 0, count: 22) + question.cookie + bytes + bytes
    #expect(question.offset(answer, sentAt: (turn - 1, 0), receivedAt: (turn - 1, 0)) == 2)
  }

  @Test func hostsAndPortsAreReadStrictly() {
    #expect(TimeServer("pool.ntp.org")?.port == 123)
    #expect(TimeServer("a:1234")?.port == 1234)
    #expect(TimeServer("[::1]:99")?.host == "::1")
    #expect(TimeServer("2001:db8::1")?.host == "2001:db8::1")
    for text in ["", ":1", "a:", "a:0", "a:65536", "a:+1", "[::1", "[::1]x", "-x", "a b", "a\n"] {
      #expect(TimeServer(text) == nil, "\(text)")
    }
  }

  @Test func howFarOffIsOkAWarningOrAFault() throws {
    let world = try World()
    let machine = Machine(world.context, .init(folder: "/nonexistent", stateFolder: "/nonexistent"))
    for (ahead, sign) in [(0, Sign.ok), (-9, .warn), (60, .fail)] as [(Int64, Sign)] {
      let fake = try FakeTimeServer { FakeTimeServer.answer($0, ahead: ahead) }
      let server = try #require(TimeServer("127.0.0.1:\(fake.port)"))
      #expect(ServerClockCheck(server: server).findings(on: machine).map(\.state) == [sign])
    }
    #expect(ServerClockCheck.words(-0.24) == "0.2 s")
    #expect(ServerClockCheck.words(7200) == "120 min")
  }
}
