package import SeifCommandLine

/// `seif serve`: the server, until it is told to end.
package struct ServeCommand: CommandDeclaration {
  package static let name = "serve"
  package static let summary = "serve document vaults, of which it can read none"
  package static let usage = """
    seif serve [OPTIONS]

    Serves document vaults to their owners until it is ended by SIGTERM or ctrl-C. What it
    keeps is sealed by its clients; it has no key to any of it. It stands in one folder.

    Without a certificate it speaks plain HTTP: on this machine alone, or behind a proxy
    that has one. --origin is the address that people type.
    """
  package static let listen = Option.value("listen", "ADDRESS", "where to listen (127.0.0.1:8420); [::1]:8420 too")
  package static let origin = Option.value("origin", "URL", "its address for browsers: https://docs.example.org")
  package static let certificate = Option.value("tls-certificate", "FILE", "certificate chain, PEM")
  package static let key = Option.value("tls-key", "FILE", "the certificate's key, PEM")
  package static let proxy = Option.value(
    "trusted-proxy", "ADDRESS", repeats: true, "a proxy whose X-Forwarded-For and -Proto count")
  package static let quota = Option.value("quota", "SIZE", "what a new account may keep (10G)")
  package static let metrics = Option.value("metrics", "ADDRESS", "where /health and /metrics are: 127.0.0.1:8421")
  package static var options: [Option] {
    [listen, origin, certificate, key, proxy, quota, metrics] + ServerPlace.options + [OutputOptions.quiet]
  }

  package let place: ServerPlace
  package let address: ListenAddress
  package let metricsAddress: ListenAddress?
  package let origin: ServerOrigin
  package let tls: (certificate: String, key: String)?
  package let proxies: [String]
  package let quota: Int
  package let isQuiet: Bool

  package init(_ arguments: inout ParsedArguments) throws(UsageError) {
    place = try ServerPlace(&arguments)
    address = try ListenAddress(arguments.value(Self.listen) ?? "127.0.0.1:8420", option: "--listen")
    metricsAddress = try arguments.value(Self.metrics).map { (text) throws(UsageError) in
      try ListenAddress(text, option: "--metrics")
    }
    switch (arguments.value(Self.certificate), arguments.value(Self.key)) {
    case (let certificate?, let key?): tls = (certificate, key)
    case (nil, nil): tls = nil
    default: throw UsageError("--tls-certificate and --tls-key go together")
    }
    proxies = arguments.values(Self.proxy)
    for proxy in proxies where !ListenAddress.isAddress(proxy) {
      throw UsageError("--trusted-proxy takes an IP address")
    }
    quota = try ByteSize.parse(arguments.value(Self.quota) ?? "10G")
    isQuiet = arguments.flag(OutputOptions.quiet)
    if let text = arguments.value(Self.origin) {
      origin = try ServerOrigin(text)
    } else if address.isLoopback, address.port != 0 {
      origin = try ServerOrigin("\(tls == nil ? "http" : "https")://localhost:\(address.port)")
    } else {
      throw UsageError("--origin is needed where others than this machine can reach the server")
    }
    guard tls != nil || address.isLoopback || !proxies.isEmpty else {
      throw UsageError("plain HTTP is for this machine alone: give --tls-certificate and --tls-key, or --trusted-proxy")
    }
    guard origin.isSecure || address.isLoopback else { throw UsageError("--origin must begin with https://") }
  }
}

/// An address to listen at: `127.0.0.1:8420`, `[::1]:8420`.
package struct ListenAddress: Sendable, Equatable {
  /// IPv4 or IPv6, without brackets.
  package let host: String
  /// 0: one that is free.
  package let port: UInt16

  package init(_ text: String, option: String) throws(UsageError) {
    let fault = UsageError("\(option) takes an IP address and a port: 127.0.0.1:8420 or [::1]:8420")
    guard let colon = text.lastIndex(of: ":") else { throw fault }
    var host = String(text[..<colon])
    let digits = text[text.index(after: colon)...]
    guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let port = UInt16(digits)
    else { throw fault }
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = String(host.dropFirst().dropLast())
      guard host.contains(":") else { throw fault }
    } else if host.contains(":") {
      throw fault
    }
    guard Self.isAddress(host) else { throw fault }
    self.host = host
    self.port = port
  }

  /// As it is typed.
  package var text: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// Whether only this machine reaches it.
  package var isLoopback: Bool { host == "::1" || host.hasPrefix("127.") }

  /// Whether a text has the characters of an IP address; the system says whether it is one.
  package static func isAddress(_ text: String) -> Bool {
    let isFour = text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E } && text.contains(".")
    let isSix =
      text.contains(":")
      && text.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20) || $0 == 0x3A || $0 == 0x2E
      }
    return (2...45).contains(text.utf8.count) && (isFour || isSix)
  }
}

/// Scheme, host and port as a browser writes them in `Origin`: lower case, no path, no port that the scheme implies.
package struct ServerOrigin: Sendable, Equatable {
  package let text: String
  /// The host, without a port: the relying party of its passkeys.
  package let host: String
  package var isSecure: Bool { text.hasPrefix("https://") }

  package init(_ text: String) throws(UsageError) {
    let fault = UsageError("--origin takes an address without a path: https://docs.example.org")
    guard let scheme = ["https://", "http://"].first(where: { text.hasPrefix($0) }) else { throw fault }
    var rest = text.dropFirst(scheme.count)
    if rest.hasSuffix("/") { rest.removeLast() }
    let parts = rest.split(separator: ":", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let host = parts.first, Self.isHost(host) else { throw fault }
    var port = ""
    if parts.count == 2 {
      guard let number = UInt16(parts[1]), number > 0, String(number) == parts[1] else { throw fault }
      port = number == (scheme == "https://" ? 443 : 80) ? "" : ":\(number)"
    }
    self.host = String(host)
    self.text = scheme + host + port
  }

  // What a browser would send: other spellings of a host never match it.
  private static func isHost(_ host: Substring) -> Bool {
    (1...253).contains(host.utf8.count) && !host.hasPrefix("-") && !host.hasPrefix(".")
      && host.utf8.allSatisfy {
        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x2E
      }
  }
}
