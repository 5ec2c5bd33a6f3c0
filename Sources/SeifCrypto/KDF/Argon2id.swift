public import SeifBytes

/// What an Argon2id derivation costs (RFC 9106 §3.1).
public struct Argon2idCost: Sendable, Equatable {
  /// Memory, in KiB.
  public let memoryKiB: Int
  /// Passes over the memory.
  public let passes: Int
  /// Lanes (parallelism).
  public let lanes: Int

  /// A cost that nothing has checked: for a program's own constants. Numbers of a file go through
  /// `init(memoryKiB:passes:lanes:limits:)`.
  public init(uncheckedMemoryKiB memoryKiB: Int, passes: Int, lanes: Int) {
    self.memoryKiB = memoryKiB
    self.passes = passes
    self.lanes = lanes
  }

  /// The parameters of `.authbackup` version 2: 64 MiB, 3 passes, 1 lane.
  public static let authBackup = Argon2idCost(uncheckedMemoryKiB: 65_536, passes: 3, lanes: 1)

  /// How much a file may ask for.
  public struct Limits: Sendable {
    /// Lanes.
    public var lanes: ClosedRange<Int64> = 1...16
    /// Passes.
    public var passes: ClosedRange<Int64> = 1...64
    /// Most memory, in KiB; the least is 8 a lane.
    public var maximumMemoryKiB: Int64 = 1_048_576
    /// Most memory × passes, in KiB.
    public var maximumWork: Int64 = 4_194_304

    /// The limits that every file is held to.
    public static let standard = Limits()
    /// What a person may allow by word: up to 16 GiB, 1000 passes.
    public static let raised = Limits(
      passes: 1...1000, maximumMemoryKiB: 16_777_216, maximumWork: 1_073_741_824)
  }

  /// Checks numbers read from a file; nil stands for one of more than 64 bits.
  ///
  /// - Throws: the first field out of range, before any memory is taken.
  public init(memoryKiB: Int64?, passes: Int64?, lanes: Int64?, limits: Limits = .standard) throws(CostError) {
    guard let lanes, limits.lanes.contains(lanes) else {
      throw CostError(field: "lanes", value: lanes, allowed: limits.lanes)
    }
    guard let passes, limits.passes.contains(passes) else {
      throw CostError(field: "passes", value: passes, allowed: limits.passes)
    }
    let least = Self.leastMemoryKiB(lanes: lanes)
    guard let memoryKiB, memoryKiB >= least, memoryKiB <= limits.maximumMemoryKiB else {
      // Where the limits leave no memory for so many lanes, the range named is the limit alone.
      let allowed = min(least, limits.maximumMemoryKiB)...limits.maximumMemoryKiB
      throw CostError(field: "memoryKiB", value: memoryKiB, allowed: allowed)
    }
    let (work, overflow) = memoryKiB.multipliedReportingOverflow(by: passes)
    guard !overflow, work <= limits.maximumWork else {
      throw CostError(
        field: "memoryKiB × passes", value: overflow ? nil : work, allowed: 1...max(1, limits.maximumWork))
    }
    // Checked above.
    self.init(uncheckedMemoryKiB: Int(memoryKiB), passes: Int(passes), lanes: Int(lanes))
  }

  /// What the algorithm itself takes (RFC 9106 §3.1); nothing beyond is handed to a library, whatever made the cost.
  func check() throws(CryptoError) {
    func check(_ field: String, _ value: Int, _ allowed: ClosedRange<Int64>) throws(CryptoError) {
      guard allowed.contains(Int64(value)) else {
        throw .costOutOfRange(CostError(field: field, value: Int64(value), allowed: allowed))
      }
    }
    try check("lanes", lanes, 1...0xFF_FFFF)
    try check("passes", passes, 1...Int64(UInt32.max))
    try check("memoryKiB", memoryKiB, Self.leastMemoryKiB(lanes: Int64(lanes))...Int64(UInt32.max))
  }

  private static func leastMemoryKiB(lanes: Int64) -> Int64 {
    let (least, overflow) = lanes.multipliedReportingOverflow(by: 8)
    return overflow ? .max : least
  }
}

/// Argon2id, version 0x13 (RFC 9106).
///
/// One door to two libraries that give the same bytes: libsodium, twice as fast, for one lane with a salt of 16 bytes;
/// libargon2 for everything else. Each is loaded when it is needed.
public enum Argon2id {
  /// A key of `byteCount` bytes.
  ///
  /// - Parameter salt: 8 bytes or more; 16 in every format of ours.
  /// - Parameter secret: the optional key K, `associatedData` the optional X of the RFC: empty in every format of ours.
  /// - Throws: `badLength` for what isn't 32 bits long, `costOutOfRange` for what the algorithm itself doesn't take (the
  ///   limits for files are in `Argon2idCost`), both before any memory is taken; `outOfMemory`; `libraryMissing`.
  public static func deriveKey(
    passphrase: borrowing SecretBytes, salt: [UInt8], cost: Argon2idCost, byteCount: Int = 32, secret: [UInt8] = [],
    associatedData: [UInt8] = []
  ) throws(CryptoError) -> SecretBytes {
    let longest = Int(UInt32.max)
    guard (8...longest).contains(salt.count) else { throw .badLength("salt") }
    guard (4...longest).contains(byteCount) else { throw .badLength("derived key") }
    guard passphrase.byteCount <= longest else { throw .badLength("passphrase") }
    guard secret.count <= longest else { throw .badLength("secret") }
    guard associatedData.count <= longest else { throw .badLength("associated data") }
    try cost.check()
    let isPlain = secret.isEmpty && associatedData.isEmpty
    guard isPlain, cost.lanes == 1, salt.count == LibSodium.saltByteCount, byteCount >= 16 else {
      return try LibArgon2.deriveKey(
        passphrase: passphrase, salt: salt, cost: cost, byteCount: byteCount, secret: secret,
        associatedData: associatedData)
    }
    return unsafe try SecretBytes(byteCount: byteCount) { (output) throws(CryptoError) in
      try passphrase.withBytes { (bytes) throws(CryptoError) in
        try unsafe bytes.withUnsafeBytes { (passphrase) throws(CryptoError) in
          unsafe try LibSodium.derive(into: output, passphrase: passphrase, salt: salt, cost: cost)
        }
      }
      return byteCount
    }
  }
}
