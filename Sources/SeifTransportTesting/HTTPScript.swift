internal import CSeif
internal import Glibc
internal import Synchronization

/// A server that gives written answers, one after the other whichever connection asks, and keeps what it was asked.
public final class HTTPScript: Sendable {
  /// What it does with a request.
  public enum Step: Sendable {
    /// Sends bytes as they are and keeps the connection.
    case answer(String)
    /// Sends a listing (207) that is made of the path that was asked for.
    case reflecting(@Sendable (_ path: String) -> String)
    /// Sends bytes as they are and closes.
    case last(String)
    /// Takes the request and closes without a word.
    case silence
    /// Takes the request and says nothing, until the script ends.
    case hang
  }

  /// A request that came.
  public struct Received: Sendable {
    /// Its first line, without its end.
    public var line: String
    /// The lines of its head after the first.
    public var fields: [String]
    /// Its body.
    public var body: String

    /// The value of a field.
    public subscript(name: String) -> String? {
      let start = name.lowercased() + ":"
      return fields.first { $0.lowercased().hasPrefix(start) }
        .map { String($0.dropFirst(start.count).drop { $0 == " " }) }
    }
  }

  private struct State: Sendable {
    var steps: [Step]
    var received: [Received] = []
    var connections = 0
    var isEnded = false
    var open: Set<Int32> = []
  }
  private let state: Mutex<State>
  private let listener: Int32
  /// The port of 127.0.0.1 on which it listens.
  public let port: UInt16

  /// Starts to answer. A request after the last step is closed without an answer.
  public init(_ steps: [Step]) throws {
    state = Mutex(State(steps: steps))
    (listener, port) = try LoopbackSocket.listener()
    LoopbackSocket.onThread { [listener, weak self] in
      while true {
        let connection = seif_accept(listener)
        // Closed by this thread alone, so that its number can't be another file's by now.
        guard connection >= 0, let self else {
          if connection >= 0 { close(connection) }
          close(listener)
          return
        }
        LoopbackSocket.onThread {
          let isTaken = self.state.withLock { $0.isEnded ? false : $0.open.insert(connection).inserted }
          if isTaken { self.serve(connection) }
          self.state.withLock { _ = $0.open.remove(connection) }
          close(connection)
        }
      }
    }
  }

  deinit { end() }

  /// Closes what is open and answers nobody any more.
  public func end() {
    state.withLock { state in
      guard !state.isEnded else { return }
      state.isEnded = true
      for connection in state.open { shutdown(connection, Int32(SHUT_RDWR)) }
      shutdown(listener, Int32(SHUT_RDWR))
    }
  }

  /// Its address, with `/` at its end.
  public var url: String { "http://127.0.0.1:\(port)/" }
  /// What came so far.
  public var received: [Received] { state.withLock(\.received) }
  /// How many connections there were.
  public var connectionCount: Int { state.withLock(\.connections) }
  /// How many steps nobody asked for.
  public var stepsLeft: Int { state.withLock(\.steps.count) }

  private func serve(_ connection: Int32) {
    state.withLock { $0.connections += 1 }
    var bytes: [UInt8] = []
    while let request = Self.read(connection, &bytes) {
      let step = state.withLock { state in
        state.received.append(request)
        return state.steps.isEmpty ? Step.silence : state.steps.removeFirst()
      }
      switch step {
      case .answer(let text): LoopbackSocket.write(Array(text.utf8), to: connection)
      case .reflecting(let body):
        let path = request.line.split(separator: " ").dropFirst().first.map(String.init) ?? ""
        guard case .answer(let text) = Self.reply("207 Multi-Status", [], body(path)) else { return }
        LoopbackSocket.write(Array(text.utf8), to: connection)
      case .last(let text): return LoopbackSocket.write(Array(text.utf8), to: connection)
      case .silence: return
      case .hang: while !state.withLock(\.isEnded) { usleep(5_000) }
      }
    }
  }

  /// One request with its body of a stated length, nil at the end of the connection.
  private static func read(_ connection: Int32, _ bytes: inout [UInt8]) -> Received? {
    while true {
      if let end = headEnd(bytes) {
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n").map(String.init)
        var request = Received(line: lines.first ?? "", fields: Array(lines.dropFirst()), body: "")
        let length = request["Content-Length"].flatMap(Int.init) ?? 0
        if bytes.count >= end + 4 + length {
          request.body = String(decoding: bytes[(end + 4)..<(end + 4 + length)], as: UTF8.self)
          bytes.removeFirst(end + 4 + length)
          return request
        }
      }
      guard LoopbackSocket.read(from: connection, onto: &bytes) else { return nil }
    }
  }

  private static func headEnd(_ bytes: [UInt8]) -> Int? {
    guard bytes.count >= 4 else { return nil }
    return (0...(bytes.count - 4)).first { bytes[$0..<($0 + 4)].elementsEqual([13, 10, 13, 10]) }
  }
}

extension HTTPScript {
  /// An answer with a body of its length.
  public static func reply(_ status: String, _ fields: [String] = [], _ body: String = "") -> Step {
    let head = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)"] + fields
    return .answer(head.joined(separator: "\r\n") + "\r\n\r\n" + body)
  }
}
