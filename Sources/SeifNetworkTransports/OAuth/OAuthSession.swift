internal import Glibc
internal import SeifBackups
internal import SeifBytes
internal import SeifHTTP
internal import Synchronization

/// Sends requests with an access token, which stands in memory alone and is fetched anew when it ends.
final class OAuthSession: Sendable {
  private struct State: Sendable {
    var refresh: SecretValue
    var access: SecretValue?
    /// When the access token ends, by this machine's clock; nil: nobody said.
    var end: Int64?
  }
  private let state: Mutex<State>
  private let oauth: OAuthClient
  private let keep: (@Sendable (_ field: String, _ value: SecretValue) throws -> Void)?
  private let now: @Sendable () -> Int64

  /// The field of the settings that holds the permission.
  static let field = TransportKind.permissionField

  /// A session of the permission in some settings.
  init(
    _ oauth: OAuthClient, _ settings: TransportSettings, now: @escaping @Sendable () -> Int64 = { Int64(time(nil)) }
  ) {
    self.oauth = oauth
    keep = settings.keepSecret
    self.now = now
    state = Mutex(State(refresh: settings.secrets[Self.field] ?? .empty))
  }

  /// Sends a request as the person who allowed it: once more with a new token where the first is refused.
  func send(
    _ request: HTTPRequest, isDownload: Bool = false, place: String, by client: any HTTPClient
  ) throws(TransportError) -> HTTPResponse {
    let first = try token(insteadOf: nil, by: client)
    let answer = try send(request, first, isDownload, place, client)
    guard answer.status == 401 else { return answer }
    let second = try token(insteadOf: first, by: client)
    return try send(request, second, isDownload, place, client)
  }

  private func send(
    _ request: HTTPRequest, _ token: SecretValue, _ isDownload: Bool, _ place: String, _ client: any HTTPClient
  ) throws(TransportError) -> HTTPResponse {
    var request = request
    request.authentication = .bearer(token)
    do throws(HTTPFailure) {
      return try client.send(request)
    } catch {
      throw TransportError(error, isDownload: isDownload, place: place)
    }
  }

  // Held while the token is fetched: of two threads one asks, and the other takes what came.
  private func token(insteadOf refused: SecretValue?, by client: any HTTPClient) throws(TransportError) -> SecretValue {
    try state.withLock { (state) throws(TransportError) -> SecretValue in
      if let access = state.access, access != refused, state.end.map({ now() < $0 }) ?? true { return access }
      let tokens = try oauth.refresh(state.refresh, by: client)
      if let next = tokens.refresh, next != state.refresh {
        // The one before may be worth nothing from now on.
        state.refresh = next
        guard let keep, (try? keep(Self.field, next)) != nil else {
          throw oauth.again("the server gave another token, and it couldn't be kept")
        }
      }
      state.access = tokens.access
      // Early, so that none ends on its way; and a day at most, whatever is said.
      state.end = tokens.seconds.map { now() + max(0, min($0, 86_400) - 60) }
      return tokens.access
    }
  }
}
