import SeifBytes
import SeifCrypto
import SeifServer
import SeifServerStore
import Synchronization
import Testing

@Suite struct PasswordTests {
  static let rules: [(String, Bool)] = [
    ("correct horse battery", true), ("abcdefghijkl", true), ("abcdefghijk", false), ("", false),
    ("aaaaaaaaaaaaaaaa", false), ("abcdabcdabcd", false), ("abcdeabcdeab", true), ("pass\nword with line", false),
    ("pass\u{0}word with nul", false), ("annaannaannaanna", false), ("ANNAannaANNAanna", false),
    ("密码密码长一点的密码短语句", true), (String(repeating: "abcdefgh", count: 128), true),
    (String(repeating: "abcdefgh", count: 128) + "x", false),
  ]

  @Test(arguments: rules) func aPasswordIsTwelveCharactersOfFiveKinds(_ text: String, _ isTaken: Bool) {
    #expect((PasswordRules.accepted(SecretValue(utf8: text), name: "anna") != nil) == isTaken)
  }

  @Test func aNameOfManyCharactersIsNoPasswordEither() {
    let name = "anna.of.the.hill"
    #expect(PasswordRules.accepted(SecretValue(utf8: name), name: name) == nil)
    #expect(PasswordRules.accepted(SecretValue(utf8: name + "!"), name: name) != nil)
  }

  @Test func bytesThatAreNoTextAreNoPassword() {
    #expect(PasswordRules.normalised(SecretValue([0x61, 0xFF, 0x62])) == nil)
  }

  @Test func namesHaveOneSpelling() {
    #expect(AccountNames.normalised("Anna.B_c-9") == "anna.b_c-9")
    for name in ["", "a b", "ä", "a/b", "\u{212A}", String(repeating: "a", count: 65)] {
      #expect(AccountNames.normalised(name) == nil)
    }
  }

  /// 64 MiB, three passes, one lane: the bytes are those of the library, and of nothing cheaper.
  @Test func aPasswordIsHashedByArgon2idAtItsFullCost() throws {
    let hasher = PasswordHasher()
    let password = SecretValue(utf8: AccountServer.password)
    let (one, other) = (try hasher.hash(password), try hasher.hash(password))
    #expect((one.memoryKiB, one.passes, one.lanes) == (65_536, 3, 1))
    #expect(one.salt.count == 16)
    #expect(one.hash.count == 32)
    #expect(one.salt != other.salt)
    #expect(one.hash != other.hash)
    let expected = try Argon2id.deriveKey(
      passphrase: SecretBytes(copying: password), salt: one.salt, cost: .authBackup)
    let isSame = expected.withBytes { constantTimeEqual($0, one.hash.span.bytes) }
    #expect(isSame)
    #expect(try hasher.isRight(password, one))
    #expect(try !hasher.isRight(SecretValue(utf8: "another long password"), one))
    #expect(try !hasher.isRight(password, nil))
  }

  @Test func aStoredCostOutOfBoundsIsNotDerivedWith() {
    let stored = PasswordHash(memoryKiB: .max, passes: 3, lanes: 1, salt: Array(repeating: 0, count: 16), hash: [])
    #expect(throws: AccountProblem(.unavailable)) { try PasswordHasher().isRight(SecretValue([1]), stored) }
  }

  /// Two are at work, four wait, the seventh is told to come again; afterwards all places are free.
  @Test(.timeLimit(.minutes(15))) func soManyAreHashedAtOnceAndSoManyWait() async throws {
    struct Counts { var inside = 0, most = 0, done = 0, isOpen = false }
    let counts = Mutex(Counts())
    let hasher = PasswordHasher(atOnce: 2, waiting: 4) { (_, _, _) throws(CryptoError) in
      counts.withLock {
        $0.inside += 1
        $0.most = max($0.most, $0.inside)
      }
      while !counts.withLock({ $0.isOpen }) { pause() }
      counts.withLock {
        $0.inside -= 1
        $0.done += 1
      }
      return [UInt8](repeating: 0, count: 32)
    }
    let busy = Mutex(0)
    let threads = (0..<20).map { _ in
      Worker {
        do throws(AccountProblem) { _ = try hasher.hash(SecretValue([1])) } catch {
          #expect(error == AccountProblem(.busy, retryAfter: 1))
          busy.withLock { $0 += 1 }
        }
      }
    }
    // 14 of 20 find neither a place nor room to wait.
    while busy.withLock({ $0 }) < 14 { pause() }
    #expect(counts.withLock { $0.inside } == 2)
    counts.withLock { $0.isOpen = true }
    for thread in threads { thread.join() }
    #expect(busy.withLock { $0 } == 14)
    #expect(counts.withLock { $0.done } == 6)
    #expect(counts.withLock { $0.most } == 2)
    #expect(throws: Never.self) { try hasher.hash(SecretValue([1])) }
  }

  @Test func aFailureGivesItsPlaceBack() throws {
    let fails = Mutex(true)
    let hasher = PasswordHasher(atOnce: 1, waiting: 0) { (_, _, _) throws(CryptoError) in
      if fails.withLock({ $0 }) { throw .outOfMemory }
      return []
    }
    for _ in 0..<3 {
      #expect(throws: AccountProblem(.unavailable)) { try hasher.hash(SecretValue([1])) }
    }
    fails.withLock { $0 = false }
    #expect(throws: Never.self) { try hasher.hash(SecretValue([1])) }
  }
}
