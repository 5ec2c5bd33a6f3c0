package import SeifCrypto

/// What opening by passphrase costs: Argon2id with one lane, between 64 MiB with 3 passes and 1 GiB.
public struct VaultCost: Sendable, Equatable {
  package let argon2id: Argon2idCost

  /// What a way in may ask for, whoever wrote the row: nothing beyond what new vaults are made with.
  static let limits: Argon2idCost.Limits = {
    var limits = Argon2idCost.Limits.standard
    limits.lanes = 1...1
    limits.maximumWork = 3 * limits.maximumMemoryKiB
    return limits
  }()
  /// Least memory that is read, in KiB; below it only a row that we never wrote stands.
  static let leastMemoryKiB: Int64 = 8_192

  /// 64 MiB, 3 passes: the least a new vault takes.
  public static let minimum = VaultCost(unchecked: Argon2idCost(uncheckedMemoryKiB: 65_536, passes: 3, lanes: 1))

  /// A cost within the bounds.
  ///
  /// - Parameter memoryKiB: 65,536 to 1,048,576.
  /// - Parameter passes: 3 and up, memory × passes at most 3 GiB.
  /// - Throws: `costRefused` and the field.
  public init(memoryKiB: Int, passes: Int = 3) throws(VaultError) {
    guard memoryKiB >= 65_536 else { throw VaultError(.costRefused, "memoryKiB") }
    guard passes >= 3 else { throw VaultError(.costRefused, "passes") }
    do throws(CostError) {
      argon2id = try Argon2idCost(memoryKiB: Int64(memoryKiB), passes: Int64(passes), lanes: 1, limits: Self.limits)
    } catch {
      throw VaultError(.costRefused, error.field)
    }
  }

  /// The cost that takes about a second where `minimum` takes so many milliseconds; only memory grows.
  public static func tuned(minimumTakes milliseconds: Int) -> VaultCost {
    let factor = min(16, max(1, 1000 / max(1, milliseconds)))
    return VaultCost(unchecked: Argon2idCost(uncheckedMemoryKiB: 65_536 * factor, passes: 3, lanes: 1))
  }

  /// 8 MiB, 1 pass: for tests, which no command can ask for.
  package static let forTests = VaultCost(unchecked: Argon2idCost(uncheckedMemoryKiB: 8_192, passes: 1, lanes: 1))

  private init(unchecked cost: Argon2idCost) { argon2id = cost }

  /// Memory, in KiB.
  public var memoryKiB: Int { argon2id.memoryKiB }
  /// Passes over the memory.
  public var passes: Int { argon2id.passes }
}
