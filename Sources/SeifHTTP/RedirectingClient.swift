/// Follows redirects within the origin that was asked: the same method, fields, body and credentials, at most 5 times.
///
/// For 301, 302, 307 and 308 alike, since a method that isn't POST stays as it is (RFC 9110 §15.4). Any other origin is
/// refused, https or not: what is sent is meant for the server that a person named.
public struct RedirectingClient: HTTPClient {
  /// Most redirects of one request.
  public static let maximum = 5

  private let client: any HTTPClient

  /// Around another client.
  public init(_ client: any HTTPClient) { self.client = client }

  public func send(_ request: HTTPRequest) throws(HTTPFailure) -> HTTPResponse {
    var request = request
    for _ in 0...Self.maximum {
      let response = try client.send(request)
      guard [301, 302, 307, 308].contains(response.status) else { return response }
      guard let location = response["Location"] else {
        throw .redirect("status \(response.status) without one place to go to")
      }
      let from = try HTTPAddress(request.url)
      let target: HTTPAddress
      do {
        target = try from.resolving(location)
      } catch {
        throw .redirect("the place to go to isn't an address")
      }
      if from.scheme == "https", target.scheme == "http" { throw .redirect("from https to http") }
      // Name and port of the other are what a person needs to judge it; its path may hold anything.
      guard target.origin == from.origin else { throw .redirect("to another server, \(target.origin)") }
      request.url = target.description
    }
    throw .redirect("more than \(Self.maximum) times")
  }
}
