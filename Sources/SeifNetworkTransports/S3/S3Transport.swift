internal import Glibc
public import SeifBackups
public import SeifBytes
internal import SeifHTTP
internal import SeifHTTPFields

/// A folder in a bucket of S3, or of one of the many servers that speak as it does: a backup is an object.
///
/// Every request is signed (Signature Version 4) with the hash of its body. No redirect is followed: a signature holds for
/// one server, and a key has no business at another.
public struct S3Transport: BackupTransport {
  let address: S3Address
  let signature: AWSSignature
  let client: any HTTPClient
  /// For what isn't worth waiting for.
  let quickClient: any HTTPClient
  var clock: @Sendable () -> Timestamp
  public let createsConditionally: Bool
  /// Most keys of a part of the listing, in tests of parts; nil: as many as the server gives, which is 1,000.
  var keysPerPage: Int?

  /// The clock of this machine.
  static let systemClock: @Sendable () -> Timestamp = { Timestamp(seconds: Int64(time(nil))) }

  init(
    address: S3Address, signature: AWSSignature, client: any HTTPClient, quickClient: any HTTPClient,
    createsConditionally: Bool, clock: @escaping @Sendable () -> Timestamp = systemClock
  ) {
    self.address = address
    self.signature = signature
    self.client = client
    self.quickClient = quickClient
    self.createsConditionally = createsConditionally
    self.clock = clock
  }

  public var id: String { "s3" }
  public var displayName: String { "s3://\(address.bucket)/\(address.prefix)" }
  public var place: String { "s3:\(address.scheme)://\(address.host)\(address.root)\(address.prefix)" }
  public var requiresAuthentication: Bool { true }
  public var supportsAutomaticRestore: Bool { true }
  public var fixedName: String? { nil }

  public func isAvailable() -> Bool {
    let quick = S3Transport(
      address: address, signature: signature, client: quickClient, quickClient: quickClient,
      createsConditionally: createsConditionally, clock: clock)
    return (try? quick.page(after: nil, keys: 1)) != nil
  }

  public func upload(_ content: SecretValue, name: String) throws(TransportError) -> BackupDescriptor {
    let (key, place) = try key(of: name)
    var fields = [HTTPField("Content-Type", "application/octet-stream")]
    if createsConditionally {
      fields.append(HTTPField("If-None-Match", "*"))
    } else if try exists(key, place) {
      throw TransportError(.exists, place: place)
    }
    let stored = BackupDescriptor(id: name, name: name, byteCount: content.byteCount)
    let response: HTTPResponse
    do throws(HTTPFailure) {
      // Sent a second time, what was stored the first time would refuse itself.
      response = try send("PUT", key, fields: fields, body: content, isIdempotent: !createsConditionally)
    } catch {
      guard S3Fault.mayBeDone(error), let there = try? download(id: name, limit: content.byteCount), there == content
      else { throw TransportError(error, isDownload: false, place: place) }
      return stored
    }
    switch response.status {
    case 200, 201, 204: return stored
    case 501 where createsConditionally:
      throw TransportError(
        .failed, place: place, reason: "the server can't refuse a name that is taken: `transport test` finds that out")
    default: throw S3Fault.error(response, place: place)
    }
  }

  public func download(id: String, limit: Int) throws(TransportError) -> SecretValue {
    let (key, place) = try key(of: id)
    let response = try answer("GET", key, limit: limit, place)
    guard response.status == 200 else { throw S3Fault.error(response, place: place) }
    // Without a length a connection that breaks off looks like the end.
    let length = response["content-length"]
    guard length == String(response.body.byteCount) || length == nil && response["transfer-encoding"] != nil else {
      throw TransportError(.incomplete, place: place, reason: "\(response.body.byteCount) bytes came")
    }
    guard response.body.byteCount <= limit else { throw TransportError(.tooLarge, place: place) }
    return response.body
  }

  public func delete(id: String) throws(TransportError) {
    let (key, place) = try key(of: id)
    // S3 says of a file that was never there that it is deleted.
    guard try exists(key, place) else { throw TransportError(.notFound, place: place) }
    let response = try answer("DELETE", key, place)
    guard response.status == 204 || response.status == 200 else { throw S3Fault.error(response, place: place) }
  }

  // MARK: - Requests

  /// Most bytes of a document: 1,000 keys of 1,024 bytes, each three times as long when it is escaped, and what is said of
  /// them.
  static let documentByteCount = 8 << 20

  func send(
    _ method: String, _ key: String, query: [(name: String, value: String)] = [], fields: [HTTPField] = [],
    body: SecretValue? = nil, limit: Int = documentByteCount, isIdempotent: Bool = true
  ) throws(HTTPFailure) -> HTTPResponse {
    let request = AWSSignature.Request(
      method, host: address.host, path: address.root + key, query: query, fields: fields, body: body ?? .empty)
    let tail = query.isEmpty ? "" : "?\(request.encodedQuery)"
    return try client.send(
      HTTPRequest(
        method, "\(address.scheme)://\(address.host)\(request.encodedPath)\(tail)",
        fields: fields + signature.fields(for: request, at: clock()), body: body, limit: limit,
        isIdempotent: isIdempotent))
  }

  func answer(
    _ method: String, _ key: String, query: [(name: String, value: String)] = [], limit: Int = documentByteCount,
    _ place: String
  ) throws(TransportError) -> HTTPResponse {
    do throws(HTTPFailure) {
      return try send(method, key, query: query, limit: limit)
    } catch {
      throw TransportError(error, isDownload: method == "GET" && !key.isEmpty, place: place)
    }
  }

  private func exists(_ key: String, _ place: String) throws(TransportError) -> Bool {
    let response = try answer("HEAD", key, place)
    switch response.status {
    case 200: return true
    case 404: return false
    default:
      // What HEAD answers has no words: the same refusal, asked for with another request, has.
      _ = try page(after: nil, keys: 1)
      throw S3Fault.error(response, place: place)
    }
  }

  private func key(of name: String) throws(TransportError) -> (key: String, place: String) {
    guard let key = address.key(of: name) else {
      throw TransportError(.notFound, place: displayName, reason: "this can't be a name of a file there")
    }
    return (key, "s3://\(address.bucket)/\(key)")
  }
}
