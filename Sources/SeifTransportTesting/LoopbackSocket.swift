internal import CSeif
internal import Glibc
internal import SeifTestSupport

/// Sockets of 127.0.0.1, for servers of tests.
enum LoopbackSocket {
  /// A listening socket and its port.
  static func listener() throws -> (Int32, UInt16) {
    let socket = make()
    var address = loopback(0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isReady = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, length) == 0 && listen(socket, 64) == 0 && getsockname(socket, $0, &length) == 0
      }
    }
    guard isReady else {
      close(socket)
      throw ServerProcess.Failure("no port is free")
    }
    return (socket, UInt16(bigEndian: address.sin_port))
  }

  /// A connection to a port, nil: nobody listens there.
  static func connection(_ port: UInt16) -> Int32? {
    let socket = make()
    var address = loopback(port)
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected else {
      close(socket)
      return nil
    }
    return socket
  }

  /// Adds what comes next; false at the end of the connection.
  static func read(from connection: Int32, onto bytes: inout [UInt8]) -> Bool {
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(connection, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      bytes += piece[..<count]
      return true
    }
  }

  /// Writes all, or as much as the other side takes before it closes.
  static func write(_ bytes: [UInt8], to connection: Int32) {
    var done = 0
    while done < bytes.count {
      let count = bytes[done...].withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      done += count
    }
  }

  static func end(_ connection: Int32) { close(connection) }

  static func onThread(_ body: @escaping @Sendable () -> Void) { SideThread(body).start() }

  private static func make() -> Int32 {
    socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  }

  private static func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }
}
