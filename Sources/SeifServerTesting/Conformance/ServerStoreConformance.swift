internal import SeifBytes
package import SeifServerStore

/// What every store of a server must do, each rule found out at an empty store.
package enum ServerStoreConformance {
  package typealias Store = any AccountStore & VaultStore

  /// What a rule found, in words.
  package struct Finding: Error, CustomStringConvertible {
    package var description: String
    init(_ description: String) { self.description = description }
  }

  /// One rule.
  package struct Check: Sendable, CustomStringConvertible {
    package let rule: String
    let body: @Sendable (Store) throws -> Void

    init(_ rule: String, _ body: @escaping @Sendable (Store) throws -> Void) {
      self.rule = rule
      self.body = body
    }

    package var description: String { rule }

    /// Tries it at a store that holds nothing.
    package func run(_ store: Store) throws { try body(store) }
  }

  package static let all: [Check] =
    accounts + signIn + passwords + shortLived + manifests + objects + trash + keyWraps + sweeps

  // MARK: - What the rules are written with

  static let plenty = VaultLimits(objectCount: 10_000, byteCount: 1 << 30)

  static func expect(_ condition: Bool, _ what: String) throws {
    guard condition else { throw Finding(what) }
  }

  static func equal<Value: Equatable>(_ found: Value, _ wanted: Value, _ what: String) throws {
    guard found == wanted else { throw Finding("\(what): \(found) instead of \(wanted)") }
  }

  /// Seconds after a moment in 2026.
  static func at(_ seconds: Int) -> Timestamp { Timestamp(milliseconds: 1_790_000_000_000 + Int64(seconds) * 1000) }

  static func hash(_ number: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 7, count: 32)
    for index in 0..<8 { bytes[index] = UInt8(truncatingIfNeeded: number >> ((7 - index) * 8)) }
    return bytes
  }

  /// Identifiers in the order of their numbers.
  static func id(_ number: Int) throws -> UUID {
    guard let id = UUID(bytes: Array(hash(number).prefix(16))) else { throw Finding("no identifier") }
    return id
  }

  static let password = PasswordHash(
    memoryKiB: 8, passes: 1, lanes: 1, salt: [UInt8](repeating: 1, count: 16), hash: [UInt8](repeating: 2, count: 32))

  /// An account that waits for its enrolment, with the link `hash(number)`, which is over at 1000.
  @discardableResult
  static func account(_ store: Store, _ number: Int, name: String? = nil) throws -> UUID {
    let id = try id(number)
    let made = try store.makeAccount(
      AccountRow(id: id, name: name ?? "person\(number)", quota: 1 << 20, createdAt: at(0)),
      enrolment: EnrolmentRow(account: id, tokenHash: hash(number), endsAt: at(1000)))
    try expect(made, "an account with a free name wasn't made")
    return id
  }

  static func reserved(
    _ store: Store, _ account: UUID, _ object: Int, _ byteCount: Int, _ limits: VaultLimits = plenty, at time: Int = 0
  ) throws -> UUID {
    let outcome = try store.reserve(account, id(object), byteCount: byteCount, limits: limits, at: at(time))
    guard case .reserved(let reservation) = outcome else { throw Finding("no reservation: \(outcome)") }
    return reservation
  }

  /// An object that is there; its blob is named by the number too.
  static func object(_ store: Store, _ account: UUID, _ object: Int, _ byteCount: Int = 10, at time: Int = 0) throws {
    let reservation = try reserved(store, account, object, byteCount, at: time)
    let outcome = try store.keep(
      reservation, blob: id(1_000_000 + object), byteCount: byteCount, sha256: hash(object), at: at(time))
    try equal(outcome, .stored, "keeping a reserved object")
  }

  static func wrap(_ number: Int, _ key: UInt8 = 5) throws -> KeyWrapRow {
    KeyWrapRow(
      id: try id(number), kind: "recovery", salt: [UInt8](repeating: 3, count: 16), iterations: 600_000,
      wrappedKey: [UInt8](repeating: key, count: 60), createdAt: at(0))
  }

  static func stored(_ outcome: ManifestOutcome) throws -> ManifestTag {
    guard case .stored(let tag) = outcome else { throw Finding("a manifest wasn't stored: \(outcome)") }
    return tag
  }
}
