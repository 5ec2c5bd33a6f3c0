import Glibc
import SeifBytes
import SeifCrypto
import SeifDocumentFormat
import SeifDocumentTesting
import SeifDocuments
import SeifHTTP
import SeifHTTPFields
import SeifNetworkDocuments
import SeifServer
import SeifServerStore
import Testing

@Suite(.timeLimit(.minutes(15))) struct ServerDocumentStoreTests {
  /// A server with an account, on real stores, that goes by a clock of tests.
  private func store(_ clock: TestClock) throws -> ServerDocumentStore {
    var template = Array("/tmp/seif-remote-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { $0.baseAddress.map { mkdtemp($0) != nil } ?? false }
    try #require(made)
    let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let database = try SQLiteServerStore(path: folder + "/server.db")
    let blobs = try FolderBlobStore(path: folder + "/blobs")
    let controller = AccountController(
      settings: AccountSettings(origin: "http://localhost", host: "localhost"),
      stores: ServerStores(accounts: database, vaults: database, blobs: blobs),
      key: ServerKey(SecretValue([UInt8](repeating: 7, count: 32))), hasher: PasswordHasher())
    let (id, token) = (RandomSource.system.makeUUID(), BearerSecret(.system))
    #expect(
      try database.makeAccount(
        AccountRow(id: id, name: "ana", quota: 1 << 30, createdAt: clock.now),
        enrolment: EnrolmentRow(account: id, tokenHash: RandomSource.system.makeBytes(32), endsAt: clock.now)))
    // Fresh for as long as the rules' clocks go: whether a sign-in is fresh isn't what they are about.
    let later = Timestamp(milliseconds: clock.now.milliseconds + 400 * 86_400_000)
    #expect(
      try database.makeToken(
        TokenRow(
          id: RandomSource.system.makeUUID(), hash: token.hash, account: id, label: "test", writes: true,
          createdAt: clock.now, usedAt: later, freshAt: later), limit: 9))
    let plans = VaultPlans(VaultController(controller)) {
      // What the server's care does, each time that it is asked.
      let moment = Timestamp(milliseconds: clock.now.milliseconds - 30 * 86_400_000 + 1)
      _ = try? database.sweep(trash: moment, reservations: moment, limit: 100)
      return clock.now
    }
    return ServerDocumentStore(
      client: PlansClient(plans: plans), origin: "http://localhost", token: token.token)
  }

  @Test(arguments: StoreConformance.all)
  func aServerDoesWhatAStoreMust(check: StoreConformance.Check) throws {
    let clock = TestClock()
    try check.run(try store(clock), clock: clock)
  }

  @Test func aWholeVaultIsKeptAtAServer() throws {
    let clock = TestClock()
    let store = try store(clock)
    let scratch = "/tmp/seif-remote-state-\(getpid())"
    let key = SecretBytes(copying: SecretValue([UInt8](repeating: 1, count: 32)))
    let row = try #require(
      StoredKeyWrap(
        json: SecretValue(
          utf8: #"{"createdAt":"2026-01-01T00:00:00.000Z","id":"01010101-0101-4101-8101-010101010101","kind":"other","#
            + #""wrappedKey":"\#(String(repeating: "A", count: 80))"}"#)))
    let client = try DocumentVaultClient.create(
      store, masterKey: key, rows: [row], stateFolder: scratch + "-a", now: { clock.now })
    let folder = try client.makeFolder("Home", in: nil).result
    #expect(client.manifest.nodes.first?.id == folder)
    let again = try DocumentVaultClient.open(
      store, masterKey: SecretBytes(copying: SecretValue([UInt8](repeating: 1, count: 32))),
      stateFolder: scratch + "-b", now: { clock.now })
    #expect(again.manifest.nodes.map(\.name) == ["Home"])
    #expect(try again.keyWrapDifferences().missing.isEmpty)
  }

  private func lying(
    _ status: Int, _ body: String = "", _ fields: [HTTPField] = []
  ) -> ServerDocumentStore {
    let answer = HTTPResponse(status: status, fields: fields, body: SecretValue(utf8: body))
    return ServerDocumentStore(
      client: LyingClient { _ in answer }, origin: "http://localhost", token: SecretValue(utf8: "seif_x"))
  }

  private func code(_ body: () throws(DocumentError) -> Void) -> DocumentError.Code? {
    do throws(DocumentError) { try body() } catch { return error.code }
    return nil
  }

  @Test(arguments: [
    "", "[]", "{}", #"{"enabled":1,"manifestVersion":0,"objects":0,"bytes":0,"wraps":0}"#,
    #"{"enabled":true,"manifestVersion":-1,"objects":0,"bytes":0,"wraps":0}"#,
    #"{"enabled":true,"manifestVersion":1.5,"objects":0,"bytes":0,"wraps":0}"#,
    #"{"enabled":true,"enabled":true,"manifestVersion":1,"objects":0,"bytes":0,"wraps":0}"#,
  ])
  func anAnswerOfAnotherFormIsNone(body: String) {
    #expect(code { () throws(DocumentError) in _ = try lying(200, body).status() } == .damaged)
    #expect(code { () throws(DocumentError) in _ = try lying(200, body).manifest() } == .damaged)
    #expect(code { () throws(DocumentError) in _ = try lying(200, body).listObjects(after: nil, limit: 5) } == .damaged)
    #expect(code { () throws(DocumentError) in _ = try lying(200, body).keyWraps() } == .damaged)
  }

  @Test func aManifestUnderAnotherTagIsNone() throws {
    let blob = [UInt8](repeating: 3, count: 40)
    let body = "{\"version\":7,\"manifest\":\"\(Base64.encode(blob))\"}"
    let right = SeifDocuments.ManifestTag(revision: 7, blob: blob)
    #expect(try lying(200, body, [HTTPField("ETag", "\"\(right)\"")]).manifest()?.tag == right)
    for tag in ["\"8-\(right.digest)\"", "\"7-0123456789abcdef\"", "W/\"\(right)\"", ""] {
      let store = lying(200, body, [HTTPField("ETag", tag)])
      #expect(code { () throws(DocumentError) in _ = try store.manifest() } == .damaged, "\(tag)")
    }
    // It confirms what it wasn't given.
    let store = lying(200, #"{"version":8}"#, [HTTPField("ETag", "\"8-0123456789abcdef\"")])
    #expect(code { () throws(DocumentError) in _ = try store.replaceManifest(blob, expecting: right) } == .damaged)
  }

  @Test func aPageThatIsLongerThanItWasAskedForIsNone() {
    let row = #"{"id":"0a0b0c0d-0000-4000-8000-00000000000a","bytes":40,"createdAt":"2026-01-01T00:00:00Z"}"#
    let store = lying(200, "{\"objects\":[\(row),\(row)],\"next\":null}")
    #expect(code { () throws(DocumentError) in _ = try store.listObjects(after: nil, limit: 1) } == .damaged)
  }

  @Test func morePartsThanAreAskedForAreNone() throws {
    let id = try #require(UUID("0a0b0c0d-0000-4000-8000-00000000000a"))
    let whole = lying(200, "0123456789")
    #expect(code { () throws(DocumentError) in try whole.readObject(id, range: 0..<4) { _ in } } == .damaged)
    #expect(code { () throws(DocumentError) in try whole.readObject(id, range: 0..<10) { _ in } } == .damaged)
    let part = lying(206, "0123456789")
    #expect(code { () throws(DocumentError) in try part.readObject(id, range: nil) { _ in } } == .damaged)
  }

  @Test(arguments: [
    (401, "not-signed-in", DocumentError.Code.notSignedIn), (403, "fresh-sign-in", .notFresh),
    (403, "read-only", .noPermission), (404, "not-found", .notFound), (409, "last-wrap", .lastKeyWrap),
    (409, "too-many", .tooManyKeyWraps), (409, "conflict", .exists), (410, "gone", .gone), (412, "conflict", .conflict),
    (413, "too-large", .tooLarge), (503, "busy", .locked), (500, "damaged", .damaged), (500, "", .failed),
    (507, "quota", .full), (302, "", .failed), (418, "<script>", .failed),
  ])
  func aProblemIsSaidInWordsOfOurs(status: Int, word: String, code expected: DocumentError.Code) {
    let body = "{\"type\":\"/problems/\(word)\",\"title\":\"Zebra-7731\",\"status\":\(status)}"
    do {
      _ = try lying(status, body, [HTTPField("ETag", "\"3-0123456789abcdef\"")]).removeKeyWrap(
        UUID(bytes: [UInt8](repeating: 1, count: 16)) ?? RandomSource.system.makeUUID())
      Issue.record("it was taken")
    } catch {
      #expect(error.code == expected)
      #expect(!error.description.contains("Zebra") && !error.description.contains("script"))
      #expect((error.current?.revision == 3) == (status == 412))
    }
  }
}
