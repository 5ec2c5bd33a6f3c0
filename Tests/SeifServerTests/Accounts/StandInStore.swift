import SeifBytes
import SeifServerStore
import Synchronization

/// Accounts in memory, as plainly as can be, for tests of what stands on them; and a vault in which nothing is.
final class StandInStore: AccountStore, VaultStore {
  struct State {
    var accounts: [UUID: AccountRow] = [:]
    var enrolments: [EnrolmentRow] = []
    var passkeys: [PasskeyRow] = []
    var steps: [UUID: Int64] = [:]
    var codes: [UUID: Set<[UInt8]>] = [:]
    var sessions: [SessionRow] = []
    var tokens: [TokenRow] = []
    var grants: [DeviceGrantRow] = []
    var challenges: [ChallengeRow] = []
    var attempts: [[UInt8]: [Timestamp]] = [:]
    var objects: [ObjectRow] = []
    var isBroken = false
  }
  let state = Mutex(State())
  /// What another request does meanwhile, whenever sign-in codes are set.
  let meanwhile = Mutex<(@Sendable () -> Void)?>(nil)

  func use<R: Sendable>(_ body: (inout sending State) -> sending R) throws(StoreFailure) -> R {
    let result: Result<R, StoreFailure> = state.withLock { state in
      if state.isBroken { return .failure(StoreFailure(.unavailable, "the disk is gone")) }
      return .success(body(&state))
    }
    return try result.get()
  }

  func makeAccount(_ account: AccountRow, enrolment: EnrolmentRow) throws(StoreFailure) -> Bool {
    try use { state in
      guard !state.accounts.values.contains(where: { $0.name == account.name }) else { return false }
      state.accounts[account.id] = account
      state.enrolments.append(enrolment)
      return true
    }
  }
  func account(_ id: UUID) throws(StoreFailure) -> AccountRow? { try use { $0.accounts[id] } }
  func account(named name: String) throws(StoreFailure) -> AccountRow? {
    try use { $0.accounts.values.first { $0.name == name } }
  }
  func accounts(after: String?, limit: Int) throws(StoreFailure) -> [AccountRow] {
    try use { Array($0.accounts.values.sorted { $0.name < $1.name }.prefix(limit)) }
  }
  func updateAccount(
    _ id: UUID, _ change: @Sendable (inout AccountRow) -> Void
  ) throws(StoreFailure) -> AccountRow? {
    try use { state in
      guard var row = state.accounts[id] else { return nil }
      let before = row.totp
      change(&row)
      if row.totp != before { state.steps[id] = nil }
      state.accounts[id] = row
      return row
    }
  }
  func removeAccount(_ id: UUID) throws(StoreFailure) -> Bool {
    try use { state in
      state.sessions.removeAll { $0.account == id }
      state.tokens.removeAll { $0.account == id }
      state.passkeys.removeAll { $0.account == id }
      state.codes[id] = nil
      return state.accounts.removeValue(forKey: id) != nil
    }
  }
  func putEnrolment(_ row: EnrolmentRow) throws(StoreFailure) {
    try use { state in
      state.enrolments.removeAll { $0.account == row.account }
      state.enrolments.append(row)
    }
  }
  func enrolment(tokenHash: [UInt8], at now: Timestamp) throws(StoreFailure) -> AccountRow? {
    try use { state in
      state.enrolments.first { $0.tokenHash == tokenHash && $0.endsAt > now }
        .flatMap { state.accounts[$0.account] }.flatMap { $0.isDisabled ? nil : $0 }
    }
  }
  func useEnrolment(
    tokenHash: [UInt8], password: PasswordHash, at now: Timestamp
  ) throws(StoreFailure) -> AccountRow? {
    try use { state in
      guard let index = state.enrolments.firstIndex(where: { $0.tokenHash == tokenHash && $0.endsAt > now }) else {
        return nil
      }
      let account = state.enrolments.remove(at: index).account
      state.accounts[account]?.password = password
      state.sessions.removeAll { $0.account == account }
      return state.accounts[account]
    }
  }

