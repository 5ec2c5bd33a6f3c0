internal import Glibc
internal import SeifBackups
internal import SeifBytes
internal import SeifHTTP

/// How the transports here speak HTTP.
enum NetworkClient {
  /// What Seif calls itself; a test compares it with the version.
  static let userAgent = "seif/0.1.0"

  /// A proxy for one destination alone; every kind here has these.
  static let proxyFields = [
    TransportField(
      "proxy", "proxy: its address, none, or nothing for what the variables say", preset: "", isAsked: false),
    TransportField("proxy-user", "user's name at the proxy", preset: "", isAsked: false),
    TransportField("proxy-password", "password at the proxy", isSecret: true, preset: "", isAsked: false),
  ]

  /// The proxy of a destination.
  static func proxy(
    _ place: TransportSettings
  ) throws(TransportError) -> (CurlSettings.Proxy, (user: String, password: SecretValue)?) {
    func fault(_ words: String) -> TransportError {
      TransportError(.badSettings, place: place.name, reason: "proxy: \(words)", field: "proxy")
    }
    let (text, user) = (place.values["proxy"] ?? "", place.values["proxy-user"] ?? "")
    if text.isEmpty || text == "none" {
      guard user.isEmpty else { throw fault("a user's name needs the address of one") }
      return (text.isEmpty ? .environment : .none, nil)
    }
    guard let mark = text.firstRange(of: "://") else { throw fault("it is an address, or none") }
    let scheme = text[..<mark.lowerBound].lowercased()
    guard ["http", "https", "socks5h"].contains(scheme) else { throw fault("it begins with http, https or socks5h") }
    let address: HTTPAddress
    do throws(HTTPFailure) {
      address = try HTTPAddress("http://" + text[mark.upperBound...])
    } catch {
      guard case .badAddress(let words) = error else { throw fault("it isn't an address") }
      throw fault(words)
    }
    let digits = text.reversed().drop { $0 == "/" }.prefix { $0.isASCII && $0.isNumber }.count
    let isWhole = digits > 0 && text.dropLast(text.hasSuffix("/") ? 1 : 0).dropLast(digits).hasSuffix(":")
    guard address.path == "/", address.query == nil, isWhole else {
      throw fault("it has a port, and nothing behind that: http://proxy.example:3128")
    }
    let password = place.secrets["proxy-password"] ?? .empty
    guard user.utf8.count <= 1024, password.byteCount <= 4096 else { throw fault("its user or password is too long") }
    return (.address("\(scheme)://\(address.host):\(address.port)"), user.isEmpty ? nil : (user, password))
  }

  /// A client that tries again where that helps and does no harm.
  ///
  /// - Parameters:
  ///   - place: with `ca-file`, the whole path of a file with the certificates to trust instead of the system's, or empty.
  ///   - allowsHTTP: whether `http:` is used beyond this machine.
  ///   - followsRedirects: within the origin that was asked.
  ///   - retries: off for what a person waits for.
  /// - Throws: `TransportError` with code `badSettings`.
  static func make(
    _ place: TransportSettings, allowsHTTP: Bool, followsRedirects: Bool, retries: Bool = true,
    time: RetryingClient.Time = .system
  ) throws(TransportError) -> any HTTPClient {
    var settings = CurlSettings(userAgent: userAgent)
    settings.allowsPlainHTTP = allowsHTTP
    if let caFile = place.values["ca-file"], !caFile.isEmpty {
      guard caFile.hasPrefix("/"), access(caFile, R_OK) == 0 else {
        throw TransportError(
          .badSettings, place: place.name, reason: "ca-file isn't the whole path of a file to read", field: "ca-file")
      }
      settings.authorityFile = caFile
    }
    (settings.proxy, settings.proxyLogin) = try proxy(place)
    var client: any HTTPClient = CurlClient(settings)
    if followsRedirects { client = RedirectingClient(client) }
    return retries ? RetryingClient(client, time: time) : client
  }
}
