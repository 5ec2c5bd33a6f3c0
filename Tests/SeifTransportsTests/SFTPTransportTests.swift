import FoundationEssentials
import Glibc
import SeifBackups
import SeifBytes
import SeifTestSupport
import SeifTransportTesting
import Testing

@testable import SeifTransports

/// Against a real sshd.
@Suite struct SFTPTransportTests {
  private let server: SSHServer
  private let transport: SFTPTransport

  init() throws {
    server = try SSHServer()
    transport = try Self.transport(server)
  }

  private static func transport(_ server: SSHServer, folder: String? = nil) throws -> SFTPTransport {
    try SFTPTransport(
      SSHCommand(host: SSHServer.host, configFile: server.configFile), folder: folder ?? server.backups,
      createsConditionally: true)
  }

  private func contents() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: server.backups).sorted()
  }

  @Test(arguments: TransportConformance.checks(.full)) func itDoesWhatEveryTransportDoes(
    check: TransportConformance.Check
  )
    throws
  {
    try check.run(transport)
    #expect(try contents().isEmpty)
  }

  @Test func aFileIsItsOwnersAlone() throws {
    _ = try transport.upload(SecretValue(utf8: "x"), name: "b")
    let attributes = try FileManager.default.attributesOfItem(atPath: server.backups + "/b")
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test func aFolderThatIsntThereIsMissingAndAFileIsNone() throws {
    let missing = try Self.transport(server, folder: server.backups + "/none")
    #expect(!missing.isAvailable())
    #expect(throws: TransportError(.notFound, place: "")) { try missing.listBackups() }
    #expect(throws: TransportError(.notFound, place: "")) { try missing.upload(SecretValue(utf8: "x"), name: "b") }
    #expect(throws: TransportError(.notFound, place: "")) { try missing.checkWriting() }
    _ = try transport.upload(SecretValue(utf8: "x"), name: "file")
    let file = try Self.transport(server, folder: server.backups + "/file")
    #expect(!file.isAvailable())
    #expect(throws: TransportError(.notAFolder, place: "")) { try file.listBackups() }
  }

  @Test func linksAreNeitherListedNorFollowed() throws {
    let outside = server.backups + "-outside"
    try Data("outside".utf8).write(to: URL(filePath: outside))
    #expect(symlink(outside, server.backups + "/link") == 0)
    #expect(try transport.listBackups().isEmpty)
    #expect(throws: TransportError(.failed, place: "")) { try transport.download(id: "link", limit: 100) }
    #expect(throws: TransportError(.exists, place: "")) { try transport.upload(SecretValue(utf8: "x"), name: "link") }
    #expect(try String(contentsOfFile: outside, encoding: .utf8) == "outside")
  }

  @Test func whatAKilledProgramLeftGoesAfterADay() throws {
    for (name, age) in [(".seif-1a2b.part", 90_000.0), (".seif-1a2c.part", 3600), ("old.part", 90_000)] {
      let path = "\(server.backups)/\(name)"
      try Data("half".utf8).write(to: URL(filePath: path))
      try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: path)
    }
    #expect(try transport.listBackups().map(\.name) == ["old.part"])
    _ = try transport.upload(SecretValue(utf8: "x"), name: "b")
    #expect(try contents() == [".seif-1a2c.part", "b", "old.part"])
  }

  // MARK: - Connections

  @Test func aConnectionThatWasCutMeanwhileIsMadeAgain() throws {
    _ = try transport.upload(SecretValue(utf8: "x"), name: "b")
    #expect(server.cut() == 1)
    // The end of a process takes a moment to be heard of through a socket.
    usleep(300_000)
    #expect(try transport.download(id: "b", limit: 10) == SecretValue(utf8: "x"))
  }

  @Test func aCutInTheMiddleLeavesNoFileUnderTheName() throws {
    let content = SecretValue(byteCount: 100 << 20) { _ in }
    let done = Answer<TransportError>()
    let transport = transport
    SideThread { done.set(refusal { () throws(TransportError) in _ = try transport.upload(content, name: "b") }) }
      .start()
    while try contents().isEmpty, !done.isSet { usleep(1_000) }
    server.cut()
    while !done.isSet { usleep(1_000) }
    #expect(done.value == TransportError(.incomplete, place: ""))
    #expect(try transport.listBackups().isEmpty)
    #expect(try contents().allSatisfy(TemporaryName.matches))
  }

  @Test func aServerThatIsGoneCantBeReached() throws {
    server.end()
    let failure = try #require(throws: TransportError.self) { try transport.listBackups() }
    #expect(failure.code == .unavailable)
    #expect(failure.reason.contains("Connection refused"))
    #expect(!transport.isAvailable())
  }

  // MARK: - Who is who

  @Test(arguments: [(SSHServer.KnownKey.none, "isn't known"), (.wrong, "has changed")])
  func aHostKeyThatSshRefusesSaysWhatToDo(known: SSHServer.KnownKey, words: String) throws {
    let server = try SSHServer(knownKey: known)
    let failure = try #require(throws: TransportError.self) { try Self.transport(server).listBackups() }
    #expect(failure.code == .certificate)
    #expect(failure.reason.contains(words))
  }

  @Test func aKeyThatTheServerDoesntKnowIsRefused() throws {
    let server = try SSHServer(isAllowed: false)
    #expect(throws: TransportError(.unauthorized, place: "")) { try Self.transport(server).listBackups() }
  }

  @Test func aPlaceThatMayOnlyBeReadSaysSo() throws {
    let server = try SSHServer(subsystem: "internal-sftp -R")
    let transport = try Self.transport(server)
    #expect(transport.isAvailable())
    #expect(throws: TransportError(.noPermission, place: "")) { try transport.checkWriting() }
    #expect(throws: TransportError(.noPermission, place: "")) {
      try transport.upload(SecretValue(utf8: "x"), name: "b")
    }
    #expect(try transport.listBackups().isEmpty)
  }

  @Test func aServerWithoutSftpSaysSo() throws {
    let server = try SSHServer(subsystem: "/bin/false")
    let failure = try #require(throws: TransportError.self) { try Self.transport(server).listBackups() }
    #expect([.unavailable, .failed].contains(failure.code))
  }
}

/// What a call was refused with, nil: it wasn't.
func refusal(_ body: () throws(TransportError) -> Void) -> TransportError? {
  do throws(TransportError) {
    try body()
    return nil
  } catch {
    return error
  }
}
