internal import SeifBackups
internal import SeifHTTP

/// What a server answers, and what keeps it from answering, as failures of a transport.
enum DAVFault {
  /// What an answer means that isn't the one that was hoped for (RFC 4918 §11, 9110 §15).
  static func error(status: Int, place: String) -> TransportError {
    let (code, words): (TransportError.Code, String) =
      switch status {
      case 200..<300: (.badAnswer, "")
      case 300..<400: (.redirected, "")
      case 401: (.unauthorized, "")
      case 403: (.noPermission, "")
      case 404, 410: (.notFound, "")
      case 408: (.timedOut, "")
      case 409: (.notFound, "its folder isn't there")
      case 412: (.exists, "")
      case 413: (.tooLarge, "too large for this server")
      case 414, 422: (.failed, "the server takes no file of this name")
      case 423: (.locked, "")
      case 429, 503: (.busy, "")
      case 500, 502, 504: (.unavailable, "the server failed")
      case 507: (.full, "no space left on the server")
      default: (.failed, "")
      }
    return TransportError(code, place: place, reason: words.isEmpty ? "status \(status)" : "\(words): status \(status)")
  }
}
