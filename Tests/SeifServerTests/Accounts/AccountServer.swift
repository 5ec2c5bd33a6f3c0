import SeifBytes
import SeifCrypto
import SeifHTTPFields
import SeifHTTPServer
import SeifOTP
import SeifServer
import SeifServerStore
import SeifServerTesting
import Synchronization
import Testing

/// A server's accounts without a network, with a clock that stands still and hashes that cost nothing but are counted.
final class AccountServer: Sendable {
  static let origin = "https://docs.example.org"
  static let host = "docs.example.org"
  static let password = "correct horse battery"
  static let start = Timestamp(seconds: 1_767_225_600)

  let clock = Mutex(AccountServer.start)
  let store = StandInStore()
  /// What the server stands on: the one above, unless a test brings another.
  let backing: any AccountStore
  let derivations = Mutex(0)
  let key = ServerKey(SecretValue([UInt8](repeating: 7, count: 32)))
  let controller: AccountController
  let plans: AccountPlans

  init(
    settings: AccountSettings = AccountSettings(origin: origin, host: host),
    backing: (any AccountStore & VaultStore)? = nil
  ) {
    let used: any AccountStore & VaultStore = backing ?? store
    self.backing = used
    let box = Box()
    let counted = PasswordHasher { (password, salt, _) throws(CryptoError) in
      box.server?.derivations.withLock { $0 += 1 }
      return password.withBytes { bytes in
        HMAC.code(.sha256, key: salt.span.bytes, message: bytes)
      }
    }
    controller = AccountController(
      settings: settings,
      stores: ServerStores(accounts: used, vaults: used, blobs: MemoryBlobStore { AccountServer.start }), key: key,
      hasher: counted)
    plans = AccountPlans(controller) { box.server?.now ?? AccountServer.start }
    box.server = self
  }

  private final class Box: @unchecked Sendable { weak var server: AccountServer? }

  var now: Timestamp { clock.withLock { $0 } }
  var work: Int { derivations.withLock { $0 } }
  func wait(_ seconds: Int64) { clock.withLock { $0 = Timestamp(milliseconds: $0.milliseconds + seconds * 1000) } }

  /// What a handler answers to a head and a body.
  func send(_ head: HTTPRequestHead, _ body: String = "") throws -> Answer {
    let plan = try #require(plans.plan(head)?.plan)
    switch plan {
    case .answer(let answer): return Answer(answer)
    case .work(let work): return Answer(work())
    case .collect(let limit, let work):
      #expect(body.utf8.count <= limit)
      return Answer(work(SecretValue(utf8: body)))
    case .receive: throw StoreFailure(.damaged, "accounts take no streams")
    }
  }

  struct Answer {
    let status: Int
    let fields: [HTTPField]
    let text: String
    let json: JSONValue?

    init(_ answer: HTTPAnswer) {
      status = answer.status
      fields = answer.fields
      let bytes: [UInt8] = if case .bytes(let bytes) = answer.body { bytes } else { [] }
      text = String(decoding: bytes, as: UTF8.self)
      json = try? JSONDocument(parsing: SecretValue(bytes), policy: .strict).root
    }

    subscript(name: String) -> String? { json?[name]?.string }
    /// The end of the problem's type.
    var problem: String? { self["type"].map { String($0.dropFirst("/problems/".count)) } }
    func field(_ name: String) -> String? { fields.first { $0.name == name }?.value }
    func cookie(_ name: String) -> String? {
      fields.filter { $0.name == "Set-Cookie" && $0.value.hasPrefix(name + "=") }.first
        .map { String($0.value.dropFirst(name.utf8.count + 1).prefix { $0 != ";" }) }
    }
  }

  /// An account that is enrolled.
  @discardableResult func enrol(_ name: String = "anna", password: String = AccountServer.password) throws -> UUID {
    let (id, token) = try invite(name)
    #expect(try Browser(self).post("/account/enrol/\(token)", "{\"password\":\"\(password)\"}").status == 200)
    return id
  }

