internal import CCurl

extension HTTPFailure {
  /// What a code of curl means.
  ///
  /// - Parameters:
  ///   - wasSent: whether the request, or a part of it, has left this machine.
  ///   - hasSystemError: whether a call of the operating system failed.
  ///   - hasHead: whether the head of an answer came.
  ///   - words: what curl says; an address may not stand in it where it is shown.
  init(_ code: CURLcode, wasSent: Bool, hasSystemError: Bool, hasHead: Bool, words: String) {
    let words = Self.shown(words)
    switch code {
    case CURLE_URL_MALFORMAT: self = .badAddress("it isn't an address")
    case CURLE_COULDNT_RESOLVE_HOST: self = .unknownHost
    case CURLE_COULDNT_RESOLVE_PROXY: self = .library("the proxy's name isn't known")
    case CURLE_PROXY: self = .library("the proxy refuses")
    case CURLE_COULDNT_CONNECT: self = .unreachable(mayBeDone: false)
    case CURLE_OPERATION_TIMEDOUT: self = .timedOut(mayBeDone: wasSent)
    // So curl calls a body whose chunks aren't chunks, too, and TLS that ends without its last word.
    case CURLE_RECV_ERROR where hasHead && !hasSystemError: self = .broken("its body isn't whole")
    case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING: self = .unreachable(mayBeDone: wasSent)
    case CURLE_SSL_CONNECT_ERROR:
      // No request leaves before TLS stands. A connection that ends meanwhile has the code of one that isn't TLS, and no
      // number of the system's either: only the words differ. Taken for the other, it would just not be tried again.
      let hasEnded = hasSystemError || ["SSL_ERROR_SYSCALL", "unexpected eof"].contains { words.contains($0) }
      self = hasEnded ? .unreachable(mayBeDone: false) : .broken("no TLS: \(words)")
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
      CURLE_SSL_CACERT_BADFILE:
      self = .certificate(words)
    case CURLE_PARTIAL_FILE: self = .broken("it ended before its stated length")
    case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING,
      CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_SEND_FAIL_REWIND:
      self = .broken("the answer isn't HTTP")
    default: self = .library(words)
    }
  }

  /// Words of the library in one line, bounded.
  private static func shown(_ words: String) -> String {
    String(String.UnicodeScalarView(words.unicodeScalars.map { $0.value < 0x20 ? " " : $0 }.prefix(200)))
  }
}
