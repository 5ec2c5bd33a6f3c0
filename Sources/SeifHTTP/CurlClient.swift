internal import CCurl
internal import Glibc
internal import SeifBytes
internal import Synchronization
internal import SeifHTTPFields

/// Sends requests with libcurl: HTTP/1.1, TLS 1.2 and up, the server's certificate and name checked. Follows no redirect,
/// keeps no cookie, reads no `.netrc`; keeps connections for the next request.
///
/// May be used by several threads at once; each exchange has a handle of its own meanwhile.
public final class CurlClient: HTTPClient {
  private struct State: Sendable {
    var idle: [CurlHandle] = []
    /// How the server of an origin asks for a password, once it has.
    var schemes: [String: Int] = [:]
  }
  private static let mostIdle = 4

  private let settings: CurlSettings
  private let state = Mutex(State())

  /// A client.
  public init(_ settings: CurlSettings) { self.settings = settings }

  deinit { state.withLock(\.idle).forEach { $0.close() } }

  public func send(_ request: HTTPRequest) throws(HTTPFailure) -> HTTPResponse {
    let address = try HTTPAddress(request.url)
    guard address.scheme == "https" || settings.allowsPlainHTTP || address.isLoopback else {
      throw .badAddress("http sends credentials in clear: use https, or allow http")
    }
    guard HTTPSyntax.isToken(request.method.utf8) else { throw .badAddress("the method isn't one") }
    let handle = try takeHandle()
    defer { giveBack(handle) }
    let transfer = CurlTransfer(request)
    let words = CurlWords()
    let head = CurlList()
    let context = Unmanaged.passUnretained(transfer).toOpaque()
    try setConnection(handle, address)
    try setRequest(handle, request, head)
    try setAuthentication(handle, request.authentication, address, head)
    try handle.set(CURLOPT_HTTPHEADER, list: head.first)
    for (option, function) in [
      (CURLOPT_HEADERFUNCTION, curlTakesLine as seif_curl_data), (CURLOPT_WRITEFUNCTION, curlTakesBody),
      (CURLOPT_READFUNCTION, curlAsksForBody),
    ] {
      try handle.set(option, function: function)
    }
    try handle.set(CURLOPT_SEEKFUNCTION, seek: curlSeeks)
    for option in [CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_READDATA, CURLOPT_SEEKDATA] {
      try handle.set(option, pointer: context)
    }
    try handle.set(CURLOPT_ERRORBUFFER, pointer: words.buffer)
    let code = withExtendedLifetime((transfer, words, head)) { handle.perform() }
    learnScheme(handle, transfer, request.authentication, address)
    return try answer(code, handle, transfer, words, address)
  }

  private func answer(
    _ code: CURLcode, _ handle: CurlHandle, _ transfer: CurlTransfer, _ words: CurlWords, _ address: HTTPAddress
  ) throws(HTTPFailure) -> HTTPResponse {
    switch transfer.stop {
    case .tooLarge?: throw .tooLarge
    case .broken(let what)?: throw .broken(what)
    case .enough?: break
    case nil:
      guard code == CURLE_OK else {
        let proxyStatus = handle.number(CURLINFO_HTTP_CONNECTCODE)
        guard proxyStatus < 300 else { throw .library("the proxy refuses: status \(proxyStatus)") }
        throw HTTPFailure(
          code, wasSent: handle.number(CURLINFO_REQUEST_SIZE) > 0,
          hasSystemError: handle.number(CURLINFO_OS_ERRNO) != 0, hasHead: transfer.status > 0,
          words: words.text.isEmpty ? String(cString: curl_easy_strerror(code)) : words.text)
      }
    }
    // A connection that ends within a head is no failure for curl, and the body's length may have stood in the rest of it.
    guard transfer.status != 407 else { throw .library("the proxy refuses: status 407") }
    guard transfer.isHeadDone else { throw .unreachable(mayBeDone: true) }
    guard (200...599).contains(transfer.status) else { throw .broken("the answer has no status") }
    return HTTPResponse(
      status: transfer.status, fields: transfer.fields, body: transfer.takeBody(), url: address.description)
  }

  // MARK: - Options. All are set each time: a handle may come from any other exchange.

