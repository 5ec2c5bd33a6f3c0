import FoundationEssentials
import Glibc
import SeifBackups
import SeifBytes
import Testing

@testable import SeifTransports

/// Against programs in the place of `ssh`: servers that break the protocol, and the real sftp-server on odd places.
@Suite struct SFTPHostileTests {
  private let programs = ProgramFolder()
  private static let server = "/usr/lib/openssh/sftp-server"

  private func transport(
    _ ssh: String, folder: String? = nil, patience: Int64 = 20_000
  ) throws -> SFTPTransport {
    _ = try programs.add("ssh", ssh)
    return try SFTPTransport(
      SSHCommand(host: "host", searchPath: programs.path, patience: patience),
      folder: folder ?? programs.folder("backups"), createsConditionally: true)
  }

  // MARK: - Servers that lie

  private func standIn(_ fault: String, patience: Int64 = 20_000) throws -> SFTPTransport {
    try transport(SFTPStandIn.script(fault), patience: patience)
  }

  @Test(arguments: ["none", "short"]) func bytesComeWholeInWhateverPieces(fault: String) throws {
    let transport = try standIn(fault)
    let content = SecretValue((0..<100_000).map { UInt8($0 % 250) })
    #expect(try transport.download(id: "b", limit: 100_000) == content)
    #expect(try transport.listBackups() == [BackupDescriptor(id: "b", name: "b", byteCount: 100_000)])
    #expect(throws: TransportError(.tooLarge, place: "")) { try transport.download(id: "b", limit: 99_999) }
    #expect(throws: TransportError(.notFound, place: "")) { try transport.download(id: "c", limit: 10) }
  }

  @Test(
    arguments: [
      ("text", .badAnswer), ("version", .badAnswer), ("huge", .badAnswer), ("identifier", .badAnswer),
      ("unasked", .badAnswer), ("no size", .badAnswer), ("vast", .tooLarge), ("wrong answer", .badAnswer),
      ("ok for a handle", .badAnswer), ("more", .badAnswer), ("nothing", .badAnswer), ("ends early", .incomplete),
      ("fails", .failed), ("cut", .incomplete),
    ] as [(String, TransportError.Code)])
  func aDownloadFromAServerThatBreaksTheProtocolFailsWithItsCode(fault: String, code: TransportError.Code) throws {
    let transport = try standIn(fault)
    #expect(throws: TransportError(code, place: "")) { try transport.download(id: "b", limit: 1 << 20) }
  }

  @Test(arguments: ["endless", "empty names", "leads elsewhere"])
  func aListingThatBreaksTheProtocolIsNone(fault: String) throws {
    let transport = try standIn(fault)
    #expect(throws: TransportError(.badAnswer, place: "")) { try transport.listBackups() }
  }

  @Test(arguments: ["silent", "hangs"]) func aServerThatSaysNothingIsntWaitedForForever(fault: String) throws {
    let transport = try standIn(fault, patience: 700)
    #expect(throws: TransportError(.timedOut, place: "")) { try transport.listBackups() }
  }

  @Test func wordsOfAServerAreCleaned() throws {
    let transport = try standIn("escape")
    let failure = try #require(throws: TransportError.self) { try transport.listBackups() }
    #expect(failure.code == .failed)
    #expect(failure.reason == "the server says: bad\u{FFFD}[31m\u{FFFD}fake")
  }

  @Test func aServerThatEndsAtOnceCantBeReached() throws {
    let transport = try transport("#!/bin/sh\nprintf 'first\\nit is\\033 over\\n' >&2\nexit 255\n")
    let failure = try #require(throws: TransportError.self) { try transport.listBackups() }
    #expect(failure.code == .unavailable)
    #expect(failure.reason == "it is\u{FFFD} over")
  }

  // MARK: - Servers that can do less

  @Test(arguments: TransportConformance.checks(.short))
  func withoutExtensionsItDoesWhatEveryTransportDoes(check: TransportConformance.Check) throws {
    let transport = try transport("#!/bin/sh\nexec \(Self.server) -P hardlink,fsync,statvfs\n")
    try check.run(transport)
    #expect(try FileManager.default.contentsOfDirectory(atPath: programs.folder("backups")).isEmpty)
  }

  @Test func aFolderMayBeginWhereTheLoginDoes() throws {
    let home = programs.folder("home")
    _ = programs.folder("home/there")
    let transport = try transport("#!/bin/sh\nexec \(Self.server) -d \(home)\n", folder: "there")
    _ = try transport.upload(SecretValue(utf8: "x"), name: "b")
    #expect(programs.read("home/there/b") == "x")
  }