  func passkeys(_ account: UUID) throws(StoreFailure) -> [PasskeyRow] {
    try use { $0.passkeys.filter { $0.account == account } }
  }
  func passkey(credentialID: [UInt8]) throws(StoreFailure) -> PasskeyRow? {
    try use { $0.passkeys.first { $0.credentialID == credentialID } }
  }
  func addPasskey(_ row: PasskeyRow, limit: Int) throws(StoreFailure) -> Bool {
    try use { state in
      guard !state.passkeys.contains(where: { $0.credentialID == row.credentialID }),
        state.passkeys.count(where: { $0.account == row.account }) < limit
      else { return false }
      state.passkeys.append(row)
      return true
    }
  }
  func usePasskey(credentialID: [UInt8], signCount: UInt32, at now: Timestamp) throws(StoreFailure) -> Bool {
    try use { state in
      guard let index = state.passkeys.firstIndex(where: { $0.credentialID == credentialID }) else { return false }
      let before = state.passkeys[index].signCount
      guard signCount > before || (signCount == 0 && before == 0) else { return false }
      state.passkeys[index].signCount = signCount
      state.passkeys[index].usedAt = now
      return true
    }
  }
  func removePasskey(_ account: UUID, credentialID: [UInt8]) throws(StoreFailure) -> Bool {
    try use { state in
      let count = state.passkeys.count
      state.passkeys.removeAll { $0.account == account && $0.credentialID == credentialID }
      return state.passkeys.count < count
    }
  }
  func useTOTPStep(_ account: UUID, step: Int64) throws(StoreFailure) -> Bool {
    try use { state in
      guard step > state.steps[account] ?? -1 else { return false }
      state.steps[account] = step
      return true
    }
  }
  func setSignInCodes(_ account: UUID, hashes: [[UInt8]]) throws(StoreFailure) {
    meanwhile.withLock { $0 }?()
    try use { $0.codes[account] = Set(hashes) }
  }
  func signInCodeCount(_ account: UUID) throws(StoreFailure) -> Int { try use { $0.codes[account]?.count ?? 0 } }
  func useSignInCode(_ account: UUID, hash: [UInt8]) throws(StoreFailure) -> Bool {
    try use { $0.codes[account]?.remove(hash) != nil }
  }

  func makeSession(_ row: SessionRow, password: PasswordHash?) throws(StoreFailure) -> Bool {
    try use { state in
      guard let account = state.accounts[row.account], !account.isDisabled, account.password == password else {
        return false
      }
      state.sessions.append(row)
      return true
    }
  }
  func setPassword(_ id: UUID, _ password: PasswordHash, keeping idHash: [UInt8]?) throws(StoreFailure) -> Bool {
    try use { state in
      guard state.accounts[id] != nil else { return false }
      state.accounts[id]?.password = password
      state.sessions.removeAll { $0.account == id && $0.idHash != idHash }
      return true
    }
  }
  func session(idHash: [UInt8]) throws(StoreFailure) -> SessionRow? {
    try use { $0.sessions.first { $0.idHash == idHash } }
  }
  private func change(_ idHash: [UInt8], _ body: (inout SessionRow) -> Void) throws(StoreFailure) {
    try use { state in
      for index in state.sessions.indices where state.sessions[index].idHash == idHash { body(&state.sessions[index]) }
    }
  }
  func touchSession(idHash: [UInt8], at now: Timestamp) throws(StoreFailure) { try change(idHash) { $0.usedAt = now } }
  func freshenSession(idHash: [UInt8], at now: Timestamp) throws(StoreFailure) {
    try change(idHash) { $0.freshAt = now }
  }
  func sessions(_ account: UUID) throws(StoreFailure) -> [SessionRow] {
    try use { $0.sessions.filter { $0.account == account } }
  }
  func endSession(_ account: UUID, handle: UUID) throws(StoreFailure) -> Bool {
    try use { state in
      let count = state.sessions.count
      state.sessions.removeAll { $0.account == account && $0.handle == handle }
      return state.sessions.count < count
    }
  }
  func endSession(idHash: [UInt8]) throws(StoreFailure) { try use { $0.sessions.removeAll { $0.idHash == idHash } } }
  func endSessions(_ account: UUID, but idHash: [UInt8]?) throws(StoreFailure) {
    try use { $0.sessions.removeAll { $0.account == account && $0.idHash != idHash } }
  }

