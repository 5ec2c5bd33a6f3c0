internal import Glibc
internal import SeifBytes
internal import SeifVault
internal import Synchronization

/// The vaults that are open, each with its own turn and its own time to lock.
final class OpenVaults: Sendable {
  private struct State {
    var vaults: [String: OpenVault] = [:]
    var openings: UInt64 = 0
    /// The folders of unlocks that are under way, by a number of their own. One that isn't here any more was locked
    /// before it was open: a key takes seconds to derive, and the machine doesn't wait for it.
    var coming: [UInt64: String] = [:]
    var arrivals: UInt64 = 0
    /// Until when the machine is taken to be on its way to sleep.
    var sleep: Deadline?
  }
  private let state = Mutex(State())
  /// One derivation at a time: each takes up to a gigabyte.
  private let unlocking = Mutex(())
  /// One device at a time: it may wait for a touch, during which others derive.
  private let asking = Mutex(())
  private let device: AgentServer.Parts.Devices
  private let consent: Consent
  /// Called after a change of what is open, so that the next time to lock is found anew.
  private let changed: @Sendable () -> Void

  /// Called between the derivation of a key and the opening of its vault; for tests.
  let whenDerived: (@Sendable () -> Void)?

  init(
    consent: Consent, device: @escaping AgentServer.Parts.Devices = { _, _ in nil },
    whenDerived: (@Sendable () -> Void)? = nil, changed: @escaping @Sendable () -> Void
  ) {
    self.consent = consent
    self.device = device
    self.whenDerived = whenDerived
    self.changed = changed
  }

  /// The name under which a folder is known: without links, so that two ways to it are one vault.
  private static func key(_ folder: String) -> String {
    guard let path = realpath(folder, nil) else { return folder }
    defer { free(path) }
    return String(cString: path)
  }

  /// Whether a vault is still open, since the same unlock.
  func holds(_ vault: OpenVault) -> Bool { state.withLock { $0.vaults[vault.folder] === vault } }

  var all: [OpenVault] { state.withLock { Array($0.vaults.values) } }

  /// The vault of a folder.
  ///
  /// - Throws: `locked` if it isn't open, if its time is over, or if another file has taken its place.
  func vault(_ folder: String) throws(VaultUseError) -> OpenVault {
    let key = Self.key(folder)
    guard let vault = state.withLock({ $0.vaults[key] }) else { throw .agent(AgentRefusal(.locked)) }
    // Whoever watches the time may sleep through it: a wait doesn't count the machine's sleep, and the time does.
    guard vault.latest > Deadline.now, vault.hasItsFile else {
      lock { $0 === vault }
      throw .agent(AgentRefusal(.locked))
    }
    return vault
  }

  /// Opens a vault, in the place of itself if it was open before.
  ///
  /// - Throws: `locked` too, if it was locked before it was open.
  func unlock(
    _ location: VaultLocation, _ way: AgentRequest.Way, _ secret: SecretValue, _ lockAfter: LockAfter, peer: Peer
  ) throws(VaultUseError) -> (vault: OpenVault, notices: AgentAnswer.Notices, keepsCounter: Bool) {
    let key = Self.key(location.folder)
    let begun = state.withLock { state -> UInt64? in
      guard state.sleep?.isOver ?? true else { return nil }
      state.arrivals += 1
      state.coming[state.arrivals] = key
      return state.arrivals
    }
    guard let arrival = begun else { throw .agent(AgentRefusal(.locked)) }
    defer { state.withLock { $0.coming[arrival] = nil } }
    let isDevice = ![.passphrase, .recoveryCode].contains(way)
    let (vault, canWrite) = try vaultCall { () throws(VaultError) in
      if isDevice { return try asking.withLock { _ throws(VaultError) in try self.open(location, way, secret) } }
      return try unlocking.withLock { _ throws(VaultError) in try self.open(location, way, secret) }
    }
    whenDerived?()
    // A touch may come when nobody waits for it any more.
    if isDevice, !peer.isRunning {
      vault.lock()
      throw .agent(AgentRefusal(.gone))
    }
    // Late is no harm: what is due stays in the bin until the next unlock.
    if canWrite, vault.openingFaults.isEmpty { _ = try? vault.purgeBin() }
    let faults = vault.openingFaults.map { "\($0)" }
    let keepsCounter = vault.keepsCounter
    let opening = state.withLock { state in
      state.openings += 1
      return state.openings
    }
    let open = try vaultCall { () throws(VaultError) in
      try OpenVault(
        vault, folder: key, opening: opening, lockAfter: lockAfter, loginSession: peer.loginSession)
    }
    let (isWanted, before) = state.withLock { state in
      guard state.coming[arrival] != nil else { return (false, OpenVault?.none) }
      let before = state.vaults[key]
      state.vaults[key] = open
      return (true, before)
    }
    guard isWanted else {
      close(open)
      throw .agent(AgentRefusal(.locked))
    }
    if let before { close(before) }
    if !isDevice { consent.forgetRefusals(vault: key) }
    changed()
    return (open, AgentAnswer.Notices(faults: faults), keepsCounter)
  }

