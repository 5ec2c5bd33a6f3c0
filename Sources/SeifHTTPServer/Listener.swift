internal import CSeif
internal import Glibc

/// A socket that listens at an address of this machine.
final class Listener {
  private(set) var descriptor: Int32
  let port: UInt16

  init(address: String, port: UInt16) throws(HTTPEngineFailure) {
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(address, "\(port)", &hints, &found) == 0, let found else {
      throw HTTPEngineFailure(code: .address, reason: "\(address) is no address of a machine")
    }
    defer { freeaddrinfo(found) }
    let flags = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = socket(found.pointee.ai_family, flags, 0)
    self.descriptor = descriptor
    guard descriptor >= 0 else { throw Self.failure(address) }
    var on: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    if found.pointee.ai_family == AF_INET6 {
      setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &on, socklen_t(MemoryLayout<Int32>.size))
    }
    guard bind(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0, listen(descriptor, 1024) == 0 else {
      let failure = Self.failure(address)
      close(descriptor)
      throw failure
    }
    var bound = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    withUnsafeMutablePointer(to: &bound) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(descriptor, $0, &length) }
    }
    // The port stands at the same place in both families.
    self.port = withUnsafeBytes(of: &bound) { UInt16($0[2]) << 8 | UInt16($0[3]) }
  }

  /// Somebody else closes it from here on.
  func handOver() { descriptor = -1 }

  deinit { if descriptor >= 0 { close(descriptor) } }

  private static func failure(_ address: String) -> HTTPEngineFailure {
    let code = errno
    let reason = "\(address): \(String(cString: strerror(code)))"
    switch code {
    case EADDRINUSE: return HTTPEngineFailure(code: .inUse, reason: reason)
    case EACCES, EPERM: return HTTPEngineFailure(code: .notAllowed, reason: reason)
    case EADDRNOTAVAIL: return HTTPEngineFailure(code: .address, reason: reason)
    default: return HTTPEngineFailure(code: .failed, reason: reason)
    }
  }
}
