internal import SeifCommandLine
internal import Glibc
internal import SeifAgent
internal import SeifBytes
internal import SeifCrypto
internal import SeifRecords
internal import SeifVault

/// What is wrong with the passwords of logins: findings by entry, never a password, a part of one or its hash.
struct PasswordAudit {
  struct Login: Equatable {
    let id: UUID
    let name: String
    let account: String
  }

  /// How many logins have a password.
  private(set) var loginCount = 0
  private(set) var weak: [(login: Login, bits: Double)] = []
  private(set) var reused: [[Login]] = []
  private(set) var old: [(login: Login, since: Timestamp)] = []
  private(set) var breached: [(login: Login, count: UInt64)] = []
  /// Whether strength could be judged: the library for it may be missing.
  private(set) var isStrengthJudged = true

  /// Guesses a second on one machine that the strength of a web site's password is judged by: a list of passwords that a
  /// site lost, hashed neither badly nor well. With the ten thousand machines of ``Strength/isWeak(guessesPerSecond:)``
  /// that is ten million a second, and a password of 2^39.6 guesses is found within a day.
  static let guessesPerSecond = 1_000.0

  var isClean: Bool { weak.isEmpty && reused.isEmpty && old.isEmpty && breached.isEmpty }

  /// - Parameters:
  ///   - changedBefore: a password unchanged since before this moment is old.
  ///   - list: the list of break-ins, if one was given.
  init(
    _ entries: [StoredEntry], changedBefore: Timestamp, list: BreachedList?, random: RandomSource = .system
  ) throws(BreachedList.Fault) {
    // Equal passwords are found by a hash under a key that nobody has, so that no set of plain passwords is built.
    let key = random.makeSecret(byteCount: 32)
    var groups: [[UInt8]: [Login]] = [:]
    var order: [[UInt8]] = []
    for stored in entries {
      guard case .password(let password) = stored.entry, password.password.byteCount > 0, !stored.entry.isSetting else {
        continue
      }
      let login = Login(id: stored.id, name: stored.entry.name, account: stored.entry.account)
      loginCount += 1
      let code = password.password.withBytes { bytes in
        key.withBytes { HMAC.code(.sha256, key: $0, message: bytes) }
      }
      if groups[code] == nil { order.append(code) }
      groups[code, default: []].append(login)
      judge(password, login)
      if let since = Self.lastChange(password), since < changedBefore { old.append((login, since)) }
      if let list, let count = try Self.count(of: password.password, in: list) { breached.append((login, count)) }
    }
    reused = order.compactMap { groups[$0] }.filter { $0.count > 1 }
    old.sort { $0.since < $1.since }
    breached.sort { $0.count > $1.count }
  }

  private mutating func judge(_ password: Password, _ login: Login) {
    guard isStrengthJudged else { return }
    guard let strength = Strength(judging: SecretBytes(copying: password.password)) else {
      isStrengthJudged = false
      return
    }
    if strength.isWeak(guessesPerSecond: Self.guessesPerSecond) { weak.append((login, strength.bits)) }
  }

  /// When the present password began: when the one before it ceased, else when the login was made. Where a previous
  /// password has no date, or nothing has one, nobody knows.
  static func lastChange(_ password: Password) -> Timestamp? {
    if let previous = password.history.first { return previous.changedAt }
    return password.info.createdAt
  }

  private static func count(of password: SecretValue, in list: BreachedList) throws(BreachedList.Fault) -> UInt64? {
    var hash = password.withBytes { Digest.hash(.sha1, $0) }
    // Unkeyed, so whoever had it could look for the password in the same list.
    defer { hash.withUnsafeMutableBytes { if let start = $0.baseAddress { explicit_bzero(start, $0.count) } } }
    return try list.count(of: hash)
  }
}
