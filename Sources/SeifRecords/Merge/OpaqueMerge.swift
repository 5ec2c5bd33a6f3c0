package import SeifBytes

/// Members that aren't understood, of two objects that become one.
package enum OpaqueMerge {
  /// What `theirs` has beside `ours`: members whose key is free under it; another value of a key that is taken under
  /// `key (2)`, `key (3)`, …, since what it means isn't known here. A value that came so before isn't repeated.
  package static func gained(_ theirs: [OpaqueMember], beside ours: [OpaqueMember]) -> [OpaqueMember] {
    guard !theirs.isEmpty else { return [] }
    var taken: Set<UTF8Key> = []
    var known: Set<MemberKey> = []
    func note(_ member: OpaqueMember) {
      taken.insert(UTF8Key(member.key))
      known.insert(MemberKey(member))
      if let base = base(of: member.key) { known.insert(MemberKey(UTF8Key(base), member.value)) }
    }
    for member in ours { note(member) }
    var gained: [OpaqueMember] = []
    var numbers: [UTF8Key: Int] = [:]
    for member in theirs where !known.contains(MemberKey(member)) {
      var key = UTF8Key(member.key)
      var number = numbers[key, default: 2]
      while taken.contains(key) {
        key = UTF8Key("\(member.key) (\(number))")
        number += 1
      }
      numbers[UTF8Key(member.key)] = number
      let added = OpaqueMember(key: key.text, value: member.value)
      note(added)
      gained.append(added)
    }
    return gained
  }

  // The key before a number in brackets.
  private static func base(of key: String) -> String? {
    guard key.utf8.last == 0x29 else { return nil }
    let digits = key.utf8.dropLast().reversed().prefix { (0x30...0x39).contains($0) }.count
    let head = key.utf8.dropLast(digits + 1)
    guard digits > 0, head.suffix(2).elementsEqual([0x20, 0x28]) else { return nil }
    return String(decoding: head.dropLast(2), as: UTF8.self)
  }
}
