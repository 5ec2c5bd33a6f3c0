internal import CCurl
internal import CSeif

/// The library, set up once.
enum CurlLibrary {
  static let isReady = seif_curl_start() == CURLE_OK
}

/// One of curl's handles, which keeps its connections. Used by one thread at a time: whoever took it from the pool.
struct CurlHandle: @unchecked Sendable {
  let pointer: UnsafeMutableRawPointer

  init() throws(HTTPFailure) {
    guard CurlLibrary.isReady, let made = curl_easy_init() else { throw .library("libcurl doesn't start") }
    pointer = made
  }

  func close() { curl_easy_cleanup(pointer) }

  func set(_ option: CURLoption, _ value: Int) throws(HTTPFailure) {
    try check(seif_curl_set_long(pointer, option, value))
  }

  func set(_ option: CURLoption, size: Int) throws(HTTPFailure) {
    try check(seif_curl_set_size(pointer, option, curl_off_t(size)))
  }

  func set(_ option: CURLoption, _ text: String?) throws(HTTPFailure) {
    try check(seif_curl_set_text(pointer, option, text))
  }

  func set(_ option: CURLoption, pointer value: UnsafeMutableRawPointer?) throws(HTTPFailure) {
    try check(seif_curl_set_pointer(pointer, option, value))
  }

  func set(_ option: CURLoption, list: UnsafeMutablePointer<curl_slist>?) throws(HTTPFailure) {
    try check(seif_curl_set_list(pointer, option, list))
  }

  func set(_ option: CURLoption, function: seif_curl_data) throws(HTTPFailure) {
    try check(seif_curl_set_data(pointer, option, function))
  }

  func set(_ option: CURLoption, seek: seif_curl_seek) throws(HTTPFailure) {
    try check(seif_curl_set_seek(pointer, option, seek))
  }

  func number(_ what: CURLINFO) -> Int {
    var value = 0
    return seif_curl_get_long(pointer, what, &value) == CURLE_OK ? value : 0
  }

  /// Does the exchange. A connection that the other side has closed raises no signal.
  func perform() -> CURLcode {
    let held = seif_hold_pipe_signal()
    defer { seif_release_pipe_signal(held) }
    return curl_easy_perform(pointer)
  }

  private func check(_ code: CURLcode) throws(HTTPFailure) {
    guard code == CURLE_OK else { throw .library(String(cString: curl_easy_strerror(code))) }
  }
}
