internal import CMicroHTTPD
internal import CSeif
internal import Glibc
internal import SeifHTTPFields

/// Answers and heads in libmicrohttpd's terms.
enum Response {
  /// Hands an answer over; false ends the connection.
  static func queue(_ answer: HTTPAnswer, _ connection: OpaquePointer) -> Bool {
    guard let response = make(answer.body) else { return false }
    defer { MHD_destroy_response(response) }
    for field in answer.fields {
      guard HTTPSyntax.isToken(Array(field.name.utf8)), HTTPSyntax.isFieldValue(Array(field.value.utf8)),
        MHD_add_response_header(response, field.name, field.value) == .YES
      else { return false }
    }
    if answer.closes, MHD_add_response_header(response, "Connection", "close") != .YES { return false }
    return MHD_queue_response(connection, UInt32(clamping: answer.status), response) == .YES
  }

  private static func make(_ body: HTTPAnswerBody) -> OpaquePointer? {
    switch body {
    case .none:
      return MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT)
    case .bytes(var bytes):
      return bytes.withUnsafeMutableBytes {
        MHD_create_response_from_buffer($0.count, $0.baseAddress, .RESPMEM_MUST_COPY)
      }
    case .file(let file, let offset, let byteCount):
      let copy = seif_duplicate(file.descriptor)
      guard copy >= 0 else { return nil }
      guard let response = MHD_create_response_from_fd_at_offset64(UInt64(byteCount), copy, UInt64(offset)) else {
        close(copy)
        return nil
      }
      return response
    case .pieces(let pieces, let byteCount):
      let box = Unmanaged.passRetained(PiecesBox(pieces)).toOpaque()
      guard let response = MHD_create_response_from_callback(UInt64(byteCount), 32 << 10, readPieces, box, freePieces)
      else {
        freePieces(box)
        return nil
      }
      return response
    }
  }

  /// The fields of a request's head, in their order.
  static func fields(of connection: OpaquePointer) -> [HTTPField] {
    var fields: [HTTPField] = []
    withUnsafeMutablePointer(to: &fields) { fields in
      _ = MHD_get_connection_values_n(connection, .HEADER_KIND, addField, fields)
    }
    return fields
  }

  /// The address at the other end, without a port.
  static func peer(of connection: OpaquePointer) -> String {
    guard let address = seif_mhd_peer(connection) else { return "" }
    let isSix = address.pointee.sa_family == UInt16(AF_INET6)
    let length = socklen_t(isSix ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size)
    var host = [CChar](repeating: 0, count: 64)
    guard getnameinfo(address, length, &host, socklen_t(host.count), nil, 0, NI_NUMERICHOST) == 0 else { return "" }
    let text = String(decoding: host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return text.hasPrefix("::ffff:") ? String(text.dropFirst(7)) : text
  }
}

private final class PiecesBox {
  let pieces: any HTTPPieces
  init(_ pieces: any HTTPPieces) { self.pieces = pieces }
}

private func readPieces(
  _ box: UnsafeMutableRawPointer?, _ offset: UInt64, _ buffer: UnsafeMutablePointer<CChar>?, _ count: Int
) -> Int {
  guard let box, let buffer else { return -2 }
  let pieces = Unmanaged<PiecesBox>.fromOpaque(box).takeUnretainedValue().pieces
  let read = pieces.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: count), at: Int(clamping: offset))
  // Ends the connection: what was promised can't be sent.
  return read > 0 ? read : -2
}

private func freePieces(_ box: UnsafeMutableRawPointer?) {
  if let box { Unmanaged<PiecesBox>.fromOpaque(box).release() }
}

private func addField(
  _ fields: UnsafeMutableRawPointer?, _ kind: MHD_ValueKind, _ name: UnsafePointer<CChar>?, _ nameCount: Int,
  _ value: UnsafePointer<CChar>?, _ valueCount: Int
) -> MHD_Result {
  guard let fields = fields?.assumingMemoryBound(to: [HTTPField].self), let name else { return .NO }
  func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
    // Each byte its own character where it isn't UTF-8: the guard refuses it then.
    let bytes = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    return String(validating: Array(bytes), as: UTF8.self) ?? "\u{7F}"
  }
  fields.pointee.append(HTTPField(text(name, nameCount), text(value, valueCount)))
  return .YES
}
