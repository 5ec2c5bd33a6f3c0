import FoundationEssentials
import Glibc
import SeifBackups
import SeifBytes
import Synchronization
import Testing

@testable import SeifTransports

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

  @Test(arguments: ["", ".", "..", "../x", "a/b", "/etc/passwd", ".seif-0.part", "a\u{0}b", "a\nb"])
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

  @Test(arguments: [true, false])
  func tryingOutLeavesNothing(allowsUnnamed: Bool) throws {
    var transport = transport
    transport.allowsUnnamed = allowsUnnamed
    try transport.checkWriting()
    try FileTransport(path: folder.path + "/b")?.checkWriting()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  /// Even root can't make a file there.
  @Test(arguments: ["/proc", "/proc/self", "/sys"])
  func whereTheKernelMakesUpTheFilesThereIsNoPlaceForOne(path: String) {
    for transport in [FolderTransport(path: path), FileTransport(path: path + "/b")] as [(any BackupTransport)?] {
      do throws(TransportError) {
        try transport?.checkWriting()
        Issue.record("a file could be made in \(path)")
      } catch {
        #expect([.failed, .noPermission, .readOnly].contains(error.code), "\(error)")
      }
    }
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

  @Test func aNameMayBeginWithADot() throws {
    let stored = try transport.upload(SecretValue(utf8: "x"), name: ".hidden.authbackup")
    #expect(try transport.listBackups().map(\.name) == [".hidden.authbackup"])
    #expect(try transport.download(id: stored.id, limit: 9) == SecretValue(utf8: "x"))
    try transport.delete(id: stored.id)
    let single = try #require(FileTransport(path: folder.path + "/.one"))
    _ = try single.upload(SecretValue(utf8: "y"), name: "")
    #expect(try single.listBackups().map(\.name) == [".one"])
  }

  @Test(arguments: ["", "/", "//"])
  func aPathIsSaidAsAPersonWritesIt(slashes: String) throws {
    let failure = try #require(throws: TransportError.self) {
      try FolderTransport(path: folder.path + (slashes.isEmpty ? "" : "/")).download(id: "one", limit: 1)
    }
    #expect(failure.place == folder.path + "/one")
    let single = try #require(FileTransport(path: folder.path + "/" + slashes + "two"))
    let other = try #require(throws: TransportError.self) { try single.download(id: "two", limit: 1) }
    #expect(other.place == folder.path + "/two")
  }

  @Test func whatIsNoRegularFileIsNoPlaceForOne() throws {
    let path = folder.appending(path: "sub").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let single = try #require(FileTransport(path: path))
    #expect(throws: TransportError(.failed, place: "")) { try single.listBackups() }
    let nowhere = try #require(FileTransport(path: path + "/none/one"))
    #expect(throws: TransportError(.notFound, place: "")) { try nowhere.listBackups() }
  }

  // MARK: - File systems without nameless files

  private func withNames(undo: @escaping UndoOnInterrupt = { _ in {} }) -> FolderTransport {
    var transport = FolderTransport(path: folder.path, undo: undo)
    transport.allowsUnnamed = false
    return transport
  }

  private func contents() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  @Test func withATemporaryNameAFileIsWholeAndPrivateAndNeverOverAnother() throws {
    let transport = withNames()
    let longest = String(repeating: "n", count: 255)
    _ = try transport.upload(SecretValue(utf8: "first"), name: longest)
    #expect(throws: TransportError(.exists, place: "")) {
      try transport.upload(SecretValue(utf8: "second"), name: longest)
    }
    #expect(try transport.download(id: longest, limit: 100) == SecretValue(utf8: "first"))
    #expect(try contents() == [longest])
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.appending(path: longest).path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test func whatAKilledProgramLeftGoesAfterADay() throws {
    for (name, age) in [
      (".seif-1a2b.part", 90_000.0), (".seif-1a2c.part", 3600), ("old.part", 90_000), (".seif-A.part", 90_000),
      (".seif-.part", 90_000),
    ] {
      let path = folder.appending(path: name).path
      try Data("half".utf8).write(to: URL(filePath: path))
      try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: path)
    }
    #expect(try transport.listBackups().map(\.name).sorted() == [".seif-.part", ".seif-A.part", "old.part"])
    _ = try withNames().upload(SecretValue(utf8: "x"), name: "b")
    #expect(try contents() == [".seif-.part", ".seif-1a2c.part", ".seif-A.part", "b", "old.part"])
  }

  @Test func anInterruptionTakesTheTemporaryFileAway() throws {
    let calls = Mutex<[String]>([])
    let transport = withNames { undo in
      calls.withLock { $0.append("begun") }
      return {
        undo()
        calls.withLock { $0.append("ended") }
      }
    }
    _ = try transport.upload(SecretValue(utf8: "x"), name: "b")
    #expect(calls.withLock { $0 } == ["begun", "ended"])
    #expect(try contents() == ["b"])
    #expect(throws: TransportError.self) { try transport.upload(SecretValue(utf8: "x"), name: "b") }
    #expect(calls.withLock { $0 } == ["begun", "ended", "begun", "ended"])
  }

  @Test func aFolderThatCantBeSyncedIsNoFailure() throws {
    // The kernel's own folder answers EINVAL, as some network file systems do.
    let kernel = open("/proc", O_RDONLY | O_DIRECTORY)
    defer { close(kernel) }
    try #require(kernel >= 0 && fsync(kernel) != 0 && errno == EINVAL)
    try DurableFile.sync(folder: kernel, place: "/proc")
    #expect(throws: TransportError.self) { try DurableFile.sync(folder: -1, place: "none") }
  }
}
