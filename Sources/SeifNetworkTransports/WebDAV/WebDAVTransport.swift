public import SeifBackups
public import SeifBytes
internal import SeifCrypto
internal import SeifHTTP
internal import Synchronization
internal import SeifHTTPFields

/// A folder of a WebDAV server (RFC 4918): each backup a file of its own, sent under a temporary name, counted, then moved
/// to its name.
public struct WebDAVTransport: BackupTransport {
  public let createsConditionally: Bool
  let authentication: HTTPAuthentication
  let client: any HTTPClient
  let quickClient: any HTTPClient
  private let configured: HTTPAddress
  private let found = FoundFolder()

  /// A folder that exists.
  init(
    address: HTTPAddress, authentication: HTTPAuthentication, createsConditionally: Bool, client: any HTTPClient,
    quickClient: any HTTPClient
  ) {
    configured = address
    self.authentication = authentication
    self.createsConditionally = createsConditionally
    self.client = client
    self.quickClient = quickClient
  }

  public var id: String { "webdav" }
  public var displayName: String { configured.description }
  public var place: String {
    // Two people of one server can have a folder each under one address.
    guard case .password(let user, _) = authentication else { return "webdav:\(configured.description)" }
    return "webdav:\(user)@\(configured.description)"
  }
  public var requiresAuthentication: Bool {
    if case .none = authentication { return false }
    return true
  }
  public var supportsAutomaticRestore: Bool { true }
  public var fixedName: String? { nil }

  public func isAvailable() -> Bool { (try? findFolder(by: quickClient)) != nil }

  public func checkWriting() throws(TransportError) {
    let temporary = try file(TemporaryDAVName.make())
    try put(SecretValue(utf8: "seif"), to: temporary, place: displayName)
    discard(temporary)
  }

  public func listBackups() throws(TransportError) -> [BackupDescriptor] {
    let (listing, _) = try find(found.address ?? configured, depth: 1, place: displayName, by: client)
    // An empty list would look like a folder without backups.
    return try checked(listing).children.compactMap { name, resource in
      guard !resource.isCollection, resource.status ?? 200 == 200, Self.isName(name) else { return nil }
      return BackupDescriptor(id: name, name: name, byteCount: resource.byteCount)
    }
  }

  public func download(id: String, limit: Int) throws(TransportError) -> SecretValue {
    let address = try file(id)
    let answer = try ask(HTTPRequest("GET", address.description, limit: limit), place: place(id), by: client)
    guard answer.status == 200 else { throw DAVFault.error(status: answer.status, place: place(id)) }
    return answer.body
  }

  public func delete(id: String) throws(TransportError) {
    let address = try file(id)
    do throws(TransportError) {
      let request = HTTPRequest("DELETE", address.description, isIdempotent: false)
      let answer = try ask(request, place: place(id), by: client)
      guard [200, 202, 204].contains(answer.status) else {
        throw DAVFault.error(status: answer.status, place: place(id))
      }
    } catch {
      // It may have been done although nobody said so.
      guard error.code == .unavailable || error.code == .timedOut,
        try byteCount(of: address, place: place(id)) == nil
      else { throw error }
    }
  }

  // MARK: - Addresses

  /// The address of a file in the folder that was found.
  func file(_ name: String) throws(TransportError) -> HTTPAddress {
    guard Self.isName(name) || TemporaryDAVName.matches(name) else {
      throw TransportError(.notFound, place: displayName, reason: "not a name of a file")
    }
    let folder: HTTPAddress
    if let known = found.address { folder = known } else { folder = try findFolder(by: client) }
    do {
      return try HTTPAddress(
        "\(folder.origin)\(folder.path.hasSuffix("/") ? folder.path : folder.path + "/")"
          + HTTPAddress.encodingSegment(name))
    } catch {
      throw TransportError(.failed, place: displayName, reason: "the name is too long")
    }
  }

  /// The address of a folder in it; some servers make none without the slash.
  func folder(_ name: String) throws(TransportError) -> HTTPAddress {
    do {
      return try HTTPAddress(try file(name).description + "/")
    } catch let error as TransportError {
      throw error
    } catch {
      throw TransportError(.failed, place: displayName, reason: "the name is too long")
    }
  }

  /// A name as a person would write it.
  func place(_ name: String) -> String { displayName.hasSuffix("/") ? displayName + name : "\(displayName)/\(name)" }

