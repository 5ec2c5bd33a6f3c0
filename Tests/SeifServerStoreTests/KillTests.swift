import Glibc
import SeifBytes
import SeifCrypto
import SeifServerStore
import Testing

/// A process that stores without end is killed at random moments. What it had said was stored must be there.
@Suite(.timeLimit(.minutes(15))) struct KillTests {
  private static let folder = getenv("SEIF_STORE_CHILD").map { String(cString: $0) }
  private static let rounds = getenv("SEIF_SOAK_ROUNDS").flatMap { Int(String(cString: $0)) } ?? 8
  private static let moment = Timestamp(milliseconds: 1_790_000_000_000)
  private static let account = UUID(bytes: [UInt8](repeating: 1, count: 16))

  @Test(.enabled(if: folder == nil))
  func whatWasAcknowledgedIsThereAfterAKillAndNoObjectLacksItsBlob() throws {
    let scratch = try Scratch()
    let account = try #require(Self.account)
    _ = try SQLiteServerStore(path: scratch.database).makeAccount(
      AccountRow(id: account, name: "ada", quota: 1, createdAt: Self.moment),
      enrolment: EnrolmentRow(account: account, tokenHash: [UInt8](repeating: 2, count: 32), endsAt: Self.moment))
    var acknowledged = 0
    for round in 1...Self.rounds {
      let child = try Self.start(scratch.path)
      var waited = 0
      while Self.lines(scratch.path).count == acknowledged, waited < 60_000 {
        usleep(1000)
        waited += 1
      }
      usleep(UInt32.random(in: 0...60_000))
      kill(child, SIGKILL)
      var status: Int32 = 0
      #expect(waitpid(child, &status, 0) == child)
      #expect(status & 0x7F == SIGKILL)

      let lines = Self.lines(scratch.path)
      try #require(lines.count > acknowledged)
      acknowledged = lines.count
      let store = try SQLiteServerStore(path: scratch.database)
      let blobs = try FolderBlobStore(path: scratch.blobs)
      #expect(try ServerCheck(store, blobs).run(reads: true).isWell)
      var version = 0
      for line in lines {
        let words = line.split(separator: " ")
        if words.first == "manifest" { version = Int(words[1]) ?? 0 }
        if words.first == "object" {
          let object = try #require(UUID(String(words[1])))
          let row = try #require(try store.object(account, object))
          #expect(row.blob.description == words[2])
        }
      }
      // Of each process one more may have been stored whose acknowledgement was cut off.
      #expect((version...version + round).contains(try store.status(account).manifestVersion))
    }
    let blobs = try FolderBlobStore(path: scratch.blobs)
    _ = try blobs.removeLeftOvers(before: Timestamp(milliseconds: 9_000_000_000_000))
  }

  /// What the killed process does.
  @Test(.enabled(if: folder != nil))
  func theProcessThatIsKilledStoresWithoutEnd() throws {
    let folder = try #require(Self.folder)
    let account = try #require(Self.account)
    let database = try SQLiteServerStore(path: folder + "/server.db")
    // Half of the processes write under temporary names.
    let blobs = try FolderBlobStore(path: folder + "/blobs", allowsUnnamed: getpid() % 2 == 0)
    let log = open(folder + "/acknowledged", O_WRONLY | O_CREAT | O_APPEND, 0o600)
    func acknowledge(_ line: String) {
      let bytes = Array((line + "\n").utf8)
      #expect(write(log, bytes, bytes.count) == bytes.count)
    }
    let limits = VaultLimits(objectCount: .max, byteCount: .max)
    for number in 0..<100_000 {
      let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: Int.random(in: 0...50_000))
      let object = RandomSource.system.makeUUID()
      guard
        case .reserved(let reservation) = try database.reserve(
          account, object, byteCount: bytes.count, limits: limits, at: Self.moment)
      else { return }
      let blob = try store(bytes, in: blobs)
      let outcome = try database.keep(
        reservation, blob: blob, byteCount: bytes.count, sha256: sha256(bytes), at: Self.moment)
      if outcome == .stored { acknowledge("object \(object) \(blob)") }
      let tag = try database.manifest(account)?.tag
      if case .stored(let tag) = try database.replaceManifest(account, bytes, expecting: tag, at: Self.moment) {
        acknowledge("manifest \(tag.version)")
      }
    }
  }

  private static func lines(_ folder: String) -> [String] {
    let file = open(folder + "/acknowledged", O_RDONLY)
    guard file >= 0 else { return [] }
    defer { close(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(file, &piece, piece.count)
      guard count > 0 else { break }
      bytes += piece.prefix(count)
    }
    return bytes.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
  }

  /// This program once more, for that one test.
  private static func start(_ folder: String) throws -> pid_t {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    try #require(count > 0)
    let arguments = [
      "tests", "--testing-library", "swift-testing", "--filter", "theProcessThatIsKilledStoresWithoutEnd",
    ]
    var variables = ["SEIF_STORE_CHILD=" + folder]
    for name in ["PATH", "HOME", "LD_LIBRARY_PATH"] {
      if let value = getenv(name) { variables.append(name + "=" + String(cString: value)) }
    }
    let argv = arguments.map { strdup($0) } + [nil]
    let envp = variables.map { strdup($0) } + [nil]
    defer { for text in argv + envp { free(text) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in [Int32(1), 2] {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
    }
    var child: pid_t = 0
    let code = posix_spawn(&child, buffer, &actions, nil, argv, envp)
    try #require(code == 0)
    return child
  }
}
