public import SeifBytes
public import SeifCrypto

/// One way to have a wrapping key: from what a person knows, or from a device.
///
/// What a conforming type promises, and `WayInConformance` in the tests holds it to:
/// - the key is 32 bytes, and another one for each way in that is made, also of the same passphrase or device;
/// - the same parameters give the same key again, in another process too;
/// - the parameters hold nothing secret: they stand in clear in the file;
/// - another passphrase, code or device never gets as far as a key that opens.
public protocol WayInProvider: AnyObject {
  /// The kind of its rows.
  var kind: WayIn.Kind { get }

  /// The wrapping key of a new way in, and what has to stand in its row to have it again.
  ///
  /// - Parameter id: identifier of the way in.
  /// - Throws: `deviceMissing`, `deviceRefused`, `outOfMemory`.
  func makeKey(for id: UUID, vaultID: UUID, random: RandomSource) throws(VaultError) -> NewWrappingKey

  /// As `makeKey`, for the same way in under a new data key. What can stay (a security key's credential) stays.
  func renewKey(of way: WayIn, vaultID: UUID, random: RandomSource) throws(VaultError) -> NewWrappingKey

  /// Calls `body` with each key that this way in could have been made with, until one gives a result.
  ///
  /// - Throws: `costRefused`, `outOfMemory`, `deviceMissing` (isn't there), `otherDevice` (is there, and is another one),
  ///   `deviceRefused` (wrong PIN), `deviceChanged` (the machine started otherwise), `deviceLocked` (too many tries).
  func withKeys<Result: ~Copyable>(
    of way: WayIn, vaultID: UUID, _ body: (borrowing SecretBytes) -> Result?
  ) throws(VaultError) -> Result?

  /// Takes away what is kept outside of the vault for a way in that was removed.
  func erase(_ way: WayIn, vaultID: UUID) throws(VaultError)
}

extension WayInProvider {
  public func renewKey(of way: WayIn, vaultID: UUID, random: RandomSource) throws(VaultError) -> NewWrappingKey {
    try makeKey(for: way.id, vaultID: vaultID, random: random)
  }

  /// Nothing is kept outside.
  public func erase(_ way: WayIn, vaultID: UUID) throws(VaultError) {}
}

/// A public parameter of a way in.
public enum WayInParameter: Sendable, Hashable {
  case text(String)
  case number(Int64)
  case flag(Bool)
  /// In base64.
  case bytes([UInt8])
}

/// A wrapping key just made, and the public parameters with which it can be had again.
public struct NewWrappingKey: ~Copyable {
  /// 32 bytes.
  public let key: SecretBytes
  /// What stands in the row; `createdAt` is added by the vault.
  public let parameters: [String: WayInParameter]

  /// A key of 32 bytes with its parameters.
  public init(key: consuming SecretBytes, parameters: [String: WayInParameter]) {
    self.key = key
    self.parameters = parameters
  }
}

/// A passphrase as a way in: Argon2id.
public final class PassphraseProvider: WayInProvider {
  public let kind = WayIn.Kind.passphrase
  private let passphrase: SecretBytes
  private let cost: VaultCost

  /// - Parameter cost: of ways in that are made; those that are opened have their own.
  public init(_ passphrase: borrowing SecretBytes, cost: VaultCost = .minimum) {
    self.passphrase = passphrase.duplicate()
    self.cost = cost
  }

  public func makeKey(for id: UUID, vaultID: UUID, random: RandomSource) throws(VaultError) -> NewWrappingKey {
    try make(cost.argon2id, random)
  }

  /// Costs as much as before.
  public func renewKey(of way: WayIn, vaultID: UUID, random: RandomSource) throws(VaultError) -> NewWrappingKey {
    try make(try Self.cost(of: way) ?? cost.argon2id, random)
  }

  private func make(_ cost: Argon2idCost, _ random: RandomSource) throws(VaultError) -> NewWrappingKey {
    let salt = random.makeBytes(16)
    return NewWrappingKey(
      key: try derive(composed, salt, cost),
      parameters: [
        "lanes": .number(Int64(cost.lanes)), "memoryKiB": .number(Int64(cost.memoryKiB)),
        "passes": .number(Int64(cost.passes)), "salt": .bytes(salt),
      ])
  }

