internal import Glibc
internal import SeifBytes

/// Waits on 127.0.0.1 for the browser that comes back from an authorization server (RFC 8252 §7.3): a port of the kernel's,
/// one connection at a time, until one brings the answer.
struct LoopbackListener: ~Copyable {
  /// Why there is no answer.
  enum Failure: Error, Equatable {
    case noPort, timedOut, tooMany
  }
  /// Most connections that are looked at.
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
        bind(descriptor, $0, length) == 0 && listen(descriptor, 8) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    guard isReady else { throw .noPort }
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
    to state: SecretValue, milliseconds: (all: Int, head: Int) = (300_000, 2_000)
  ) throws(Failure) -> RedirectRequest {
    let end = Self.now() + milliseconds.all
    for _ in 0..<Self.mostConnections {
      guard Self.wait(listener, until: end) else { throw .timedOut }
      let connection = accept(listener, nil, nil)
      guard connection >= 0 else { continue }
      defer { close(connection) }
      _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
      _ = fcntl(connection, F_SETFL, O_NONBLOCK)
      guard let head = Self.head(connection, until: min(end, Self.now() + milliseconds.head)) else { continue }
      let request = RedirectRequest(head: head, host: host, state: state)
      Self.send(Array(request.page.utf8), connection)
      switch request {
      case .code, .refused: return request
      case .forged, .elsewhere: continue
      }
    }
    throw .tooMany
  }

  // The bytes before the first empty line; nil: none came in time, or there is no end to it.
  private static func head(_ connection: Int32, until end: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while bytes.count <= RedirectRequest.maximumByteCount {
      guard wait(connection, until: end) else { return nil }
      let count = recv(connection, &piece, piece.count, 0)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0 else { return nil }
      let start = max(0, bytes.count - 3)
      bytes += piece[..<count]
      guard bytes.count >= 4 else { continue }
      for place in start...max(start, bytes.count - 4)
      where bytes[place...].prefix(4).elementsEqual([13, 10, 13, 10]) { return Array(bytes[..<place]) }
    }
    return nil
  }

  // A page fits into what the kernel takes at once; a browser that has gone gets none.
  private static func send(_ bytes: [UInt8], _ connection: Int32) {
    _ = bytes.withUnsafeBytes { Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    shutdown(connection, Int32(SHUT_WR))
    // What was sent and not read would make the kernel break the connection off before the page has been seen.
    var rest = [UInt8](repeating: 0, count: 4096)
    _ = recv(connection, &rest, rest.count, 0)
  }

  private static func wait(_ descriptor: Int32, until end: Int) -> Bool {
    while true {
      let left = end - now()
      guard left > 0 else { return false }
      var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = poll(&poller, 1, Int32(clamping: left))
      if ready > 0 { return true }
      guard ready == 0 || errno == EINTR else { return false }
    }
  }

  private static func now() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
  }
}
