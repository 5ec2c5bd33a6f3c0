internal import SeifBytes
internal import SeifHTTP

/// What a browser brings back from an authorization server (RFC 6749 §4.1.2), read from the head of a request.
enum RedirectRequest: Equatable {
  /// A code, for the state that was sent.
  case code(SecretValue)
  /// The server's code for why there is none, for the state that was sent.
  case refused(String)
  /// It isn't the answer to what was asked.
  case forged
  /// It asks for something else, such as an icon.
  case elsewhere

  /// Where an answer comes.
  static let path = "/allowed"
  /// Most bytes of a head.
  static let maximumByteCount = 8192

  /// Reads a head, without the empty line at its end.
  ///
  /// - Parameters:
  ///   - host: what the browser must have asked for, so that no page of another name gets here.
  ///   - state: what was sent along.
  init(head: [UInt8], host: String, state: SecretValue) {
    self = .elsewhere
    guard head.count <= Self.maximumByteCount,
      head.allSatisfy({ ($0 >= 0x20 && $0 != 0x7F) || [9, 10, 13].contains($0) })
    else { return }
    let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: false)
    guard let first = lines.first else { return }
    let words = first.split(separator: " ", omittingEmptySubsequences: false)
    let hosts = lines.dropFirst().filter { $0.lowercased().hasPrefix("host:") }
    guard words.count == 3, words[0] == "GET", words[2].hasPrefix("HTTP/1."), hosts.count == 1,
      hosts[0].dropFirst(5).drop(while: { $0 == " " }) == host
    else { return }
    let target = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard target.first.map(String.init) == Self.path else { return }
    self = Self.answer(target.count == 2 ? target[1] : "", state)
  }

  private static func answer(_ query: Substring, _ state: SecretValue) -> RedirectRequest {
    var values: [String: SecretValue] = [:]
    for pair in query.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let name = FormText.decoded(parts[0]), let value = FormText.decoded(parts[1]) else {
        return .forged
      }
      // EXPOSE: the name of a field isn't secret.
      guard values.updateValue(value, forKey: name.exposedText() ?? "") == nil else { return .forged }
    }
    guard let given = values["state"], given.byteCount == state.byteCount,
      given.withBytes({ given in state.withBytes { constantTimeEqual(given, $0) } })
    else { return .forged }
    // EXPOSE: the code of an error isn't secret.
    if let error = values["error"]?.exposedText() { return .refused(OAuthAnswer.isCode(error) ? error : "no reason") }
    guard let code = values["code"], OAuthAnswer.isToken(code) else { return .forged }
    return .code(code)
  }
}

extension RedirectRequest {
  /// The page that a person sees, as a whole answer.
  var page: String {
    switch self {
    case .code: Self.page("200 OK", "Seif has the answer. This window can be closed.")
    case .refused: Self.page("200 OK", "It wasn't allowed. This window can be closed.")
    case .forged: Self.page("400 Bad Request", "This isn't the answer to what Seif asked.")
    case .elsewhere: Self.page("404 Not Found", "There is nothing here.")
    }
  }

  private static func page(_ status: String, _ words: String) -> String {
    let body = words + "\n"
    return """
      HTTP/1.1 \(status)\r
      Content-Type: text/plain; charset=utf-8\r
      Content-Length: \(body.utf8.count)\r
      Content-Security-Policy: default-src 'none'\r
      X-Content-Type-Options: nosniff\r
      Referrer-Policy: no-referrer\r
      Cache-Control: no-store\r
      Connection: close\r
      \r
      \(body)
      """
  }
}
