import Glibc
import SeifBytes
import SeifCrypto
import SeifHTTPFields
import SeifHTTPServer
import SeifServer
import SeifServerStore
import SeifServerTesting
import Synchronization
import Testing

/// A server's vaults on real stores in a folder of their own, asked without a network.
final class VaultServer: @unchecked Sendable {
  let folder: String
  let store: SQLiteServerStore
  let blobs: FolderBlobStore
  let plans: VaultPlans
  let accounts: AccountPlans
  let routes: [VaultRoute]
  let token = BearerSecret(.system)
  let reader = BearerSecret(.system)
  let session = BearerSecret(.system)
  let account: UUID
  private let box: Box
  static let origin = "https://docs.example.org"

  init(quota: Int = 1 << 30) throws {
    var template = Array("/tmp/seif-server-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { $0.baseAddress.map { mkdtemp($0) != nil } ?? false }
    try #require(made)
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    store = try SQLiteServerStore(path: folder + "/server.db")
    blobs = try FolderBlobStore(path: folder + "/blobs")
    let controller = AccountController(
      settings: AccountSettings(origin: Self.origin, host: "docs.example.org"),
      stores: ServerStores(accounts: store, vaults: store, blobs: blobs),
      key: ServerKey(SecretValue([UInt8](repeating: 7, count: 32))), hasher: PasswordHasher())
    let clock = Box(clock: Timestamp(seconds: 1_790_000_000))
    box = clock
    let vaults = VaultController(controller)
    routes = vaults.routes
    plans = VaultPlans(vaults) { clock.now }
    accounts = AccountPlans(controller) { clock.now }
    account = try Self.makeAccount("ana", quota, store)
    try signIn(account, token: token, reader: reader, session: session)
  }

  deinit { TemporaryFolder.remove(folder) }

  final class Box: Sendable {
    private let clock: Mutex<Timestamp>
    init(clock: Timestamp) { self.clock = Mutex(clock) }
    var now: Timestamp { clock.withLock { $0 } }
    func pass(seconds: Int64) { clock.withLock { $0 = Timestamp(milliseconds: $0.milliseconds + seconds * 1000) } }
  }
  var now: Timestamp { box.now }
  func pass(seconds: Int64) { box.pass(seconds: seconds) }

  static func makeAccount(_ name: String, _ quota: Int, _ store: SQLiteServerStore) throws -> UUID {
    let id = RandomSource.system.makeUUID()
    let row = AccountRow(id: id, name: name, quota: quota, createdAt: Timestamp(seconds: 1_790_000_000))
    let link = EnrolmentRow(
      account: id, tokenHash: RandomSource.system.makeBytes(32), endsAt: Timestamp(seconds: 1_790_000_001))
    try #require(try store.makeAccount(row, enrolment: link))
    return id
  }

  func signIn(_ account: UUID, token: BearerSecret, reader: BearerSecret, session: BearerSecret) throws {
    for (secret, writes) in [(token, true), (reader, false)] {
      #expect(
        try store.makeToken(
          TokenRow(
            id: RandomSource.system.makeUUID(), hash: secret.hash, account: account, label: "test", writes: writes,
            createdAt: now, usedAt: now, freshAt: now), limit: 9))
    }
    let isMade = try store.makeSession(
      SessionRow(
        idHash: session.hash, handle: RandomSource.system.makeUUID(), account: account, createdAt: now, usedAt: now,
        freshAt: now, agent: "test"), password: nil)
    try #require(isMade)
  }

  /// One request, as a client of the mount would make it.
  func ask(
    _ mount: VaultMount, _ method: String, _ path: String, fields: [HTTPField] = [], body: [UInt8] = [],
    as secret: BearerSecret? = nil, query: String? = nil, announced: Int?? = nil, pieceByteCount: Int = 4096
  ) -> Reply {
    var all = fields
    switch mount {
    case .token: all.append(HTTPField("Authorization", "Bearer \((secret ?? token).token.exposedText() ?? "")"))
    case .session:
      let secret = secret ?? session
      all.append(HTTPField("Cookie", "__Host-seif=\(secret.text.exposedText() ?? "")"))
      if method != "GET", method != "HEAD" {
        all += [
          HTTPField("Origin", Self.origin), HTTPField("Sec-Fetch-Site", "same-origin"),
          HTTPField("X-CSRF-Token", secret.csrf.exposedText() ?? ""),
        ]
      }
    }
    let head = HTTPRequestHead(
      method: method, path: mount.rawValue + path, query: query, fields: all, bodyByteCount: announced ?? body.count)
    guard let plan = plans.plan(head)?.plan else { return Reply(HTTPAnswer(0)) }
    return Reply(PlanRunner.run(plan, body: body, pieceByteCount: pieceByteCount))
  }
}

/// An answer, to be compared: status, fields and body.
struct Reply: Equatable {
  let status: Int
  let fields: [HTTPField]
  let body: [UInt8]

  init(_ answer: HTTPAnswer) {
    status = answer.status
    fields = answer.fields
    body = PlanRunner.bytes(answer.body)
  }

  subscript(name: String) -> String? { fields.first { $0.name.lowercased() == name.lowercased() }?.value }
  var text: String { String(decoding: body, as: UTF8.self) }
  var json: JSONValue? {
    try? JSONDocument(
      parsing: SecretValue(body),
      policy: JSONPolicy(isStrict: true, maximumByteCount: 32 << 20, maximumDepth: 8, maximumValueCount: 100_000)
    ).root
  }
  /// The last word of a problem's type.
  var problem: String? { json?["type"]?.string.map { String($0.dropFirst("/problems/".count)) } }
}