  // A name stays inside the folder: it is matched, never cleaned.
  static func isName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 255 && name != "." && name != ".." && !TemporaryDAVName.matches(name)
      && !name.utf8.contains { $0 == 0x2F || $0 < 0x20 || $0 == 0x7F }
  }

  // MARK: - Questions

  /// Sends a request with the credentials.
  func ask(_ request: HTTPRequest, place: String, by client: any HTTPClient) throws(TransportError) -> HTTPResponse {
    var request = request
    request.authentication = authentication
    do throws(HTTPFailure) {
      return try client.send(request)
    } catch {
      throw TransportError(error, isDownload: request.method == "GET", place: place)
    }
  }

  /// The size of a file: nil where there is none, -1 where the server doesn't say it.
  func byteCount(of address: HTTPAddress, place: String) throws(TransportError) -> Int? {
    let (listing, _) = try find(address, depth: 0, place: place, by: client)
    guard let listing else { return nil }
    guard let resource = listing.folder else {
      throw TransportError(.badAnswer, place: place, reason: "the listing isn't of this file")
    }
    guard resource.status ?? 200 == 200 else { return nil }
    return resource.byteCount ?? -1
  }

  /// Removes what uploads left that were cut off over a day ago, by the server's own clock: once, and at most 20.
  func removeLeftovers() throws(TransportError) {
    if found.address == nil { try findFolder(depth: 1, by: client) }
    for name in found.takeLeftovers().prefix(20) { discard(try file(name)) }
  }

  // Asks where the folder really is: a server may lead from the name without a slash to the one with it.
  @discardableResult
  private func findFolder(depth: Int = 0, by client: any HTTPClient) throws(TransportError) -> HTTPAddress {
    let (listing, address) = try find(found.address ?? configured, depth: depth, place: displayName, by: client)
    _ = try checked(listing)
    found.address = address
    return address
  }

  private func checked(_ listing: DAVListing?) throws(TransportError) -> DAVListing {
    guard let listing else {
      throw TransportError(.notFound, place: displayName, reason: "make this folder on the server first")
    }
    guard let folder = listing.folder else {
      throw TransportError(.badAnswer, place: displayName, reason: "the listing isn't of this folder")
    }
    guard folder.isCollection else { throw TransportError(.notAFolder, place: displayName) }
    return listing
  }

  // The listing at an address, nil where nothing is there, and the address that gave it.
  private func find(
    _ address: HTTPAddress, depth: Int, place: String, by client: any HTTPClient
  ) throws(TransportError) -> (DAVListing?, HTTPAddress) {
    let question = """
      <?xml version="1.0" encoding="utf-8"?>
      <propfind xmlns="DAV:"><prop><resourcetype/><getcontentlength/><getlastmodified/></prop></propfind>
      """
    let request = HTTPRequest(
      "PROPFIND", address.description,
      fields: [HTTPField("Depth", String(depth)), HTTPField("Content-Type", "application/xml; charset=utf-8")],
      body: SecretValue(utf8: question), limit: depth == 0 ? 1 << 20 : 64 << 20)
    let answer = try ask(request, place: place, by: client)
    switch answer.status {
    case 207: break
    case 404, 410: return (nil, address)
    case 200..<300: throw TransportError(.badAnswer, place: place, reason: "a page instead of a listing")
    case 405, 501: throw TransportError(.badAnswer, place: place, reason: "this server speaks no WebDAV there")
    default: throw DAVFault.error(status: answer.status, place: place)
    }
    do {
      let answered = try HTTPAddress(answer.url.isEmpty ? address.description : answer.url)
      let listing = DAVListing(try DAVReader.resources(answer.body), in: answered)
      if depth == 1, let now = answer["Date"].flatMap({ HTTPDate.seconds($0) }) {
        found.leftovers = listing.children.filter { TemporaryDAVName.isLeftover($0.name, $0.resource, now) }.map(\.name)
      }
      return (listing, answered)
    } catch let fault as DAVReader.Fault {
      throw TransportError(.badAnswer, place: place, reason: fault.reason)
    } catch {
      throw TransportError(.badAnswer, place: place)
    }
  }
}

/// What is known of the folder by now.
private final class FoundFolder: Sendable {
  private struct State: Sendable {
    var address: HTTPAddress?
    var leftovers: [String] = []
  }
  private let state = Mutex(State())

  /// Where it really is.
  var address: HTTPAddress? {
    get { state.withLock { $0.address } }
    set { state.withLock { $0.address = newValue } }
  }
  /// Temporary names in it that nobody comes back to.
  var leftovers: [String] {
    get { state.withLock { $0.leftovers } }
    set { state.withLock { $0.leftovers = newValue } }
  }

  func takeLeftovers() -> [String] {
    state.withLock { state in
      defer { state.leftovers = [] }
      return state.leftovers
    }
  }
}

/// Names that files have until they are whole, and folders that stand for a writer's turn: `.seif-`, 32 hexadecimal digits,
/// `.part`. Never listed.
enum TemporaryDAVName {
  static func make() -> String { ".seif-\(Base16.encode(RandomSource.system.makeBytes(16))).part" }
  /// The same for all writers of a name.
  static func turn(for name: String) -> String {
    ".seif-\(Base16.encode(Array(Digest.sha256(Array(name.utf8).span.bytes).prefix(16)))).part"
  }
  static func matches(_ name: String) -> Bool { name.hasPrefix(".seif-") && name.hasSuffix(".part") }

  /// Whether a file is one that no upload will go on with.
  static func isLeftover(_ name: String, _ resource: DAVResource, _ now: Int64) -> Bool {
    guard matches(name), let modified = resource.modified else { return false }
    let (age, overflow) = now.subtractingReportingOverflow(modified)
    return !overflow && age > 86_400
  }
}
