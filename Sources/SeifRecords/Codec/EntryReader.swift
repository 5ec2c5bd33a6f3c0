internal import SeifBytes

/// Why an entry can't be used.
struct EntryFault: Error {
  let reason: String
}

/// Reads the members of one entry; what isn't taken, or taken without use, stays behind as opaque.
struct EntryReader {
  private let members: [(key: JSONKey, value: JSONValue)]
  private var taken: [Bool]
  /// Fields that couldn't be used although the entry can.
  private(set) var fieldFaults: [(field: String, reason: String)] = []

  init(_ value: JSONValue) throws(EntryFault) {
    guard value.kind == .object else { throw EntryFault(reason: "not-an-object") }
    members = value.members.map { ($0.key, $0.value) }
    taken = [Bool](repeating: false, count: members.count)
  }

  private func position(_ key: String) -> Int? {
    members.lastIndex { $0.key.is(key) }
  }

  /// The value of a key without taking it.
  func peek(_ key: String) -> JSONValue? {
    position(key).map { members[$0].value }
  }

  /// The value of a key; it is no longer opaque.
  mutating func take(_ key: String) -> JSONValue? {
    guard let position = position(key) else { return nil }
    taken[position] = true
    return members[position].value
  }

  /// A string, `""` where the key is missing.
  mutating func text(_ key: String) throws(EntryFault) -> String {
    guard let value = take(key) else { return "" }
    guard let text = value.string else { throw EntryFault(reason: "wrong-type:" + key) }
    return text
  }

  /// A secret string, empty where the key is missing.
  mutating func secret(_ key: String) throws(EntryFault) -> SecretValue {
    guard let value = take(key) else { return .empty }
    guard let secret = value.secret else { throw EntryFault(reason: "wrong-type:" + key) }
    return secret
  }

  /// An integer, nil where the key is missing; one of more than 64 bits is left where it stands.
  mutating func integer(_ key: String) throws(EntryFault) -> JSONValue.Integer? {
    guard let value = peek(key) else { return nil }
    guard let integer = value.integer else { throw EntryFault(reason: "wrong-type:" + key) }
    if case .value = integer { _ = take(key) }
    return integer
  }

  /// Refuses a value that isn't an integer, and leaves it where it stands.
  func checkInteger(_ key: String) throws(EntryFault) {
    if let value = peek(key), value.integer == nil { throw EntryFault(reason: "wrong-type:" + key) }
  }

  /// A truth value, false where the key is missing.
  mutating func bool(_ key: String) throws(EntryFault) -> Bool {
    guard let value = take(key) else { return false }
    guard let bool = value.bool else { throw EntryFault(reason: "wrong-type:" + key) }
    return bool
  }

  /// A date; one that can't be read is left where it stands, so that it is written back.
  mutating func date(_ key: String) throws(EntryFault) -> Timestamp? {
    guard let value = peek(key) else { return nil }
    guard let text = value.string else { throw EntryFault(reason: "wrong-type:" + key) }
    guard let date = Timestamp(rfc3339: text) else { return nil }
    _ = take(key)
    return date
  }

  /// The result of reading an addition, which never costs the entry: on a fault it is reported and left where it stands.
  mutating func addition<Value>(
    _ key: String, default missing: Value, _ read: (JSONValue) throws(EntryFault) -> Value
  ) -> Value {
    guard let value = peek(key) else { return missing }
    do throws(EntryFault) {
      let result = try read(value)
      _ = take(key)
      return result
    } catch {
      fieldFaults.append((key, error.reason))
      return missing
    }
  }

  /// Notes that a field can't be used although the entry can.
  mutating func report(_ field: String, _ reason: String) {
    fieldFaults.append((field, reason))
  }

  /// What nobody took, as canonical JSON, in the order of its keys' bytes: what is written and read again is equal.
  var leftovers: [OpaqueMember] {
    var opaque: [OpaqueMember] = []
    for (member, taken) in zip(members, taken) where !taken {
      opaque.append(OpaqueMember(key: member.key.text, value: member.value.canonical))
    }
    return opaque.count > 1 ? opaque.sorted { utf8Precedes($0.key, $1.key) } : opaque
  }
}
