internal import SeifBytes

/// Finds logins of one name of which one's history holds the other's present password: versions of one login.
struct LoginVersions {
  private struct Key: Hashable {
    let label: SecretValue
    let password: SecretValue
  }

  /// Up to how many logins are looked at for one that holds all of another.
  private static let comparedCount = 8

  private var present: [Key: [Int]] = [:]
  private var past: [Key: [Int]] = [:]

  /// Notes the present and the previous passwords of the login at a position.
  mutating func note(_ login: Password, at index: Int) {
    guard let label = EquivalenceKey.label(.password(login)) else { return }
    Self.note(index, Key(label: label, password: login.password), &present)
    let previous = login.history.map(\.password) + HistoryOverflow.fields(of: login).map(\.value)
    for password in previous { Self.note(index, Key(label: label, password: password), &past) }
  }

  // More would never be looked at.
  private static func note(_ index: Int, _ key: Key, _ positions: inout [Key: [Int]]) {
    var known = positions.removeValue(forKey: key) ?? []
    if known.count < comparedCount, !known.contains(index) { known.append(index) }
    positions[key] = known
  }

  /// Positions of logins that may hold all of this one: they have its password now or had it once.
  func holders(of login: Password) -> [Int] {
    guard let label = EquivalenceKey.label(.password(login)) else { return [] }
    let key = Key(label: label, password: login.password)
    return present[key, default: []] + past[key, default: []]
  }

  /// Positions of logins that had this one's password once.
  func newer(than login: Password) -> [Int] {
    guard let label = EquivalenceKey.label(.password(login)) else { return [] }
    return past[Key(label: label, password: login.password), default: []]
  }

  /// Positions of logins whose password, when they were noted, is one that this one had once.
  func older(than login: Password) -> [Int] {
    guard let label = EquivalenceKey.label(.password(login)) else { return [] }
    var found: [Int] = []
    for row in login.history where found.count < Self.comparedCount {
      found += present[Key(label: label, password: row.password), default: []]
    }
    return found
  }
}
