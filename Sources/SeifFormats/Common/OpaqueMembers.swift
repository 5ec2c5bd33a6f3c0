internal import SeifBytes

extension JSONValue {
  /// The members that aren't among `known`, as they are, in the order of their keys' bytes: what is written and read
  /// again is equal.
  func unknownMembers(besides known: some Collection<String>) -> [OpaqueMember] {
    members.filter { member in !known.contains { member.key.is($0) } }
      .map { OpaqueMember(key: $0.key.text, value: $0.value.canonical) }
      .sorted { utf8Precedes($0.key, $1.key) }
  }
}
