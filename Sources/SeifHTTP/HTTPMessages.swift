public import SeifBytes
public import SeifHTTPFields

/// How a request says who asks.
public enum HTTPAuthentication: Sendable {
  case none
  /// A name and a password, sent as the server asks for them: Digest where it offers that, else Basic (RFC 7616, 7617).
  case password(user: String, SecretValue)
  /// A token (RFC 6750).
  case bearer(SecretValue)
}

/// A body that is sent as it is made: too large to stand in memory. It can't be sent twice, so nothing that has one is
/// tried again.
public protocol HTTPBodySource: AnyObject, Sendable {
  /// All of it.
  var byteCount: Int { get }
  /// Fills a buffer with the next bytes and gives their number, 0 at the end; nil ends the exchange.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int?
}

/// Takes the body of a successful answer as it comes: that of a refusal stands in the answer.
public protocol HTTPBodySink: AnyObject, Sendable {
  /// The next bytes, valid during the call; false ends the exchange.
  func take(_ bytes: UnsafeRawBufferPointer) -> Bool
}

/// What is asked of a server.
public struct HTTPRequest: Sendable {
  /// Its method, as it is sent.
  public var method: String
  /// The whole address, its path and query encoded; no user and no password stand in it.
  public var url: String
  /// Fields of its head, but for those that the body and the authentication bring.
  public var fields: [HTTPField]
  /// What is sent; nil: no body.
  public var body: SecretValue?
  /// Who asks.
  public var authentication: HTTPAuthentication
  /// Most bytes that the answer's body may have.
  public var limit: Int
  /// Whether it may be sent again after a failure that leaves open whether the first was done.
  public var isIdempotent: Bool
  /// What is sent in the place of `body`; nil: that.
  public var source: (any HTTPBodySource)?
  /// Where the body of a successful answer goes, at most `limit` bytes; nil: into the answer.
  public var sink: (any HTTPBodySink)?

  /// A request.
  public init(
    _ method: String, _ url: String, fields: [HTTPField] = [], body: SecretValue? = nil,
    authentication: HTTPAuthentication = .none, limit: Int = 1 << 20, isIdempotent: Bool = true
  ) {
    self.method = method
    self.url = url
    self.fields = fields
    self.body = body
    self.authentication = authentication
    self.limit = limit
    self.isIdempotent = isIdempotent
  }
}

/// What a server answered.
public struct HTTPResponse: Sendable {
  /// Its status, 100 to 599.
  public var status: Int
  /// The fields of its head, in their order.
  public var fields: [HTTPField]
  /// Its body, decoded from the transfer's coding, at most the request's limit. That of a status from 300 up may have up
  /// to 64 KiB whatever the limit, and ends there.
  public var body: SecretValue
  /// The address that answered: another than the request's after a redirect.
  public var url: String

  /// An answer.
  public init(status: Int, fields: [HTTPField] = [], body: SecretValue = .empty, url: String = "") {
    self.status = status
    self.fields = fields
    self.body = body
    self.url = url
  }

  /// The value of a field that stands once; nil: it isn't there, or several times with different values.
  public subscript(name: String) -> String? {
    let found = fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    guard let first = found.first, found.allSatisfy({ $0 == first }) else { return nil }
    return first
  }
}

/// Why no answer came. Never holds contents.
public enum HTTPFailure: Error, Sendable, Equatable {
  /// The address can't be used; what is wrong with it.
  case badAddress(String)
  /// The server's name isn't known.
  case unknownHost
  /// No connection; or one that broke off, with whether the request may have been done.
  case unreachable(mayBeDone: Bool)
  /// Nothing moved for too long, with whether the request may have been done.
  case timedOut(mayBeDone: Bool)
  /// The server's certificate isn't trusted, has expired or is for another name; what the TLS library says.
  case certificate(String)
  /// The body is larger than the limit.
  case tooLarge
  /// What came isn't HTTP, or it ended before its stated length.
  case broken(String)
  /// It leads elsewhere: more than 5 times, or to another origin with credentials at stake, or from https to http.
  case redirect(String)
  /// The library can't do what is needed; its words.
  case library(String)
}

/// What sends requests. Wrappers of it retry and follow redirects.
public protocol HTTPClient: Sendable {
  /// Sends a request and returns the answer, whatever its status.
  func send(_ request: HTTPRequest) throws(HTTPFailure) -> HTTPResponse
}
