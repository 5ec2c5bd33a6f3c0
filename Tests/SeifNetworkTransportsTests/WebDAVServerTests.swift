import FoundationEssentials
import Glibc
import SeifBackups
import SeifBytes
import SeifHTTP
import SeifTestSupport
import SeifTransportTesting
import Synchronization
import Testing

@testable import SeifNetworkTransports

/// What servers do beyond the rules of all transports.
@Suite struct WebDAVServerTests {
  private let content = SecretValue(utf8: "0123456789")
  private let who = HTTPAuthentication.password(user: ApacheDAV.user, SecretValue(utf8: ApacheDAV.password))

  @Test func aLockedNameIsRefusedAndItsFileStays() throws {
    let server = try ApacheDAV(.basic)
    let transport = try webDAV(server, server.url)
    let client = CurlClient(CurlSettings(userAgent: "test"))
    let lock = """
      <lockinfo xmlns="DAV:"><lockscope><exclusive/></lockscope><locktype><write/></locktype></lockinfo>
      """
    _ = try transport.upload(content, name: "held")
    for name in ["held", "free"] {
      let answer = try client.send(
        HTTPRequest("LOCK", server.url + name, body: SecretValue(utf8: lock), authentication: who))
      #expect([200, 201].contains(answer.status))
      let refused = refusal { () throws(TransportError) in _ = try transport.upload(.empty, name: name) }
      #expect(refused?.code == .locked || (name == "held" && refused?.code == .exists))
    }
    let deleted = refusal { () throws(TransportError) in try transport.delete(id: "held") }
    #expect(deleted?.code == .locked)
    #expect(try transport.listBackups().filter { $0.name != "free" }.map(\.byteCount) == [content.byteCount])
    #expect(try transport.download(id: "held", limit: 100) == content)
  }

  @Test func ofTwoWritersAtOnceOneIsToldSo() throws {
    let server = try ApacheDAV(.basic)
    let transport = try webDAV(server, server.url)
    for round in 0..<150 {
      let told = Told()
      for byteCount in [70_000, 80_000] {
        SideThread {
          let content = SecretValue([UInt8](repeating: 1, count: byteCount))
          let refusal = refusal { () throws(TransportError) in
            _ = try transport.upload(content, name: "pair-\(round)")
          }
          told.add(byteCount, refusal?.code)
        }.start()
      }
      let answers = told.wait(for: 2)
      let stored = answers.filter { $0.code == nil }
      #expect(stored.count == 1, "round \(round)")
      #expect(answers.contains { $0.code == .exists })
      let listed = try transport.listBackups()
      #expect(listed.map(\.byteCount) == stored.map(\.byteCount))
      try transport.delete(id: "pair-\(round)")
    }
  }

  @Test func aFileThatIsTooLargeForTheServerIsSaidToBe() throws {
    let server = try ApacheDAV(.basic, extra: "LimitRequestBody 1000")
    let transport = try webDAV(server, server.url)
    for size in [1001, 3_000_000] {
      let refused = refusal { () throws(TransportError) in
        _ = try transport.upload(SecretValue([UInt8](repeating: 1, count: size)), name: "large")
      }
      #expect(refused?.code == .tooLarge)
    }
    #expect(try transport.listBackups().isEmpty)
  }

  @Test func wrongCredentialsAreSaidToBeWrong() throws {
    for authentication in [ApacheDAV.Authentication.basic, .digest] {
      let server = try ApacheDAV(authentication)
      for (user, password) in [(ApacheDAV.user, "geheimes Wort"), ("nobody", ApacheDAV.password), ("", "")] {
        let transport = try webDAV(server.url, user: user, password: password)
        let refused = refusal { () throws(TransportError) in _ = try transport.listBackups() }
        #expect(refused?.code == .unauthorized)
        #expect(refused?.description.contains("geheim") == false)
      }
    }
  }

  @Test func aFolderThatLeadsElsewhereOnTheServerIsUsedThere() throws {
    let server = try ApacheDAV(.basic)
    let transport = try webDAV(server, server.origin + "/moved")
    let stored = try transport.upload(content, name: "a")
    #expect(try transport.download(id: stored.id, limit: 10) == content)
    #expect(FileManager.default.fileExists(atPath: server.files.appending(path: "a").path))
  }

  @Test func aFileIsNoFolder() throws {
    let server = try ApacheDAV(.basic)
    _ = try webDAV(server, server.url).upload(content, name: "file")
    let transport = try webDAV(server, server.url + "file")
    #expect(throws: TransportError(.notAFolder, place: "")) { try transport.listBackups() }
    #expect(throws: TransportError(.notAFolder, place: "")) { try transport.checkWriting() }
    #expect(!transport.isAvailable())
  }

  @Test func aServerOfAPrivateAuthorityIsUsedByItsFile() throws {
    let certificates = try ApacheCertificates()
    let file = FileManager.default.temporaryDirectory.appending(path: "seif-ca-\(UInt64.random(in: 0 ... .max)).pem")
    try Data(certificates.authority.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    for (certificate, isGood) in [
      (certificates.good, true), (certificates.otherName, false), (certificates.expired, false),
    ] {
      let server = try ApacheDAV(.digest, certificate: certificate)
      for caFile in [file.path, ""] {
        let transport = try TransportRegistry(NetworkTransports.kinds).transport(
          TransportSettings(
            name: "n", kind: "webdav", values: ["url": server.url, "user": ApacheDAV.user, "ca-file": caFile],
            secrets: ["password": SecretValue(utf8: ApacheDAV.password)], createsConditionally: true))
        let refused = refusal { () throws(TransportError) in
          let stored = try transport.upload(content, name: "a")
          try transport.delete(id: stored.id)
        }
        #expect(refused?.code == (isGood && !caFile.isEmpty ? nil : .certificate))
      }
    }
  }

  @Test func seifSaysWhichSeifItIs() throws {
    let source = TestData.packageRoot.appending(path: "Sources/SeifCommandLine/Process/Version.swift")
    let text = try String(contentsOf: source, encoding: .utf8)
    let number = try #require(text.split(separator: "static let number = \"").last?.prefix { $0 != "\"" })
    #expect(NetworkClient.userAgent == "seif/\(number)")
  }
}

/// What writers were told.
private final class Told: Sendable {
  private let answers = Mutex<[(byteCount: Int, code: TransportError.Code?)]>([])
  func add(_ byteCount: Int, _ code: TransportError.Code?) { answers.withLock { $0.append((byteCount, code)) } }
  func wait(for count: Int) -> [(byteCount: Int, code: TransportError.Code?)] {
    while answers.withLock({ $0.count }) < count { usleep(500) }
    return answers.withLock { $0 }
  }
}