  @Test func aFullDiskSaysSoAndKeepsNothing() throws {
    let folder = programs.folder("small")
    let transport = try transport(
      """
      #!/bin/sh
      exec unshare -rm sh -c 'mount -t tmpfs -o size=1m none "\(folder)" && exec \(Self.server)'

      """, folder: folder)
    let before = try transport.upload(SecretValue(byteCount: 300_000) { _ in }, name: "first")
    #expect(throws: TransportError(.full, place: "")) {
      try transport.upload(SecretValue(byteCount: 3_000_000) { _ in }, name: "second")
    }
    #expect(try transport.listBackups() == [before])
    // What was half there is gone: it fits again.
    _ = try transport.upload(SecretValue(byteCount: 500_000) { _ in }, name: "third")
  }

  // MARK: - ssh

  @Test func oneConnectionServesManyCallsAndEndsWithTheTransport() throws {
    let ssh = "#!/bin/sh\necho $$ >>\"${0%/*}/starts\"\nexec \(Self.server)\n"
    var transport: SFTPTransport? = try transport(ssh)
    for index in 0..<5 { _ = try transport?.upload(SecretValue(utf8: "x"), name: "b-\(index)") }
    #expect(try transport?.listBackups().count == 5)
    let starts = programs.read("starts").split(separator: "\n").compactMap { pid_t($0) }
    #expect(starts.count == 1)
    #expect(starts.allSatisfy(isAlive))
    transport = nil
    #expect(!starts.contains(where: isAlive))
  }

  @Test func withoutSshThereIsNoWay() throws {
    let transport = try SFTPTransport(
      SSHCommand(host: "host", searchPath: programs.path), folder: "/", createsConditionally: true)
    let failure = try #require(throws: TransportError.self) { try transport.listBackups() }
    #expect(failure.code == .unavailable)
    #expect(failure.reason.contains("openssh-client"))
  }

  @Test func sshIsToldToAskNothingAndToForwardNothing() throws {
    _ = try programs.add("ssh", "#!/bin/sh\nprintf '%s\\n' \"$@\" >\"${0%/*}/words\"\n")
    let transport = try SFTPTransport(
      SSHCommand(host: "host", user: "me", port: "2222", identityFile: "/key", searchPath: programs.path), folder: "/",
      createsConditionally: true)
    #expect(!transport.isAvailable())
    let words = programs.wait(for: "words").split(separator: "\n").map(String.init)
    for option in ["-oBatchMode=yes", "-oForwardAgent=no", "-oForwardX11=no", "-oClearAllForwardings=yes"] {
      #expect(words.contains(option))
    }
    #expect(words.suffix(10) == ["-l", "me", "-p", "2222", "-i", "/key", "-s", "--", "host", "sftp"])
  }

  @Test(arguments: [
    ["host": ""], ["host": "-oProxyCommand=x"], ["host": "a b"], ["host": "a;b"], ["host": "a/b"], ["host": "me@a"],
    ["host": "a%b"], ["host": "a\nb"], ["host": String(repeating: "a", count: 256)], ["user": "-l"], ["user": "a b"],
    ["user": "a$b"], ["port": "0"], ["port": "65536"], ["port": "+22"], ["port": "-p"], ["port": "22x"],
    ["identity-file": "key"], ["identity-file": "-i"], ["folder": ""], ["folder": "~/x"], ["folder": "a\nb"],
  ])
  func whatCantBeHandedToSshIsRefused(fields: [String: String]) {
    let settings = TransportSettings(
      name: "place", kind: "sftp", values: ["host": "host", "folder": "/b"].merging(fields) { $1 })
    #expect(throws: TransportError(.badSettings, place: "")) {
      try TransportRegistry(LocalTransports.kinds).transport(settings)
    }
  }

  @Test func whatCanBeHandedToSshIsTaken() throws {
    for fields in [
      ["host": "backup.example.org"], ["host": "::1", "port": "65535"], ["host": "alias_1", "user": "me@corp.example"],
      ["folder": "there"], ["identity-file": "/home/me/.ssh/id_ed25519"],
    ] {
      let settings = TransportSettings(
        name: "place", kind: "sftp", values: ["host": "host", "folder": "/b"].merging(fields) { $1 })
      #expect(try TransportRegistry(LocalTransports.kinds).transport(settings).id == "sftp")
    }
  }
}