  public func withKeys<Result: ~Copyable>(
    of way: WayIn, vaultID: UUID, _ body: (borrowing SecretBytes) -> Result?
  ) throws(VaultError) -> Result? {
    guard let cost = try Self.cost(of: way), let salt = way.salt else { return nil }
    for form in forms {
      let key = try derive(form, salt, cost)
      if let result = body(key) { return result }
    }
    return nil
  }

  private var forms: [SecretValue] { Normalization.passphraseForms(passphrase) }

  /// What is sealed under: the composed form.
  private var composed: SecretValue {
    let given = passphrase.withBytes { SecretValue(copying: $0) }
    // EXPOSE: composing needs a string; it lives for this call.
    return given.exposedText().map { SecretValue(utf8: Normalization.nfc($0)) } ?? given
  }

  private func derive(
    _ form: SecretValue, _ salt: [UInt8], _ cost: Argon2idCost
  ) throws(VaultError) -> SecretBytes {
    let bytes = SecretBytes(copying: form)
    return try derivation { () throws(CryptoError) in
      try Argon2id.deriveKey(passphrase: bytes, salt: salt, cost: cost)
    }
  }

  /// What trying a passphrase costs; nil if the row was altered so that none could open it.
  ///
  /// - Throws: `costRefused`.
  static func cost(of way: WayIn) throws(VaultError) -> Argon2idCost? {
    guard way.salt != nil else { return nil }
    let memory = way.number("memoryKiB")
    guard memory.map({ $0 >= VaultCost.leastMemoryKiB }) ?? true else { throw VaultError(.costRefused, "memoryKiB") }
    do throws(CostError) {
      return try Argon2idCost(
        memoryKiB: memory, passes: way.number("passes"), lanes: way.number("lanes"), limits: VaultCost.limits)
    } catch {
      throw VaultError(.costRefused, error.description)
    }
  }
}

/// A recovery code as a way in: PBKDF2, since a random code needs no dear derivation.
public final class RecoveryProvider: WayInProvider {
  public let kind = WayIn.Kind.recovery
  private let code: SecretBytes
  static let rounds = 600_000

  /// The way in of a code.
  public init(_ code: borrowing RecoveryCode) { self.code = code.duplicate() }

  public func makeKey(for id: UUID, vaultID: UUID, random: RandomSource) throws(VaultError) -> NewWrappingKey {
    let salt = random.makeBytes(16)
    return NewWrappingKey(
      key: try derive(salt), parameters: ["rounds": .number(Int64(Self.rounds)), "salt": .bytes(salt)])
  }

  public func withKeys<Result: ~Copyable>(
    of way: WayIn, vaultID: UUID, _ body: (borrowing SecretBytes) -> Result?
  ) throws(VaultError) -> Result? {
    guard let salt = way.salt else { return nil }
    guard way.number("rounds") == Int64(Self.rounds) else { throw VaultError(.costRefused, "rounds") }
    let key = try derive(salt)
    return body(key)
  }

  private func derive(_ salt: [UInt8]) throws(VaultError) -> SecretBytes {
    try derivation { () throws(CryptoError) in
      try PBKDF2.deriveKey(passphrase: code, salt: salt, rounds: Self.rounds)
    }
  }
}

extension WayIn {
  // Salts of another length than our writers' are refused, so that the one fast implementation serves all.
  fileprivate var salt: [UInt8]? { bytes("salt").flatMap { $0.count == 16 ? $0 : nil } }
}

private func derivation(_ body: () throws(CryptoError) -> SecretBytes) throws(VaultError) -> SecretBytes {
  do throws(CryptoError) {
    return try body()
  } catch {
    let code: VaultError.Code =
      switch error {
      case .outOfMemory: .outOfMemory
      case .libraryMissing: .libraryMissing
      default: .internalFailure
      }
    throw VaultError(code, error.description)
  }
}
