internal import SeifHTTPFields

/// Sends a request again where that can help and can do no harm: at most 4 times in all.
///
/// - 429 and 503 mean that nothing was done: after `Retry-After` (at most 60 seconds; longer: the answer stands), else
///   after a while.
/// - 500, 502, 504, lost connections and timeouts: where the request may be done twice, or surely wasn't done.
/// - A body that is sent or taken as it comes never: it can't be gone through twice.
/// - Nothing else: other answers from 400 up and 507 stay what they are.
///
/// A while is drawn between nothing and 0.5 seconds, doubled each time ("full jitter"), so that clients that failed
/// together don't come back together.
public struct RetryingClient: HTTPClient {
  /// Most times that one request is sent.
  public static let maximumTries = 4
  /// Longest `Retry-After` that is waited for, in seconds.
  public static let maximumWaitSeconds = 60

  /// What time is to a client: an argument, so that tests wait for nothing.
  public struct Time: Sendable {
    /// Waits so many milliseconds.
    public var sleep: @Sendable (Int) -> Void
    /// Seconds since 1970.
    public var now: @Sendable () -> Int64
    /// A number drawn from a range.
    public var draw: @Sendable (ClosedRange<Int>) -> Int

    /// The arguments.
    public init(
      sleep: @escaping @Sendable (Int) -> Void, now: @escaping @Sendable () -> Int64,
      draw: @escaping @Sendable (ClosedRange<Int>) -> Int
    ) {
      self.sleep = sleep
      self.now = now
      self.draw = draw
    }

    /// The system's clock.
    public static let system = Time(
      sleep: { SystemTime.sleep(milliseconds: $0) }, now: { SystemTime.now() }, draw: { Int.random(in: $0) })
  }

  private let client: any HTTPClient
  private let time: Time

  /// Around another client.
  public init(_ client: any HTTPClient, time: Time = .system) {
    self.client = client
    self.time = time
  }

  public func send(_ request: HTTPRequest) throws(HTTPFailure) -> HTTPResponse {
    var tries = 0
    while true {
      tries += 1
      let wait: Int?
      do throws(HTTPFailure) {
        let response = try client.send(request)
        wait = milliseconds(after: response, request, tries)
        guard wait != nil, tries < Self.maximumTries else { return response }
      } catch {
        guard Self.mayRepeat(error, request), tries < Self.maximumTries else { throw error }
        wait = jitter(tries)
      }
      if let wait { time.sleep(wait) }
    }
  }

  // nil: it isn't sent again.
  private func milliseconds(after response: HTTPResponse, _ request: HTTPRequest, _ tries: Int) -> Int? {
    guard request.source == nil, request.sink == nil else { return nil }
    switch response.status {
    case 429, 503:
      guard let text = response["Retry-After"] else { return jitter(tries) }
      guard let seconds = HTTPDate.secondsToWait(text, now: time.now()) else { return jitter(tries) }
      return seconds <= Self.maximumWaitSeconds ? Int(seconds) * 1000 : nil
    case 500, 502, 504: return request.isIdempotent ? jitter(tries) : nil
    default: return nil
    }
  }

  private static func mayRepeat(_ failure: HTTPFailure, _ request: HTTPRequest) -> Bool {
    guard request.source == nil, request.sink == nil else { return false }
    return switch failure {
    case .unreachable(let mayBeDone), .timedOut(let mayBeDone): request.isIdempotent || !mayBeDone
    default: false
    }
  }

  private func jitter(_ tries: Int) -> Int { time.draw(0...(500 << min(tries - 1, 5))) }
}