  func makeToken(_ row: TokenRow, limit: Int) throws(StoreFailure) -> Bool {
    try use { state in
      guard state.tokens.count(where: { $0.account == row.account }) < limit else { return false }
      state.tokens.append(row)
      return true
    }
  }
  func token(hash: [UInt8]) throws(StoreFailure) -> TokenRow? { try use { $0.tokens.first { $0.hash == hash } } }
  private func changeToken(_ hash: [UInt8], _ body: (inout TokenRow) -> Void) throws(StoreFailure) {
    try use { state in
      for index in state.tokens.indices where state.tokens[index].hash == hash { body(&state.tokens[index]) }
    }
  }
  func touchToken(hash: [UInt8], at now: Timestamp) throws(StoreFailure) { try changeToken(hash) { $0.usedAt = now } }
  func freshenToken(hash: [UInt8], at now: Timestamp) throws(StoreFailure) {
    try changeToken(hash) { $0.freshAt = now }
  }
  func tokens(_ account: UUID) throws(StoreFailure) -> [TokenRow] {
    try use { $0.tokens.filter { $0.account == account } }
  }
  func removeToken(_ account: UUID, id: UUID) throws(StoreFailure) -> Bool {
    try use { state in
      let count = state.tokens.count
      state.tokens.removeAll { $0.account == account && $0.id == id }
      return state.tokens.count < count
    }
  }

  func makeDeviceGrant(_ row: DeviceGrantRow, limit: Int) throws(StoreFailure) -> Bool {
    try use { state in
      guard state.grants.count < limit, !state.grants.contains(where: { $0.userCode == row.userCode }) else {
        return false
      }
      state.grants.append(row)
      return true
    }
  }
  func deviceGrant(userCode: String) throws(StoreFailure) -> DeviceGrantRow? {
    try use { $0.grants.first { $0.userCode == userCode } }
  }
  func deviceGrant(deviceHash: [UInt8]) throws(StoreFailure) -> DeviceGrantRow? {
    try use { $0.grants.first { $0.deviceHash == deviceHash } }
  }
  func decideDeviceGrant(
    userCode: String, _ decision: DeviceDecision, at now: Timestamp
  ) throws(StoreFailure) -> Bool {
    try use { state in
      guard
        let index = state.grants.firstIndex(where: {
          $0.userCode == userCode && $0.endsAt > now && $0.decision == nil
        })
      else { return false }
      state.grants[index].decision = decision
      return true
    }
  }
  func pollDeviceGrant(deviceHash: [UInt8], at now: Timestamp) throws(StoreFailure) -> Timestamp? {
    try use { state in
      guard let index = state.grants.firstIndex(where: { $0.deviceHash == deviceHash }) else { return nil }
      defer { state.grants[index].polledAt = now }
      return state.grants[index].polledAt
    }
  }
  func removeDeviceGrant(deviceHash: [UInt8]) throws(StoreFailure) -> Bool {
    try use { state in
      let count = state.grants.count
      state.grants.removeAll { $0.deviceHash == deviceHash }
      return state.grants.count < count
    }
  }

  func makeChallenge(_ row: ChallengeRow, limit: Int) throws(StoreFailure) -> Bool {
    try use { $0.challenges.append(row) }
    return true
  }
  func useChallenge(hash: [UInt8]) throws(StoreFailure) -> ChallengeRow? {
    try use { state in
      state.challenges.firstIndex { $0.hash == hash }.map { state.challenges.remove(at: $0) }
    }
  }
  func count(
    attempts keys: [[UInt8]], seconds: Int, at now: Timestamp
  ) throws(StoreFailure) -> [(count: Int, before: Timestamp?)] {
    try use { state in
      keys.map { key in
        let earlier = (state.attempts[key] ?? []).filter {
          now.milliseconds - $0.milliseconds < Int64(seconds) * 1000
        }
        state.attempts[key] = earlier + [now]
        return (earlier.count + 1, earlier.last)
      }
    }
  }
  func forget(attempts key: [UInt8]) throws(StoreFailure) { try use { $0.attempts[key] = nil } }
  func sweepAccounts(_ limits: AccountSweep) throws(StoreFailure) {
    try use { state in
      state.sessions.removeAll { $0.usedAt < limits.sessionUse || $0.createdAt < limits.sessionMade }
      state.tokens.removeAll { $0.usedAt < limits.tokenUse }
    }
  }
}

