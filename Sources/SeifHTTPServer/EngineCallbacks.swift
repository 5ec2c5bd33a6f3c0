internal import CMicroHTTPD
internal import Glibc

// What libmicrohttpd calls, on its own threads. Its context is the ``EngineCore``, which the engine keeps until the last of
// these threads has ended.

private func engine(_ context: UnsafeMutableRawPointer?) -> EngineCore? {
  context.map { Unmanaged<EngineCore>.fromOpaque($0).takeUnretainedValue() }
}

func beginRequest(
  _ context: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?, _ connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
  guard let target, let connection else { return nil }
  let bytes = UnsafeRawBufferPointer(start: target, count: strlen(target))
  let state = seif_mhd_socket_context(connection).map {
    Unmanaged<ConnectionState>.fromOpaque($0).takeUnretainedValue()
  }
  return Unmanaged.passRetained(Exchange(target: Array(bytes), connection: state)).toOpaque()
}

func handleRequest(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ url: UnsafePointer<CChar>?,
  _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?, _ piece: UnsafePointer<CChar>?,
  _ count: UnsafeMutablePointer<Int>?, _ request: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
  guard let engine = engine(context), let connection, let method, let version, let count, let box = request?.pointee
  else { return .NO }
  let exchange = Unmanaged<Exchange>.fromOpaque(box).takeUnretainedValue()
  var taken = false
  let goesOn = engine.handle(
    exchange, connection, method: String(cString: method), version: String(cString: version),
    UnsafeRawBufferPointer(start: piece, count: count.pointee), &taken)
  if taken { count.pointee = 0 }
  return goesOn ? .YES : .NO
}

func endRequest(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
  _ request: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ reason: MHD_RequestTerminationCode
) {
  guard let engine = engine(context), let box = request?.pointee else { return }
  request?.pointee = nil
  let exchange = Unmanaged<Exchange>.fromOpaque(box).takeRetainedValue()
  engine.ended(exchange, isComplete: reason == .REQUEST_TERMINATED_COMPLETED_OK)
}

func noticeConnection(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
  _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ what: MHD_ConnectionNotificationCode
) {
  guard let engine = engine(context), let connection, let state else { return }
  let descriptor = seif_mhd_descriptor(connection)
  if what == .CONNECTION_NOTIFY_STARTED {
    state.pointee = engine.connectionBegan(descriptor)
  } else if let box = state.pointee {
    state.pointee = nil
    engine.connectionEnded(descriptor, box)
  }
}

/// Nothing is unescaped there: a zero byte would end the text.
func keepEscapes(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ text: UnsafeMutablePointer<CChar>?
) -> Int { text.map { strlen($0) } ?? 0 }
