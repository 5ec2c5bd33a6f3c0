private import CSeif
private import Glibc
private import SeifAgent
private import SeifBytes
private import SeifOTP
private import SeifVault

/// Gives bytes to the readers of the agent's wire, on both of its sides: none of them may trap, and what a reader takes
/// it writes again as what it takes.
///
/// The first byte says which reader: 0 a request, 1 a hello, 2 a stream of frames, from 3 on an answer to one of the
/// client's calls.
public final class WireProbe {
  /// A property that didn't hold, by name.
  public struct Finding: Error, Equatable {
    public let words: String
  }

  private static let hello = Hello(version: "1", build: "probe")
  private let folder: RuntimeFolder
  private let path: String
  private let listener: Int32

  /// Listens in a folder of its own below `/tmp`; nil where that can't be made.
  public init?() {
    var template = Array("/tmp/seif-wire-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { return nil }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard let folder = try? RuntimeFolder(path, making: false), let listener = try? folder.listen(patience: 0) else {
      return nil
    }
    self.folder = folder
    self.listener = listener
  }

  deinit {
    close(listener)
    folder.removeSocket()
    unlink(path + "/" + RuntimeFolder.lockName)
    rmdir(path)
  }

  /// - Returns: whether the bytes were taken.
  /// - Throws: a property that doesn't hold.
  @discardableResult
  public func look(at bytes: [UInt8]) throws(Finding) -> Bool {
    guard let first = bytes.first else { return false }
    let payload = SecretValue(Array(bytes.dropFirst()))
    switch first {
    case 0: return try request(payload)
    case 1: return try greeting(payload)
    case 2: return frames(payload.exposedBytes())
    default: return answer(payload, to: Int(first) - 3)
    }
  }

  // MARK: - The agent's side

  private func request(_ payload: SecretValue) throws(Finding) -> Bool {
    guard let request = try? AgentRequest(payload) else { return false }
    let written = request.payload
    guard let again = try? AgentRequest(written) else { throw Finding(words: "a written request is refused") }
    guard again.payload == written else { throw Finding(words: "a request is read as another") }
    // JSON within an entry may be spelled in other ways; everything else has one spelling.
    if case .apply = request { return true }
    guard written == payload else { throw Finding(words: "a request has two spellings") }
    return true
  }

  private func greeting(_ payload: SecretValue) throws(Finding) -> Bool {
    guard let hello = try? Hello(payload) else { return false }
    guard let again = try? Hello(hello.payload), again == hello else {
      throw Finding(words: "a hello is read as another")
    }
    return true
  }

  private func frames(_ bytes: [UInt8]) -> Bool {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else { return false }
    defer { close(ends[1]) }
    let sent = seif_send(ends[0], bytes, bytes.count)
    close(ends[0])
    guard sent == bytes.count else { return false }
    let channel = MessageChannel(descriptor: ends[1])
    var limit = 4_096
    while let message = try? channel.receive(limit: limit, first: Deadline(in: 0), patience: 0) {
      _ = limit == 4_096 ? (try? Hello(message)) != nil : (try? AgentRequest(message)) != nil
      limit = MessageChannel.requestLimit
    }
    return limit != 4_096
  }

  // MARK: - The client's side

  private func answer(_ payload: SecretValue, to call: Int) -> Bool {
    guard let client = try? AgentClient(folder: path, hello: Self.hello) else { return false }
    let socket = seif_accept(listener)
    guard socket >= 0 else { return false }
    defer { close(socket) }
    // Before it is asked: all of it fits into the socket.
    let agent = MessageChannel(descriptor: socket)
    guard (try? agent.send(payload, after: Self.hello.payload, patience: 0)) != nil else { return false }
    shutdown(socket, Int32(SHUT_WR))
    do {
      try Self.ask(client, call)
      return true
    } catch {
      return false
    }
  }

  /// How many calls ``look(at:)`` tells apart.
  public static let callCount = 14

  private static func ask(_ client: AgentClient, _ call: Int) throws {
    let vault = AgentVault(client, folder: "/v")
    guard let id = UUID(bytes: [UInt8](repeating: 7, count: 16)) else { return }
    switch call % callCount {
    case 0: _ = try vault.list()
    case 1: _ = try vault.find("q", onlyCodes: false)
    case 2: _ = try vault.code("q", next: false, at: Timestamp(seconds: 0))
    case 3: _ = try vault.entry(id)
    case 4: _ = try vault.apply([.remove(id)], ifCounterIs: nil)
    case 5: _ = try vault.undo()
    case 6: _ = try vault.bin()
    case 7: _ = try vault.ledger()
    case 8: _ = try vault.records(for: .export)
    case 9: _ = try client.status()
    case 10: _ = try client.lock(folder: nil)
    case 11: _ = try client.isOpen(folder: "/v")
    case 12:
      let secret = SecretBytes(copying: SecretValue(utf8: "s"))
      _ = try client.unlock(folder: "/v", stateFolder: "/s", .passphrase, secret, nil)
    default: _ = try vault.lastChange()
    }
  }
}
