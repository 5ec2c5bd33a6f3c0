import CSeif
import Glibc

/// A connection that sends the bytes it is told to, and gives the bytes that come.
final class RawClient {
  private let descriptor: Int32

  struct Failure: Error {}

  init(port: UInt16) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw Failure() }
    var limit = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  func send(_ text: String) throws { try send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Failure() }
      rest = rest.dropFirst(count)
    }
  }

  /// What comes next, at most so much; empty: the end, or it was cut.
  func read(_ limit: Int = 1 << 16) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: limit)
    let count = recv(descriptor, &buffer, limit, 0)
    return count > 0 ? Array(buffer[..<count]) : []
  }

  /// All that comes until the other end closes.
  func readAll() -> String {
    var all: [UInt8] = []
    while case let piece = read(), !piece.isEmpty { all += piece }
    return String(decoding: all, as: UTF8.self)
  }

  /// One answer with a `Content-Length`: its status and body.
  func answer(hasBody: Bool = true) throws -> (status: Int, head: String, body: [UInt8]) {
    var all = rest
    rest = []
    while true {
      if let end = all.indices.dropLast(3).first(where: { all[$0..<($0 + 4)].elementsEqual([13, 10, 13, 10]) }) {
        let head = String(decoding: all[..<end], as: UTF8.self)
        let status = Int(head.split(separator: " ").dropFirst().first ?? "") ?? 0
        if status == 100 {
          all.removeFirst(end + 4)
          continue
        }
        let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
        let length = hasBody ? Int(line?.split(separator: " ").last ?? "0") ?? 0 : 0
        while all.count < end + 4 + length {
          let piece = read()
          guard !piece.isEmpty else { throw Failure() }
          all += piece
        }
        rest = Array(all[(end + 4 + length)...])
        return (status, head, Array(all[(end + 4)..<(end + 4 + length)]))
      }
      let piece = read()
      guard !piece.isEmpty else { throw Failure() }
      all += piece
    }
  }

  private var rest: [UInt8] = []

  func closeWriting() { shutdown(descriptor, Int32(SHUT_WR)) }
}
