import FoundationEssentials
import Glibc
import SeifBackups
import SeifBytes
import Testing

@testable import SeifTransports

@Suite struct ICloudTransportTests {
  private let programs = ProgramFolder()
  private let base: String
  private let backups: String

  init() {
    base = programs.folder("cloud")
    _ = programs.folder("cloud/Documents")
    backups = base + "/Documents/TwoFacBackups"
  }

  private func transport(hook: String = "", wait: Int = 0) throws -> ICloudTransport {
    try ICloudTransport(path: base, hook: hook, wait: wait)
  }

  private func write(_ name: String, _ text: String = "content") throws {
    mkdir(backups, 0o700)
    try Data(text.utf8).write(to: URL(filePath: "\(backups)/\(name)"))
  }

  private func contents() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: backups).sorted()
  }

  @Test(arguments: TransportConformance.checks(.full))
  func itDoesWhatEveryTransportDoes(check: TransportConformance.Check) throws {
    try check.run(transport())
  }

  @Test func theFolderIsMadeWhereDocumentsIsAndOnlyToStore() throws {
    #expect(try transport().isAvailable())
    #expect(try transport().listBackups().isEmpty)
    #expect(access(backups, F_OK) != 0)
    _ = try transport().upload(SecretValue(utf8: "x"), name: "b")
    #expect(try contents() == ["b"])
    let elsewhere = try ICloudTransport(path: programs.folder("none"))
    #expect(!elsewhere.isAvailable())
    #expect(throws: TransportError(.notFound, place: "")) { try elsewhere.listBackups() }
    #expect(throws: TransportError(.notFound, place: "")) {
      try elsewhere.upload(SecretValue(utf8: "x"), name: "b")
    }
  }

  @Test(arguments: ["", "/", "/Documents/TwoFacBackups", "/Documents/TwoFacBackups/"])
  func thePathMayBeTheCloudsOrTheBackups(end: String) throws {
    #expect(try ICloudTransport(path: base + end).path == backups)
  }

  // MARK: - Files that aren't here

  @Test func aPlaceholderIsListedUnderTheFilesNameAndNotGivenOut() throws {
    try write(".b.json.icloud", "bplist")
    #expect(try transport().listBackups() == [BackupDescriptor(id: "b.json", name: "b.json", byteCount: nil)])
    #expect(throws: TransportError(.notDownloaded, place: "")) { try transport().download(id: "b.json", limit: 100) }
    #expect(throws: TransportError(.notFound, place: "")) { try transport().download(id: "c.json", limit: 100) }
    #expect(throws: TransportError(.notFound, place: "")) {
      try transport().download(id: ".b.json.icloud", limit: 100)
    }
  }

  @Test func aFileWithAPlaceholderBesideItIsListedOnce() throws {
    try write("b")
    try write(".b.icloud", "bplist")
    #expect(try transport().listBackups() == [BackupDescriptor(id: "b", name: "b", byteCount: 7)])
    #expect(try transport().download(id: "b", limit: 100) == SecretValue(utf8: "content"))
  }

  @Test func aNameWhoseFileIsInTheCloudAloneIsTaken() throws {
    try write(".b.icloud", "bplist")
    #expect(throws: TransportError(.exists, place: "")) { try transport().upload(SecretValue(utf8: "x"), name: "b") }
    #expect(try contents() == [".b.icloud"])
    #expect(throws: TransportError(.notFound, place: "")) {
      try transport().upload(SecretValue(utf8: "x"), name: ".c.icloud")
    }
  }

  @Test func deletingAFileDeletesWhatStandsForIt() throws {
    try write(".a.icloud", "bplist")
    try write("b")
    try write(".b.icloud", "bplist")
    try transport().delete(id: "a")
    try transport().delete(id: "b")
    #expect(try contents().isEmpty)
    #expect(throws: TransportError(.notFound, place: "")) { try transport().delete(id: "a") }
  }

  @Test func aHookHasAFileFetched() throws {
    try write(".b c.icloud", "bplist")
    // It answers at once; the file comes later.
    let hook = try programs.add("hook", "#!/bin/sh\nprintf '%s|' \"$@\" >\"$0.words\"\n(sleep 0.3; echo x >\"$2\") &\n")
    let content = try transport(hook: hook + "  fetch ", wait: 20).download(id: "b c", limit: 100)
    #expect(content == SecretValue(utf8: "x\n"))
    #expect(programs.read("hook.words") == "fetch|\(backups)/b c|")
  }

  @Test(arguments: [
    ("echo 'no cloud' >&2; exit 3", "no cloud"), ("exit 3", "the hook's exit status is 3"),
    ("sleep 60", "the hook took too long"),
  ])
  func aHookThatFailsSaysWhy(body: String, reason: String) throws {
    try write(".b.icloud", "bplist")
    let hook = try programs.add("hook", "#!/bin/sh\n\(body)\n")
    let failure = try #require(throws: TransportError.self) {
      try transport(hook: hook, wait: 1).download(id: "b", limit: 100)
    }
    #expect(failure.code == .notDownloaded)
    #expect(failure.reason == reason)
  }

  // MARK: - Conflicts

  @Test func aConflictCopyIsAFileOfItsOwn() throws {
    let copies = ["b 2.json", "b (conflicted copy 2026-09-10).json"]
    for name in copies { try write(name, name) }
    try write(".b 3.json.icloud", "bplist")
    #expect(try transport().listBackups().map(\.name).sorted() == (copies + ["b 3.json"]).sorted())
    #expect(throws: TransportError(.notFound, place: "")) { try transport().download(id: "b.json", limit: 100) }
    _ = try transport().upload(SecretValue(utf8: "original"), name: "b.json")
    #expect(try transport().download(id: "b.json", limit: 100) == SecretValue(utf8: "original"))
    #expect(try transport().download(id: "b 2.json", limit: 100) == SecretValue(utf8: "b 2.json"))
  }

  @Test(arguments: [
    ["path": "relative"], ["path": ""], ["hook": "hook"], ["hook": "-x"], ["wait": "-1"], ["wait": "x"],
    ["wait": "3601"],
  ])
  func settingsThatCantBeUsedAreRefused(fields: [String: String]) {
    let settings = TransportSettings(name: "place", kind: "icloud", values: ["path": base].merging(fields) { $1 })
    #expect(throws: TransportError(.badSettings, place: "")) {
      try TransportRegistry(LocalTransports.kinds).transport(settings)
    }
  }
}
