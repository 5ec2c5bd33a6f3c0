internal import Glibc
internal import SeifBackups
internal import SeifHTTP

/// How the transports here speak HTTP.
enum NetworkClient {
  /// What Seif calls itself; a test compares it with the version.
  static let userAgent = "seif/0.1.0"

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
    var client: any HTTPClient = CurlClient(settings)
    if followsRedirects { client = RedirectingClient(client) }
    return retries ? RetryingClient(client, time: time) : client
  }
}
