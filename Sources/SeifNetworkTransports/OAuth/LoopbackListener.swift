internal import Glibc
internal import SeifBytes

/// Waits on 127.0.0.1 for the browser that comes back from an authorization server (RFC 8252 §7.3), on a port of the
/// kernel's, until one brings the answer.
///
/// Any program of this machine can come there. All are served at once, so that none that says nothing holds the browser up,
/// and however many come with something else, they end nothing: what counts is a state of 128 random bits.
struct LoopbackListener: ~Copyable {
  /// How long a person's browser is waited for.
  static let waitSeconds: Int64 = 300

  /// Why there is no answer.
  enum Failure: Error, Equatable {
    case noPort, timedOut
  }
  /// Most connections at once; one more takes the place of the one that has been silent longest.
  static let mostConnections = 50

  private let listener: Int32
  /// The port on which it listens.
  let port: UInt16

  init() throws(Failure) {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = listener
    let isReady = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && listen(descriptor, 128) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    guard isReady else { throw .noPort }
    _ = fcntl(listener, F_SETFL, O_NONBLOCK)
  }

  deinit { if listener >= 0 { close(listener) } }

  /// What the browser must have asked for.
  var host: String { "127.0.0.1:\(port)" }
  /// Where the authorization server sends it.
  var redirect: String { "http://\(host)\(RedirectRequest.path)" }

  /// Waits for the answer to a state: a code, or that it was refused. Anything else gets its page and counts for nothing.
  ///
  /// - Parameter milliseconds: how long in all; how long for the head of one request, short since browsers also connect
  ///   ahead of time and say nothing.
  consuming func answer(
    to state: SecretValue, milliseconds: (all: Int, head: Int) = (Int(waitSeconds) * 1000, 2_000)
  ) throws(Failure) -> RedirectRequest {
    let end = Self.now() + milliseconds.all
    var visitors: [Visitor] = []
    defer { for visitor in visitors { close(visitor.connection) } }
    while true {
      let now = Self.now()
      guard now < end else { throw .timedOut }
      while let oldest = visitors.first, oldest.end <= now { close(visitors.removeFirst().connection) }
      var pollers = ([listener] + visitors.map(\.connection)).map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      // The oldest comes first, and ends first.
      let next = min(end, visitors.first?.end ?? end)
      guard poll(&pollers, nfds_t(pollers.count), Int32(clamping: next - now)) > 0 else { continue }
      for index in visitors.indices.reversed() where pollers[index + 1].revents != 0 {
        switch visitors[index].read() {
        case .more: continue
        case .gone: break
        case .head(let head):
          let request = RedirectRequest(head: head, host: host, state: state)
          Self.send(Array(request.page.utf8), visitors[index].connection)
          switch request {
          case .code, .refused: return request
          case .forged, .elsewhere: break
          }
        }
        close(visitors.remove(at: index).connection)
      }
      guard pollers[0].revents != 0 else { continue }
      let connection = accept(listener, nil, nil)
      guard connection >= 0 else { continue }
      _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
      _ = fcntl(connection, F_SETFL, O_NONBLOCK)
      if visitors.count == Self.mostConnections { close(visitors.removeFirst().connection) }
      visitors.append(Visitor(connection: connection, end: Self.now() + milliseconds.head))
    }
  }

  /// A connection, and what has come of its head.
  private struct Visitor {
    enum Step {
      /// The bytes before the first empty line.
      case head([UInt8])
      case more
      /// There is no end to it, or nothing more comes.
      case gone
    }
    let connection: Int32
    /// When it has been waited for long enough.
    let end: Int
    private var bytes: [UInt8] = []

    init(connection: Int32, end: Int) {
      self.connection = connection
      self.end = end
    }

    mutating func read() -> Step {
      var piece = [UInt8](repeating: 0, count: 4096)
      let count = recv(connection, &piece, piece.count, 0)
      if count < 0, errno == EINTR || errno == EAGAIN { return .more }
      guard count > 0 else { return .gone }
      let start = max(0, bytes.count - 3)
      bytes += piece[..<count]
      guard bytes.count >= 4 else { return .more }
      for place in start...max(start, bytes.count - 4)
      where bytes[place...].prefix(4).elementsEqual([13, 10, 13, 10]) { return .head(Array(bytes[..<place])) }
      return bytes.count <= RedirectRequest.maximumByteCount ? .more : .gone
    }
  }

  // A page fits into what the kernel takes at once; a browser that has gone gets none.
  private static func send(_ bytes: [UInt8], _ connection: Int32) {
    _ = bytes.withUnsafeBytes { Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    shutdown(connection, Int32(SHUT_WR))
    // What was sent and not read would make the kernel break the connection off before the page has been seen.
    var rest = [UInt8](repeating: 0, count: 4096)
    _ = recv(connection, &rest, rest.count, 0)
  }

  private static func now() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
  }
}