  private func setConnection(_ handle: CurlHandle, _ address: HTTPAddress) throws(HTTPFailure) {
    try handle.set(CURLOPT_URL, address.description)
    try handle.set(CURLOPT_PATH_AS_IS, 1)
    try handle.set(CURLOPT_PROTOCOLS_STR, "http,https")
    try handle.set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
    try handle.set(CURLOPT_FOLLOWLOCATION, 0)
    try handle.set(CURLOPT_NOSIGNAL, 1)
    try handle.set(CURLOPT_NETRC, 0)
    try handle.set(CURLOPT_HTTP_VERSION, seif_curl_http_1_1)
    try handle.set(CURLOPT_HTTP09_ALLOWED, 0)
    try handle.set(CURLOPT_USERAGENT, settings.userAgent)
    try handle.set(CURLOPT_SSLVERSION, seif_curl_tls_1_2)
    try handle.set(CURLOPT_SSL_VERIFYPEER, 1)
    try handle.set(CURLOPT_SSL_VERIFYHOST, 2)
    if let file = settings.authorityFile {
      try handle.set(CURLOPT_CAINFO, file)
      try handle.set(CURLOPT_CAPATH, nil)
    }
    try handle.set(CURLOPT_CONNECTTIMEOUT_MS, settings.connectSeconds * 1000)
    try handle.set(CURLOPT_LOW_SPEED_LIMIT, 100)
    try handle.set(CURLOPT_LOW_SPEED_TIME, settings.stallSeconds)
    try handle.set(CURLOPT_TIMEOUT_MS, settings.overallSeconds * 1000)
    try handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    try setProxy(handle, address)
  }

  private func setProxy(_ handle: CurlHandle, _ address: HTTPAddress) throws(HTTPFailure) {
    // What the variables except counts for what the variables name.
    try handle.set(CURLOPT_NOPROXY, settings.proxy == .environment ? nil : "")
    try handle.set(CURLOPT_PROXYUSERNAME, nil)
    try handle.set(CURLOPT_PROXYPASSWORD, nil)
    if case .address = settings.proxy, !address.isLoopback, let (user, password) = settings.proxyLogin {
      guard !user.utf8.contains(0) else { throw .badAddress("the user of the proxy can't be sent") }
      try handle.set(CURLOPT_PROXYUSERNAME, user)
      let code = try password.withText(before: "") { (text) throws(HTTPFailure) in
        seif_curl_set_text(handle.pointer, CURLOPT_PROXYPASSWORD, text)
      }
      guard code == CURLE_OK else { throw .library("the password of the proxy can't be sent") }
      try handle.set(CURLOPT_PROXYAUTH, seif_curl_basic | seif_curl_digest)
    }
    switch settings.proxy {
    // An empty text is none; nil lets the variables speak.
    case _ where address.isLoopback: try handle.set(CURLOPT_PROXY, "")
    case .environment: try handle.set(CURLOPT_PROXY, nil)
    case .none: try handle.set(CURLOPT_PROXY, "")
    case .address(let proxy): try handle.set(CURLOPT_PROXY, proxy)
    }
  }

  private func setRequest(_ handle: CurlHandle, _ request: HTTPRequest, _ head: CurlList) throws(HTTPFailure) {
    let hasBody = request.body != nil || request.source != nil || ["PUT", "POST", "PATCH"].contains(request.method)
    try handle.set(CURLOPT_NOBODY, 0)
    // Sets the method too, which is why the request's own comes after it.
    try handle.set(CURLOPT_HTTPGET, 1)
    if hasBody {
      try handle.set(CURLOPT_UPLOAD, 1)
      try handle.set(CURLOPT_INFILESIZE_LARGE, size: request.source?.byteCount ?? request.body?.byteCount ?? 0)
    } else if request.method == "HEAD" {
      try handle.set(CURLOPT_NOBODY, 1)
    }
    // On a connection that the server has closed meanwhile curl would send it a second time, unasked.
    try handle.set(CURLOPT_FRESH_CONNECT, request.isIdempotent ? 0 : 1)
    try handle.set(CURLOPT_CUSTOMREQUEST, request.method == "HEAD" && !hasBody ? nil : request.method)
    // Some servers never answer an `Expect: 100-continue`, and each would cost a second.
    try head.append("Expect:")
    for field in request.fields {
      guard HTTPSyntax.isToken(field.name.utf8), HTTPSyntax.isFieldValue(field.value.utf8) else {
        throw .badAddress("a field of the request can't be sent")
      }
      try head.append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
    }
  }