// Only what an export asks for.
extension StandInStore {
  func status(_ account: UUID) throws(StoreFailure) -> VaultStatus { VaultStatus(manifestVersion: 7) }
  func manifest(_ account: UUID) throws(StoreFailure) -> StoredManifest? { nil }
  func replaceManifest(
    _ account: UUID, _ blob: [UInt8], expecting: ManifestTag?, at now: Timestamp
  ) throws(StoreFailure) -> ManifestOutcome { .conflict(nil) }
  func reserve(
    _ account: UUID, _ object: UUID, byteCount: Int, limits: VaultLimits, at now: Timestamp
  ) throws(StoreFailure) -> ReserveOutcome { .overQuota }
  func keep(
    _ reservation: UUID, blob: UUID, byteCount: Int, sha256: [UInt8], at now: Timestamp
  ) throws(StoreFailure) -> KeepOutcome { .lost }
  func drop(_ reservation: UUID) throws(StoreFailure) {}
  func object(_ account: UUID, _ object: UUID) throws(StoreFailure) -> ObjectRow? { nil }
  func objects(_ account: UUID, after: UUID?, limit: Int) throws(StoreFailure) -> [ObjectRow] {
    try use { state in
      Array(
        state.objects.sorted { $0.id.description < $1.id.description }
          .filter { row in after.map { $0.description < row.id.description } ?? true }.prefix(limit))
    }
  }
  func delete(_ account: UUID, _ object: UUID, trash: VaultLimits, at now: Timestamp) throws(StoreFailure) -> [UUID] {
    []
  }
  func restore(_ account: UUID, _ object: UUID, limits: VaultLimits) throws(StoreFailure) -> RestoreOutcome {
    .notFound
  }
  func keyWraps(_ account: UUID) throws(StoreFailure) -> [KeyWrapRow] {
    [
      KeyWrapRow(
        id: account, kind: "recovery", salt: Array(repeating: 1, count: 16), iterations: 600_000,
        wrappedKey: Array(repeating: 2, count: 60), createdAt: Timestamp(seconds: 1))
    ]
  }
  func putKeyWrap(_ account: UUID, _ row: KeyWrapRow, limit: Int) throws(StoreFailure) -> PutOutcome { .tooMany }
  func replaceKeyWraps(
    _ account: UUID, _ rows: [KeyWrapRow], manifest: [UInt8], expecting: ManifestTag, at now: Timestamp
  ) throws(StoreFailure) -> ManifestOutcome { .conflict(nil) }
  func deleteKeyWrap(_ account: UUID, _ id: UUID, at now: Timestamp) throws(StoreFailure) -> DeleteOutcome { .last }
  func restoreKeyWrap(_ account: UUID, _ id: UUID, limit: Int) throws(StoreFailure) -> RestoreOutcome { .notFound }
  func usage(_ account: UUID) throws(StoreFailure) -> [UsageRow] {
    [UsageRow(month: "2026-11", kind: "document", count: 3, byteCount: 4096)]
  }
  func setUsage(_ account: UUID, month: String, rows: [UsageRow]) throws(StoreFailure) {}
  func sweep(trash: Timestamp, reservations: Timestamp, limit: Int) throws(StoreFailure) -> [UUID] { [] }
  func named(_ blobs: [UUID]) throws(StoreFailure) -> Set<UUID> { [] }
  func blobs(after: UUID?, limit: Int) throws(StoreFailure) -> [BlobReference] { [] }
}
