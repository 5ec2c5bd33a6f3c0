import SeifBackups
import SeifBytes
import SeifHTTP
import SeifTransportTesting
import SeifTransports
import Testing

@testable import SeifNetworkTransports

/// Google Drive and Dropbox at a stand-in of both: what is the same for the two.
@Suite(.serialized) struct CloudServiceTests {
  private static let content = SecretValue(utf8: "content")

  @Test(arguments: CloudService.allCases)
  func everyRuleHolds(service: CloudService) throws {
    let standIn = try CloudStandIn()
    // Parts of 100, and tokens that end after 50 requests.
    try standIn.control(#"{"set":{"pageSize":100,"uses":50}}"#)
    let transport = try service.transport(standIn)
    for check in TransportConformance.checks(.full) {
      do {
        try check.run(transport)
      } catch {
        Issue.record("\(service): \(check.rule): \(error)")
      }
    }
    #expect(try transport.listBackups().isEmpty)
    // Each of them by its own: nothing that is said or asked for holds a token.
    let (requests, tokens) = try standIn.control()
    #expect(requests.count > 1_000 && tokens.count > 10)
    for token in tokens + [CloudStandIn.standingToken, CloudStandIn.clientSecret] {
      #expect(!requests.contains { $0.contains(token) })
    }
  }

  @Test(arguments: CloudService.allCases)
  func aListingIsReadToItsEndWhateverHappensToTheToken(service: CloudService) throws {
    let standIn = try CloudStandIn()
    let transport = try service.transport(standIn)
    let names = (0..<12).map { "ä '\($0)" }
    for name in names { _ = try transport.upload(Self.content, name: name) }
    // Each token is good for two requests: it ends within the listing.
    try standIn.control(#"{"set":{"pageSize":1,"uses":2}}"#)
    let listed = try service.transport(standIn).listBackups()
    #expect(listed.map(\.name).sorted() == names.sorted())
    #expect(listed.allSatisfy { $0.byteCount == 7 })
    for file in listed { #expect(try transport.download(id: file.id, limit: 100) == Self.content) }
  }

  @Test(arguments: CloudService.allCases)
  func anEndedPermissionIsSaid(service: CloudService) throws {
    let standIn = try CloudStandIn()
    let transport = try service.transport(standIn)
    _ = try transport.upload(Self.content, name: "x")
    try standIn.control(#"{"revoke":["\#(CloudStandIn.standingToken)"]}"#)
    let error = #expect(throws: TransportError.self) { try transport.listBackups() }
    #expect(error?.code == .unauthorized)
    #expect(error?.reason.contains("allow Seif again") == true)
    #expect(!transport.isAvailable())
  }

  @Test(arguments: CloudService.allCases)
  func aClientWithAnotherSecretIsRefused(service: CloudService) throws {
    let standIn = try CloudStandIn()
    let transport = try service.transport(standIn) { settings in
      settings.secrets["client-secret"] = SecretValue(utf8: "wrong")
      settings.secrets["refresh-token"] = SecretValue(utf8: "wrong")
    }
    let error = #expect(throws: TransportError.self) { try transport.listBackups() }
    #expect(error?.code == (service == .googleDrive ? .badSettings : .unauthorized))
    #expect(error?.description.contains("wrong") == false)
  }

  @Test(arguments: CloudService.allCases)
  func aPlaceThatHasNoTimeIsAskedAgain(service: CloudService) throws {
    let standIn = try CloudStandIn()
    let time = NoTime()
    let transport = try service.transport(standIn, time: time)
    try standIn.script(service.listing, 429, headers: #"{"Retry-After":"7"}"#)
    try standIn.script(service.listing, 503, "<html>")
    try standIn.script(service.listing, 500)
    #expect(try transport.listBackups().isEmpty)
    #expect(time.waited == [7000, 1000, 2000])
    // Longer than anybody waits: the answer stands.
    try standIn.script(service.listing, 429, headers: #"{"Retry-After":"3600"}"#)
    #expect(throws: TransportError(.busy, place: "")) { try transport.listBackups() }
  }

  @Test(arguments: CloudService.allCases)
  func aPageForPeopleIsNoListingAndNoFile(service: CloudService) throws {
    let standIn = try CloudStandIn()
    let transport = try service.transport(standIn)
    let stored = try transport.upload(Self.content, name: "x")
    for page in [
      "<html>Welcome</html>", "{}", "[]", "", #"{"files":{},"entries":{}}"#, #"{"files":[{}],"entries":[{}]}"#,
    ] {
      try standIn.script(service.listing, 200, page, headers: #"{"Content-Type":"text/html"}"#)
      #expect(throws: TransportError(.badAnswer, place: ""), "\(page)") { try transport.listBackups() }
    }
    try standIn.script(service.download, 200, "<html>Welcome</html>", headers: #"{"Content-Type":"text/html"}"#)
    #expect(throws: TransportError(.badAnswer, place: "")) { try transport.download(id: stored.id, limit: 100) }
    try standIn.script(service.listing, 302, headers: #"{"Location":"http://127.0.0.1:1/"}"#)
    #expect(throws: TransportError(.redirected, place: "")) { try transport.listBackups() }
  }

  @Test(arguments: CloudService.allCases)
  func aPlaceThatStoresOtherBytesIsFoundOut(service: CloudService) throws {
    let standIn = try CloudStandIn()
    let transport = try service.transport(standIn)
    try standIn.control(#"{"set":{"hash":"wrong"}}"#)
    #expect(throws: TransportError(.incomplete, place: "")) { try transport.upload(Self.content, name: "x") }
    try standIn.control(#"{"set":{"hash":"right"}}"#)
    #expect(try transport.listBackups().isEmpty)
    try standIn.control(#"{"set":{"full":true}}"#)
    let error = #expect(throws: TransportError.self) { try transport.upload(Self.content, name: "x") }
    #expect(error?.code == .full)
    #expect(error?.description.contains("secret words") == false)
  }

  @Test(arguments: CloudService.allCases)
  func anUploadWhoseAnswerGotLostIsLookedInto(service: CloudService) throws {
    let standIn = try CloudStandIn()
    let transport = try service.transport(standIn)
    try standIn.script(service.upload, 0, isDone: true)
    let stored = try transport.upload(Self.content, name: "x")
    #expect(try transport.listBackups() == [BackupDescriptor(id: stored.id, name: "x", byteCount: 7)])
    let removal = service == .googleDrive ? "DELETE /drive/v3/files/" : "POST /2/files/delete_v2"
    try standIn.script(removal, 0, isDone: true)
    try transport.delete(id: stored.id)
    #expect(try transport.listBackups().isEmpty)
    // Lost before it was done: it isn't said to be done.
    _ = try transport.upload(Self.content, name: "y")
    try standIn.script(removal, 0)
    #expect(throws: TransportError(.unavailable, place: "")) {
      try transport.delete(id: try transport.listBackups()[0].id)
    }
    #expect(try transport.listBackups().count == 1)
  }

  @Test(arguments: CloudService.allCases)
  func aPermissionForLessIsSaid(service: CloudService) throws {
    let standIn = try CloudStandIn()
    try standIn.control(#"{"set":{"scope":"account_info.read"}}"#)
    let error = #expect(throws: TransportError.self) { try service.transport(standIn).listBackups() }
    #expect(error?.code == .noPermission)
  }

  @Test(arguments: CloudService.allCases)
  func aServerThatIsGoneIsUnavailable(service: CloudService) throws {
    let standIn = try CloudStandIn()
    let transport = try service.transport(standIn)
    #expect(transport.isAvailable())
    standIn.end()
    #expect(!transport.isAvailable())
    #expect(throws: TransportError(.unavailable, place: "")) { try transport.listBackups() }
  }

  @Test(arguments: CloudService.allCases)
  func settingsThatCannotBeUsedAreNamed(service: CloudService) throws {
    let standIn = try CloudStandIn()
    let cases = [
      ("api", "http://cloud.example", "https"), ("api", "https://cloud.example/path", "nothing stands behind"),
      ("api", "cloud.example", "api"), ("accounts", "", "accounts"), ("ca-file", "relative.pem", "ca-file"),
      (service == .googleDrive ? "client-id" : "app-key", "", "characters"), ("account", "a b", "account"),
    ]
    for (field, value, words) in cases {
      let error = #expect(throws: TransportError.self) {
        try service.transport(standIn) { $0.values[field] = value }
      }
      #expect(error?.code == .badSettings)
      #expect(error?.reason.contains(words) == true, "\(field): \(error?.reason ?? "")")
    }
    let registry = TransportRegistry(NetworkTransports.kinds)
    let bare = TransportSettings(
      name: "x", kind: service.settings(standIn).kind, values: ["client-id": "c", "app-key": "a"])
    #expect(throws: TransportError(.unauthorized, place: "")) { try registry.transport(bare).listBackups() }
  }
}
