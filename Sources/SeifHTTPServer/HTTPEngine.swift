package import SeifBytes

/// Listens, reads requests and sends answers: libmicrohttpd here, another one later.
package protocol HTTPEngine: AnyObject, Sendable {
  /// The port that it listens at: the kernel's choice where the settings say 0.
  var port: UInt16 { get }
  /// Connections that are open now.
  var connectionCount: Int { get }
  /// Takes no new connection, lets those go on that are being answered, for at most so long, then ends them all.
  func stop(within seconds: Int)
}

/// How an engine listens, and what it bounds.
package struct HTTPEngineSettings: Sendable {
  /// An IPv4 or IPv6 address of this machine.
  package var address = "127.0.0.1"
  /// 0: one that is free.
  package var port: UInt16 = 0
  /// A certificate chain and its key, PEM; nil: plain HTTP.
  package var tls: (certificate: [UInt8], key: SecretValue)?
  /// Threads that serve connections.
  package var threadCount = 2
  /// Threads for what waits, and how many requests may wait for one of them; beyond that 503 with `Retry-After: 1`.
  package var workerCount = 8
  package var waitingLimit = 256
  package var connectionLimit = 4096
  /// Most connections of one address; 0: no limit.
  package var connectionLimitPerAddress = 0
  /// From the first byte of a connection, or the end of the answer before, to the end of the head.
  package var headSeconds = 10
  /// Without a byte.
  package var idleSeconds = 60
  /// Fewer bytes of a body each second, over ten seconds, end the connection; so do fewer bytes of an answer taken.
  package var bodyBytesPerSecond = 1024
  /// All of a head.
  package var headByteLimit = 16 << 10

  package init() {}
}