  /// An account, and the token of its link.
  func invite(_ name: String) throws -> (id: UUID, token: String) {
    let (id, secret) = (RandomSource.system.makeUUID(), BearerSecret(.system))
    let row = AccountRow(id: id, name: name, quota: 1 << 30, createdAt: now)
    let link = EnrolmentRow(account: id, tokenHash: secret.hash, endsAt: Timestamp(seconds: now.seconds + 86_400))
    #expect(try backing.makeAccount(row, enrolment: link))
    return (id, try #require(secret.text.exposedText()))
  }

  /// A browser that is signed in.
  func signedIn(_ name: String = "anna") throws -> Browser {
    try enrol(name)
    let browser = Browser(self)
    #expect(try browser.signIn(name).status == 200)
    return browser
  }

  /// The code that an authenticator shows for a secret in base32.
  func code(_ secret: String, step: Int64 = 0) throws -> String {
    let key = try SecretValue(utf8: secret).withBytes { try Base32.decodeLeniently($0) }
    return try OneTimePassword.hotp(key: key, counter: UInt64(now.seconds / 30 + step))
  }
}

/// A browser with its cookies.
final class Browser {
  let server: AccountServer
  var cookies: [(name: String, value: String)] = []
  var csrf: String?
  var origin: String? = AccountServer.origin
  var site: String? = "same-origin"
  var peer = "192.0.2.7"
  var fields: [HTTPField] = []

  init(_ server: AccountServer) { self.server = server }

  func send(
    _ method: String, _ path: String, _ body: String? = nil, type: String = "application/json"
  ) throws -> AccountServer.Answer {
    var head = HTTPRequestHead(method: method, path: path, fields: fields, peer: peer)
    if !cookies.isEmpty {
      head.fields.append(HTTPField("Cookie", cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")))
    }
    if method != "GET", method != "HEAD" {
      if let origin { head.fields.append(HTTPField("Origin", origin)) }
      if let csrf { head.fields.append(HTTPField("X-CSRF-Token", csrf)) }
    }
    if let site { head.fields.append(HTTPField("Sec-Fetch-Site", site)) }
    if let body {
      head.bodyByteCount = body.utf8.count
      head.fields.append(HTTPField("Content-Type", type))
    }
    let answer = try server.send(head, body ?? "")
    for name in ["__Host-seif", "__Host-seif-known", "seif", "seif-known"] {
      guard let value = answer.cookie(name) else { continue }
      cookies.removeAll { $0.name == name }
      if !value.isEmpty { cookies.append((name, value)) }
    }
    return answer
  }

  func get(_ path: String) throws -> AccountServer.Answer { try send("GET", path) }
  func post(_ path: String, _ body: String? = nil) throws -> AccountServer.Answer { try send("POST", path, body) }
  func delete(_ path: String) throws -> AccountServer.Answer { try send("DELETE", path) }
  func form(_ path: String, _ body: String) throws -> AccountServer.Answer {
    try send("POST", path, body, type: "application/x-www-form-urlencoded")
  }

  var session: String? { cookies.first { $0.name == "__Host-seif" }?.value }

  @discardableResult func signIn(
    _ name: String = "anna", password: String = AccountServer.password, code: String? = nil
  ) throws -> AccountServer.Answer {
    let second = code.map { ",\"code\":\"\($0)\"" } ?? ""
    let answer = try post("/account/session", "{\"name\":\"\(name)\",\"password\":\"\(password)\"\(second)}")
    if let token = answer["csrf"] { csrf = token }
    return answer
  }

  /// Turns TOTP on; the secret in base32 and the sign-in codes.
  func addTOTP() throws -> (secret: String, codes: [String]) {
    let secret = try #require(try post("/account/totp")["secret"])
    let answer = try post("/account/totp/confirm", "{\"code\":\"\(try server.code(secret))\"}")
    #expect(answer.status == 200)
    return (secret, answer.json?["codes"]?.elements.compactMap(\.string) ?? [])
  }

  /// Keeps a passkey.
  func addPasskey(label: String = "Laptop") throws -> SoftwareAuthenticator {
    let begun = try post("/account/passkeys/begin")
    let options = try #require(begun.json?["publicKey"])
    let handle = try #require(options["user"]?["id"]?.string)
    let authenticator = try SoftwareAuthenticator(
      userHandle: SecretValue(utf8: handle).withBytes { try Base64URL.decode($0) }.exposedBytes())
    let created = try authenticator.create(try #require(options["challenge"]?.string))
    #expect(try post("/account/passkeys/finish", created.json(label: label)).status == 201)
    return authenticator
  }

  func challenge(_ path: String) throws -> String {
    try #require(try post(path).json?["publicKey"]?["challenge"]?.string)
  }
}
