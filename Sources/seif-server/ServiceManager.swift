internal import CSeif
internal import Glibc
internal import SeifCommandLine

/// Whoever started the server and wants to know how it does (sd_notify(3)).
enum ServiceManager {
  static func tell(_ state: String, _ environment: Environment) {
    guard let path = environment["NOTIFY_SOCKET"], path.hasPrefix("/") || path.hasPrefix("@"),
      path.utf8.count < 108
    else { return }
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { place in
      place.copyBytes(from: path.utf8)
      // An abstract name begins with a zero byte.
      if path.hasPrefix("@") { place[0] = 0 }
    }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + path.utf8.count)
    withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        _ = state.withCString { sendto(descriptor, $0, strlen($0), Int32(MSG_NOSIGNAL), address, length) }
      }
    }
  }
}
