import CSeif
import Glibc
import SeifBytes
import SeifOTP
import SeifRecords
import SeifTestSupport
import SeifVault
import Synchronization
import Testing

@testable import SeifAgent

/// A folder of its own that goes with its owner.
final class Scratch {
  let path: String

  init() throws {
    var template = Array("/tmp/seif-agent-tests-XXXXXX".utf8CString)
    path = String(cString: try #require(mkdtemp(&template)))
  }

  deinit {
    var words = ["rm", "-rf", path].map { (word: String) in strdup(word) } + [nil]
    var child: pid_t = 0
    posix_spawn(&child, "/bin/rm", nil, nil, &words, environ)
    waitpid(child, nil, 0)
    words.forEach { free($0) }
  }
}

/// Both ends of a connection.
final class Pair {
  let client: MessageChannel
  let server: MessageChannel
  private var isClientOpen = true

  init() {
    var ends: [Int32] = [-1, -1]
    // A program that another test starts meanwhile must not hold an end open.
    socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends)
    client = MessageChannel(descriptor: ends[0])
    server = MessageChannel(descriptor: ends[1])
  }

  /// The client dies.
  func closeClient() {
    if isClientOpen { close(client.descriptor) }
    isClientOpen = false
  }

  /// The client sends bytes as they are.
  func put(_ bytes: [UInt8]) { _ = write(client.descriptor, bytes, bytes.count) }

  deinit {
    closeClient()
    close(server.descriptor)
  }
}

/// One who always gives the same answer, and keeps the questions.
final class FixedAsker: ConsentAsker {
  private let reply: ConsentReply
  private let passphrase: String?
  let asked = Mutex<[String]>([])
  /// What happens while the question stands.
  let before = Mutex<(@Sendable () -> Void)?>(nil)

  init(_ reply: ConsentReply, passphrase: String? = nil) {
    self.reply = reply
    self.passphrase = passphrase
  }

  func ask(_ question: ConsentQuestion) -> ConsentReply {
    asked.withLock { $0.append("\(question.kind.rawValue): \(question.text)") }
    before.withLock { $0 }?()
    guard let passphrase else { return reply }
    let attempt = PassphraseAttempt(SecretBytes(copying: SecretValue(utf8: passphrase)))
    return question.opensVault(attempt) ? .yes : .no
  }
}

/// A vault, and an agent that serves in this process.
final class AgentWorld {
  static let passphrase = "a passphrase for tests"
  let scratch: Scratch
  let server: AgentServer
  let hello = Hello(version: "9.9.9", build: "test")
  private let listener: Int32
  let folder: String

  init(
    asker: any ConsentAsker = FixedAsker(.yes), peer: (@Sendable (Int32) -> Peer?)? = nil,
    device: @escaping AgentServer.Parts.Devices = { _, _ in nil }, backUp: AgentServer.Parts.BackUp? = nil
  ) throws {
    scratch = try Scratch()
    folder = scratch.path + "/run"
    let runtime = try RuntimeFolder(folder, making: true)
    listener = try runtime.listen(patience: 0)
    server = try AgentServer(
      AgentServer.Parts(
        hello: hello, asker: asker, device: device, peer: peer ?? { Peer.of($0) }, backUp: backUp))
    let (server, listener) = (server, listener)
    let thread = SideThread { server.run(listener: listener, logind: nil, isInPlace: { true }) }
    thread.start()
  }

  deinit {
    server.end()
    close(listener)
  }

  func client(_ hello: Hello? = nil) throws -> AgentClient {
    try AgentClient(folder: folder, hello: hello ?? self.hello)
  }

  /// A vault with these entries, closed again.
  @discardableResult
  func makeVault(_ name: String = "vault", _ entries: [Entry] = AgentWorld.entries) throws -> String {
    let path = scratch.path + "/" + name
    let vault = try Vault.create(
      at: VaultLocation(folder: path, stateFolder: path + "-state"), passphrase: Self.secret(),
      recoveryCode: RecoveryCode.make(), cost: .forTests)
    try vault.add(entries)
    vault.lock()
    return path
  }

  static func secret(_ text: String = passphrase) -> SecretBytes { SecretBytes(copying: SecretValue(utf8: text)) }

  /// The vault, opened by this process itself.
  func direct(_ path: String) throws -> Vault {
    try Vault.open(at: VaultLocation(folder: path, stateFolder: path + "-state"), access: .readWrite)
      .unlock(passphrase: Self.secret())
  }

  /// The vault in the agent.
  func unlocked(_ path: String, after: LockAfter? = nil) throws -> AgentVault {
    let client = try client()
    _ = try client.unlock(folder: path, stateFolder: path + "-state", .passphrase, Self.secret(), after)
    return AgentVault(try self.client(), folder: path)
  }

  static let seed = "a seed of 20 bytes!!"
  static let canaryPassword = "Canary-password-7h"
  static var entries: [Entry] {
    let timed = OTPParameters.made(.totp(period: 30))
    let counted = OTPParameters.made(.hotp(counter: 5))
    var login = Password(password: SecretValue(utf8: canaryPassword))
    (login.title, login.username) = ("Forge", "ana")
    var card = Card(number: SecretValue(utf8: "4111111111111111"))
    card.name = "Plastic"
    card.cvc = SecretValue(utf8: "737")
    return [
      .account(Account(issuer: "GitHub", account: "ana@example.com", otp: timed)),
      .account(Account(issuer: "GitLab", account: "ana", otp: timed)),
      .account(Account(issuer: "Acme", account: "user", otp: counted)), .password(login), .card(card),
    ]
  }
}

extension Records {
  init(_ entries: [Entry]) {
    self.init()
    for entry in entries { append(entry) }
  }
}

extension OTPParameters {
  static func made(_ kind: Kind) -> OTPParameters {
    guard let made = try? OTPParameters(kind: kind, secret: SecretValue(utf8: AgentWorld.seed)) else {
      fatalError("internal error: parameters of a test")
    }
    return made
  }
}

/// The error that a call throws.
func refusal(_ body: () throws -> Void) -> AgentRefusal.Code? {
  do { try body() } catch let error as AgentRefusal {
    return error.code
  } catch VaultUseError.agent(let error) {
    return error.code
  } catch {}
  return nil
}