  private func open(
    _ location: VaultLocation, _ way: AgentRequest.Way, _ secret: SecretValue
  ) throws(VaultError) -> (Vault, canWrite: Bool) {
    let given = SecretBytes(copying: secret)
    func unlock(_ access: VaultAccess) throws(VaultError) -> Vault {
      let locked = try Vault.open(at: location, access: access)
      switch way {
      case .passphrase: return try locked.unlock(passphrase: given)
      case .recoveryCode: return try locked.unlock(recoveryCode: try RecoveryCode.normalise(given))
      case .tpm2, .fido2, .keyring:
        guard let provider = try device(way.kind, secret) else { throw VaultError(.deviceMissing, way.kind.name) }
        return try locked.unlock(with: provider)
      }
    }
    do throws(VaultError) {
      return (try unlock(.readWrite), true)
    } catch {
      // A full or read-only disk keeps nobody from their codes.
      guard [.full, .readOnly, .cantOpen, .io].contains(error.code) else { throw error }
      return (try unlock(.readOnly), false)
    }
  }

  /// Whether a passphrase or recovery code opens a vault, tried anew.
  ///
  /// Another program may have put another file in the vault's place meanwhile, with a passphrase that it knows: what opens
  /// has to be the vault that is open here.
  func opens(_ open: OpenVault, _ attempt: borrowing PassphraseAttempt) -> Bool {
    let secret = SecretValue(copying: attempt)
    return unlocking.withLock { _ in
      for isCode in [false, true] {
        guard let locked = try? Vault.open(at: open.location, access: .readOnly) else { return false }
        let given = SecretBytes(copying: secret)
        let vault: Vault?
        if isCode {
          guard let code = try? RecoveryCode.normalise(given) else { continue }
          vault = try? locked.unlock(recoveryCode: code)
        } else {
          vault = try? locked.unlock(passphrase: given)
        }
        guard let vault else { continue }
        defer { vault.lock() }
        return open.isSame(as: vault)
      }
      return false
    }
  }

  /// Locks the vaults that `isMeant` names.
  ///
  /// - Returns: how many.
  @discardableResult
  func lock(where isMeant: (OpenVault) -> Bool) -> Int {
    let gone = state.withLock { state in
      let gone = state.vaults.filter { isMeant($0.value) }
      for key in gone.keys { state.vaults[key] = nil }
      return Array(gone.values)
    }
    for vault in gone { close(vault) }
    if !gone.isEmpty { changed() }
    return gone.count
  }

  /// Locks the vault of a folder.
  @discardableResult
  func lock(folder: String) -> Bool {
    let key = Self.key(folder)
    state.withLock { state in state.coming = state.coming.filter { !utf8Equal($0.value, key) } }
    return lock { utf8Equal($0.folder, key) } > 0
  }

  @discardableResult
  func lockAll() -> Int {
    forgetComing()
    return lock { _ in true }
  }

  /// Locks all, and opens nothing until the machine has slept: what was opened between the word that it will and the sleep
  /// would be open all through it. The word that it is awake may get lost, and then this ends by itself.
  func prepareForSleep() {
    state.withLock { $0.sleep = Deadline(in: Self.sleepMilliseconds) }
    lockAll()
  }

  /// The machine is awake, or doesn't sleep after all.
  func wakeUp() { state.withLock { $0.sleep = nil } }

  /// Longer than logind waits for those who delay a sleep.
  private static let sleepMilliseconds: Int64 = 60_000

  /// Lets no unlock that is under way come to its end: whether it belongs to what ended isn't known yet.
  func forgetComing() { state.withLock { $0.coming = [:] } }

  /// Locks what nobody used for its time.
  ///
  /// - Returns: when the next one is due.
  func lockWhatIsDue() -> Int64? {
    let now = Deadline.now
    lock { $0.latest <= now }
    return all.map(\.latest).min()
  }

  private func close(_ vault: OpenVault) {
    vault.lock()
    consent.forget(opening: vault.opening)
  }
}

extension SecretValue {
  init(copying attempt: borrowing PassphraseAttempt) {
    self = attempt.bytes.withBytes { SecretValue(copying: $0) }
  }
}
