internal import SeifBackups
internal import SeifHTTP

/// Settings that name the servers of a service: its own unless a person says otherwise.
enum CloudAddress {
  /// The server that a setting names, without a slash at its end: a scheme, a name, a port, and nothing behind them.
  static func server(_ settings: TransportSettings, _ field: String) throws(TransportError) -> String {
    let address: HTTPAddress
    do throws(HTTPFailure) {
      address = try HTTPAddress(settings.values[field] ?? "")
    } catch {
      guard case .badAddress(let words) = error else { throw fault(settings, field, "it isn't an address") }
      throw fault(settings, field, words)
    }
    guard address.path == "/", address.query == nil else {
      throw fault(settings, field, "nothing stands behind the server")
    }
    guard address.scheme == "https" || address.isLoopback else {
      throw fault(settings, field, "http shows tokens to anybody on the way: use https")
    }
    return String(address.description.dropLast())
  }

  /// A setting that can't be used.
  static func fault(_ settings: TransportSettings, _ field: String, _ words: String) -> TransportError {
    TransportError(.badSettings, place: settings.name, reason: "\(field): \(words)", field: field)
  }
}
