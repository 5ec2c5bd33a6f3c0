import FoundationEssentials
import SeifBackups
import SeifBytes
import SeifTransports
import Testing

@Suite struct FolderTransportTests {
  private let folder: URL
  private let transport: FolderTransport

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "seif-folder-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    transport = FolderTransport(path: folder.path)
  }

  @Test(arguments: [0, 1, 4096, 1 << 20])
  func bytesComeBackAsTheyWent(count: Int) throws {
    let content = SecretValue((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let stored = try transport.upload(content, name: "b-\(count).authbackup")
    #expect(stored.byteCount == count)
    #expect(try transport.download(id: stored.id, limit: 1 << 21) == content)
  }

  @Test func aNameThatIsTakenIsRefusedAndTheFileStays() throws {
    _ = try transport.upload(SecretValue(utf8: "first"), name: "b")
    #expect(throws: TransportError(.exists, place: "")) { try transport.upload(SecretValue(utf8: "second"), name: "b") }
    #expect(try transport.download(id: "b", limit: 100) == SecretValue(utf8: "first"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["b"])
  }

  @Test func filesAreReadableToTheirOwnerAlone() throws {
    _ = try transport.upload(SecretValue(utf8: "x"), name: "b")
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.appending(path: "b").path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test(arguments: ["", ".", "..", "../x", "a/b", "/etc/passwd", ".hidden", "a\u{0}b", "a\nb"])
  func namesThatLeaveTheFolderAreNoNames(name: String) {
    #expect(throws: TransportError(.notFound, place: "")) { try transport.download(id: name, limit: 10) }
    #expect(throws: TransportError(.notFound, place: "")) { try transport.delete(id: name) }
    #expect(throws: TransportError(.notFound, place: "")) { try transport.upload(.empty, name: name) }
  }

  @Test func linksAreNeitherListedNorFollowed() throws {
    let secret = folder.deletingLastPathComponent().appending(path: "seif-outside-\(UUID())")
    try Data("outside".utf8).write(to: secret)
    try FileManager.default.createSymbolicLink(at: folder.appending(path: "link"), withDestinationURL: secret)
    #expect(try transport.listBackups().isEmpty)
    #expect(throws: TransportError.self) { try transport.download(id: "link", limit: 100) }
  }

  @Test func deletingTheMissingIsSaid() {
    #expect(throws: TransportError(.notFound, place: "")) { try transport.delete(id: "nothing") }
  }

  @Test func aFileAboveTheLimitIsRefused() throws {
    _ = try transport.upload(SecretValue([1, 2, 3]), name: "b")
    #expect(throws: TransportError(.tooLarge, place: "")) { try transport.download(id: "b", limit: 2) }
    #expect(try transport.download(id: "b", limit: 3).byteCount == 3)
  }

  @Test func aFolderThatIsntThereIsNotAvailable() {
    let missing = FolderTransport(path: folder.appending(path: "missing").path)
    #expect(!missing.isAvailable())
    #expect(throws: TransportError(.notFound, place: "")) { try missing.listBackups() }
  }

  @Test func aFileTransportHoldsOneFile() throws {
    let single = try #require(FileTransport(path: folder.appending(path: "one.authbackup").path))
    _ = try transport.upload(SecretValue(utf8: "other"), name: "other")
    let stored = try single.upload(SecretValue(utf8: "mine"), name: "ignored")
    #expect(stored.name == "one.authbackup")
    #expect(try single.listBackups().map(\.name) == ["one.authbackup"])
    #expect(throws: TransportError(.exists, place: "")) { try single.upload(.empty, name: "again") }
  }

  @Test(arguments: ["", "/", "a/", ".", "..", "a/.."])
  func aPathWithoutANameIsNoFile(path: String) {
    #expect(FileTransport(path: path) == nil)
  }
}
