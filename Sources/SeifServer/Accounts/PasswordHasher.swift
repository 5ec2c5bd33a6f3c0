internal import Glibc
package import SeifBytes
package import SeifCrypto
package import SeifServerStore

/// Hashes passwords, a few at once: each takes 64 MiB and a core. Others wait in a short line; beyond that it is busy.
package final class PasswordHasher: Sendable {
  package typealias Derive =
    @Sendable (_ password: SecretValue, _ salt: [UInt8], _ cost: Argon2idCost) throws(CryptoError) -> [UInt8]

  /// 64 MiB, 3 passes, 1 lane.
  package static let cost = Argon2idCost(uncheckedMemoryKiB: 65_536, passes: 3, lanes: 1)
  package static let saltByteCount = 16

  private let cost: Argon2idCost
  private let random: RandomSource
  private let derive: Derive
  private let gate: Gate

  /// - Parameters:
  ///   - atOnce: how many are computed at once.
  ///   - waiting: how many more may wait.
  package init(
    cost: Argon2idCost = PasswordHasher.cost, atOnce: Int = 2, waiting: Int = 4, random: RandomSource = .system,
    derive: @escaping Derive = argon2id
  ) {
    self.cost = cost
    self.random = random
    self.derive = derive
    gate = Gate(places: max(1, atOnce), waiting: max(0, waiting))
  }

  /// Argon2id, 32 bytes.
  @Sendable package static func argon2id(
    _ password: SecretValue, _ salt: [UInt8], _ cost: Argon2idCost
  ) throws(CryptoError) -> [UInt8] {
    let key = try Argon2id.deriveKey(passphrase: SecretBytes(copying: password), salt: salt, cost: cost)
    return key.withBytes { bytes in bytes.withUnsafeBytes { Array($0) } }
  }

  /// A password as it is stored, under a salt of its own.
  ///
  /// - Throws: `busy`; `unavailable` for want of memory.
  package func hash(_ password: SecretValue) throws(AccountProblem) -> PasswordHash {
    let salt = random.makeBytes(Self.saltByteCount)
    let hash = try derived(password, salt, cost)
    return PasswordHash(
      memoryKiB: cost.memoryKiB, passes: cost.passes, lanes: cost.lanes, salt: salt, hash: hash)
  }

  /// Whether it is the password that was stored. Without a stored one the same work is done, and the answer is no.
  ///
  /// - Throws: as `hash`.
  package func isRight(_ password: SecretValue, _ stored: PasswordHash?) throws(AccountProblem) -> Bool {
    guard let stored else {
      _ = try derived(password, [UInt8](repeating: 0, count: Self.saltByteCount), cost)
      return false
    }
    let cost: Argon2idCost
    do throws(CostError) {
      cost = try Argon2idCost(
        memoryKiB: Int64(stored.memoryKiB), passes: Int64(stored.passes), lanes: Int64(stored.lanes))
    } catch {
      throw AccountProblem(.unavailable)
    }
    let hash = try derived(password, stored.salt, cost)
    return constantTimeEqual(hash.span.bytes, stored.hash.span.bytes)
  }

  private func derived(
    _ password: SecretValue, _ salt: [UInt8], _ cost: Argon2idCost
  ) throws(AccountProblem) -> [UInt8] {
    guard gate.enter() else { throw AccountProblem(.busy, retryAfter: 1) }
    defer { gate.leave() }
    // No `do`/`catch` that returns from inside: with a `defer` about it the compiler (6.3.1) makes invalid code.
    let result = Result { () throws(CryptoError) in try derive(password, salt, cost) }
    guard case .success(let hash) = result else { throw AccountProblem(.unavailable) }
    return hash
  }
}

/// So many may be inside, so many more may wait; whoever comes then is turned away.
final class Gate: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  // Guarded by the mutex.
  private var free: Int
  private var waiting = 0
  private let waitingLimit: Int

  init(places: Int, waiting: Int) {
    free = places
    waitingLimit = waiting
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  /// Waits for a place; false: too many wait already.
  func enter() -> Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    if free == 0 {
      guard waiting < waitingLimit else { return false }
      waiting += 1
      while free == 0 { pthread_cond_wait(condition, mutex) }
      waiting -= 1
    }
    free -= 1
    return true
  }

  func leave() {
    pthread_mutex_lock(mutex)
    free += 1
    pthread_cond_signal(condition)
    pthread_mutex_unlock(mutex)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }
}
