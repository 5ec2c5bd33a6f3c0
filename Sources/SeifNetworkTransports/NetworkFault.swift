internal import SeifBackups
internal import SeifHTTP

extension TransportError {
  /// Why no answer came.
  ///
  /// - Parameter isDownload: a part of the answer is then a part of a file.
  init(_ failure: HTTPFailure, isDownload: Bool, place: String) {
    switch failure {
    case .badAddress(let words): self.init(.badSettings, place: place, reason: words)
    case .unknownHost: self.init(.unavailable, place: place, reason: "the server's name isn't known")
    case .unreachable(let mayBeDone):
      self.init(.unavailable, place: place, reason: mayBeDone ? "the connection was lost" : "no connection")
    case .timedOut: self.init(.timedOut, place: place)
    case .certificate(let words): self.init(.certificate, place: place, reason: words)
    case .tooLarge: self.init(.tooLarge, place: place)
    case .broken(let words): self.init(isDownload ? .incomplete : .badAnswer, place: place, reason: words)
    case .redirect(let words): self.init(.redirected, place: place, reason: words)
    case .library(let words): self.init(.failed, place: place, reason: words)
    }
  }
}
