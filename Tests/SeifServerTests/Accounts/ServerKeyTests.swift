import CSeif
import Glibc
import SeifBytes
import SeifCrypto
import SeifServer
import SeifTestSupport
import Testing

@Suite struct ServerKeyTests {
  static func mode(_ path: String) -> UInt32 {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
  }

  static func folder() throws -> String {
    var template = Array("/tmp/seif-server-key-XXXXXX".utf8CString)
    return String(cString: try #require(mkdtemp(&template)))
  }

  static func write(_ path: String, _ count: Int, mode: mode_t) {
    let file = open(path, O_WRONLY | O_CREAT, mode)
    _ = [UInt8](repeating: 1, count: count).withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
    fchmod(file, mode)
    close(file)
  }

  @Test func itIsMadeOnceForItsOwnerAloneAndReadAfterwards() throws {
    let folder = try Self.folder()
    let path = folder + "/server.key"
    let key = try ServerKey.open(folder: folder)
    #expect(Self.mode(path) == 0o600)
    let account = RandomSource.system.makeUUID()
    let sealed = try key.seal(SecretValue([1, 2, 3]), purpose: "totp", account: account, random: .system)
    let again = try ServerKey.open(folder: folder)
    #expect(try again.open(sealed, purpose: "totp", account: account) == SecretValue([1, 2, 3]))
    #expect(again.code("a", [1]) == key.code("a", [1]))
    let other = try ServerKey.open(folder: try Self.folder())
    #expect(throws: CryptoError.authenticationFailed) { try other.open(sealed, purpose: "totp", account: account) }
    #expect(throws: CryptoError.authenticationFailed) {
      try key.open(Array(sealed.dropLast()) + [(sealed.last ?? 0) ^ 1], purpose: "totp", account: account)
    }
    #expect(other.code("a", [1]) != key.code("a", [1]))
  }

  @Test func purposeAndDataDoNotRunTogether() throws {
    let key = ServerKey(SecretValue([UInt8](repeating: 1, count: 32)))
    #expect(key.code("ab", [0x63]) != key.code("a", [0x62, 0x63]))
  }

  @Test(arguments: [0o640, 0o604, 0o660, 0o620] as [mode_t]) func aKeyThatOthersMayReachIsRefused(_ mode: mode_t) throws
  {
    let folder = try Self.folder()
    Self.write(folder + "/server.key", 32, mode: mode)
    #expect(throws: ServerKey.Failure.refused) { try ServerKey.open(folder: folder) }
  }

  @Test(arguments: [0, 31, 33]) func aKeyOfAnotherLengthIsRefusedAndStays(_ count: Int) throws {
    let folder = try Self.folder()
    Self.write(folder + "/server.key", count, mode: 0o600)
    #expect(throws: ServerKey.Failure.refused) { try ServerKey.open(folder: folder) }
    var status = stat()
    #expect(stat(folder + "/server.key", &status) == 0 && status.st_size == count)
  }

  @Test func aLinkIsNotFollowed() throws {
    let folder = try Self.folder()
    Self.write(folder + "/elsewhere", 32, mode: 0o600)
    #expect(symlink(folder + "/elsewhere", folder + "/server.key") == 0)
    #expect(throws: ServerKey.Failure.refused) { try ServerKey.open(folder: folder) }
  }

  @Test func aFolderThatIsNotThereIsAFailure() {
    #expect(throws: ServerKey.Failure.system("open", ENOENT)) { try ServerKey.open(folder: "/nonexistent/seif") }
  }

  @Test func ofManyThatBeginAtOnceAllHaveOneKey() throws {
    let folder = try Self.folder()
    let codes = Codes()
    let threads = (0..<8).map { _ in
      Worker { if let key = try? ServerKey.open(folder: folder) { codes.add(key.code("a", [])) } }
    }
    for thread in threads { thread.join() }
    #expect(codes.all.count == 8)
    #expect(Set(codes.all).count == 1)
  }

  final class Codes: @unchecked Sendable {
    private var codes: [[UInt8]] = []
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    init() { pthread_mutex_init(mutex, nil) }
    func add(_ code: [UInt8]) {
      pthread_mutex_lock(mutex)
      codes.append(code)
      pthread_mutex_unlock(mutex)
    }
    var all: [[UInt8]] { codes }
  }
}
