internal import FoundationEssentials
public import SeifBackups
internal import SeifBytes
internal import SeifTestSupport

/// Google Drive, Dropbox and their OAuth 2.0 as their documents have them (`Tests/StandIns`): a stand-in, not the services.
public final class CloudStandIn {
  /// A permission that is there from the start.
  public static let standingToken = "seif-standing-refresh-token"
  /// The secret of every client at Google.
  public static let clientSecret = "seif-client-secret"

  private let process: ServerProcess

  /// The port of 127.0.0.1 on which it listens.
  public var port: UInt16 { process.port }
  /// Its address.
  public var url: String { "http://127.0.0.1:\(port)" }

  /// Starts it.
  public init() throws {
    let program = TestData.packageRoot.path + "/Tests/StandIns/cloud.py"
    process = try ServerProcess(
      ServerProcess.pythonProgram("python3"), variables: ["PYTHONDONTWRITEBYTECODE": "1"]
    ) { _, port in [program, String(port)] }
  }

  /// Ends it, as a loss of power would.
  public func end() { process.end() }

  /// The settings of a destination at Google Drive; each client has a storage of its own.
  public func googleDrive(client: String = "seif-tests", port: UInt16? = nil) -> TransportSettings {
    let server = "http://127.0.0.1:\(port ?? self.port)"
    return TransportSettings(
      name: "drive-test", kind: "google-drive",
      values: [
        "client-id": client, "account": "ana@example.com", "ca-file": "", "api": server, "accounts": server,
        "tokens": server,
      ],
      secrets: [
        "client-secret": SecretValue(utf8: Self.clientSecret), "refresh-token": SecretValue(utf8: Self.standingToken),
      ])
  }

  /// The settings of a destination at Dropbox; each app has a storage of its own.
  public func dropbox(app: String = "seif-tests", folder: String = "", port: UInt16? = nil) -> TransportSettings {
    let server = "http://127.0.0.1:\(port ?? self.port)"
    return TransportSettings(
      name: "dropbox-test", kind: "dropbox",
      values: [
        "app-key": app, "account": "dbid:1", "folder": folder, "ca-file": "", "api": server, "content": server,
        "accounts": server,
      ], secrets: ["refresh-token": SecretValue(utf8: Self.standingToken)])
  }

  // MARK: - What it does

  /// Changes what it does (`Tests/StandIns/cloud.py` says what there is) and gives what was asked so far.
  @discardableResult
  public func control(_ change: String = "{}") throws -> (requests: [String], tokens: [String]) {
    let answer = try Self.exchange("POST /control", change, at: port)
    guard answer.status == 200,
      let root = try? JSONDocument(parsing: SecretValue(utf8: answer.body), policy: .strict).root
    else { throw ServerProcess.Failure("the stand-in doesn't understand: \(change)") }
    func list(_ name: String) -> [String] { root[name]?.elements.compactMap { $0.string } ?? [] }
    return (list("requests"), list("refreshTokens") + list("accessTokens"))
  }

  /// Does what a person with a browser does who allows it: opens an address and goes where it leads.
  ///
  /// - Returns: the status and the words of the last page.
  @discardableResult
  public static func browse(_ address: String) throws -> (status: Int, body: String) {
    var address = address
    for _ in 0..<4 {
      guard address.hasPrefix("http://127.0.0.1:") else { throw ServerProcess.Failure("no address of this machine") }
      let rest = address.dropFirst("http://127.0.0.1:".count)
      guard let slash = rest.firstIndex(of: "/"), let port = UInt16(rest[..<slash]) else {
        throw ServerProcess.Failure("no address of this machine")
      }
      let answer = try exchange("GET \(rest[slash...])", nil, at: port)
      guard answer.status == 302, let next = answer.location else { return (answer.status, answer.body) }
      address = next
    }
    throw ServerProcess.Failure("it leads on and on")
  }

  private static func exchange(
    _ line: String, _ body: String?, at port: UInt16
  ) throws -> (status: Int, location: String?, body: String) {
    let text = try LoopbackSocket.exchange(
      "\(line) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
        + (body.map { "Content-Length: \($0.utf8.count)\r\n\r\n\($0)" } ?? "\r\n"), at: port)
    let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
    let lines = parts.first?.split(separator: "\r\n") ?? []
    guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
      throw ServerProcess.Failure("no answer")
    }
    let location = lines.first { $0.lowercased().hasPrefix("location: ") }.map { String($0.dropFirst(10)) }
    return (status, location, parts.count == 2 ? String(parts[1]) : "")
  }
}

extension LoopbackSocket {
  /// Sends bytes to a port and gives all that comes until the other side closes.
  static func exchange(_ text: String, at port: UInt16) throws -> String {
    guard let socket = connection(port) else { throw ServerProcess.Failure("nobody listens there") }
    defer { end(socket) }
    write(Array(text.utf8), to: socket)
    var bytes: [UInt8] = []
    while read(from: socket, onto: &bytes) {}
    return String(decoding: bytes, as: UTF8.self)
  }
}