  private func setAuthentication(
    _ handle: CurlHandle, _ authentication: HTTPAuthentication, _ address: HTTPAddress, _ head: CurlList
  ) throws(HTTPFailure) {
    try handle.set(CURLOPT_USERNAME, nil)
    try handle.set(CURLOPT_PASSWORD, nil)
    switch authentication {
    case .none: break
    case .password(let user, let password):
      guard !user.utf8.contains(0) else { throw .badAddress("the user's name can't be sent") }
      try handle.set(CURLOPT_USERNAME, user)
      let code = try password.withText(before: "") { (text) throws(HTTPFailure) in
        seif_curl_set_text(handle.pointer, CURLOPT_PASSWORD, text)
      }
      guard code == CURLE_OK else { throw .library("the password can't be sent") }
      // Asked for at first, so that a password goes out by Basic only where the server has nothing better.
      let known = state.withLock { $0.schemes[address.origin] }
      try handle.set(CURLOPT_HTTPAUTH, known ?? (seif_curl_basic | seif_curl_digest))
    case .bearer(let token):
      guard token.withBytes({ $0.withUnsafeBytes { HTTPSyntax.isFieldValue($0) } }) else {
        throw .badAddress("the token can't be sent")
      }
      try token.withText(before: "Authorization: Bearer ") { (text) throws(HTTPFailure) in try head.append(text) }
    }
  }

  private func learnScheme(
    _ handle: CurlHandle, _ transfer: CurlTransfer, _ authentication: HTTPAuthentication, _ address: HTTPAddress
  ) {
    guard case .password = authentication else { return }
    let offered = handle.number(CURLINFO_HTTPAUTH_AVAIL)
    state.withLock { state in
      if transfer.status == 401 {
        state.schemes[address.origin] = nil
      } else if offered & seif_curl_digest != 0 {
        state.schemes[address.origin] = seif_curl_digest
      } else if offered & seif_curl_basic != 0 {
        state.schemes[address.origin] = seif_curl_basic
      }
    }
  }

  // MARK: - Handles

  private func takeHandle() throws(HTTPFailure) -> CurlHandle {
    if let idle = state.withLock({ $0.idle.popLast() }) { return idle }
    return try CurlHandle()
  }

  private func giveBack(_ handle: CurlHandle) {
    // No pointer of this exchange stays with it. libcurl keeps copies of the password until the handle is closed.
    let isClean =
      [CURLOPT_USERNAME, CURLOPT_PASSWORD, CURLOPT_PROXYUSERNAME, CURLOPT_PROXYPASSWORD].allSatisfy {
        seif_curl_set_text(handle.pointer, $0, nil) == CURLE_OK
      }
      && seif_curl_set_list(handle.pointer, CURLOPT_HTTPHEADER, nil) == CURLE_OK
      && seif_curl_set_pointer(handle.pointer, CURLOPT_ERRORBUFFER, nil) == CURLE_OK
    let isKept =
      isClean
      && state.withLock { state in
        guard state.idle.count < Self.mostIdle else { return false }
        state.idle.append(handle)
        return true
      }
    if !isKept { handle.close() }
  }
}

/// Where curl writes what went wrong.
private final class CurlWords {
  let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
  init() { buffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE)) }
  var text: String { String(cString: buffer) }
  deinit { buffer.deallocate() }
}

/// The fields of a head as curl takes them; wiped, since a token may stand there.
private final class CurlList {
  private(set) var first: UnsafeMutablePointer<curl_slist>?

  func append(_ line: UnsafePointer<CChar>) throws(HTTPFailure) {
    guard let longer = curl_slist_append(first, line) else { throw .library("there is no memory") }
    first = longer
  }

  deinit {
    var next = first
    while let item = next {
      if let text = item.pointee.data { explicit_bzero(text, strlen(text)) }
      next = item.pointee.next
    }
    curl_slist_free_all(first)
  }
}

extension SecretValue {
  /// Calls `body` with the bytes behind some words, as text of C; the copy is wiped.
  fileprivate func withText<R>(
    before words: String, _ body: (UnsafePointer<CChar>) throws(HTTPFailure) -> R
  ) throws(HTTPFailure) -> R {
    var text = SecretBuffer(capacity: words.utf8.count + byteCount + 1)
    text.append(utf8: words)
    text.append(self)
    text.append(0)
    let hasZero = withBytes { $0.withUnsafeBytes { $0.contains(0) } }
    guard !hasZero else { throw .badAddress("a password or token holds a zero byte") }
    return try text.withBytes { (bytes) throws(HTTPFailure) in
      // Not `withUnsafeBytes`, which carries no typed error: the pointer is used during this call alone.
      let start = bytes.withUnsafeBytes { $0.baseAddress }
      guard let start else { throw .library("there is no memory") }
      return try body(start.assumingMemoryBound(to: CChar.self))
    }
  }
}
