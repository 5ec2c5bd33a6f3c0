internal import SeifBytes

/// A text that is compared and hashed by its UTF-8 bytes; `String` calls composed and decomposed letters equal.
struct UTF8Key: Hashable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (left: UTF8Key, right: UTF8Key) -> Bool { utf8Equal(left.text, right.text) }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

/// A member that isn't understood, by its bytes.
struct MemberKey: Hashable {
  let key: UTF8Key
  let value: SecretValue

  init(_ member: OpaqueMember) { (key, value) = (UTF8Key(member.key), member.value) }
  init(_ key: UTF8Key, _ value: SecretValue) { (self.key, self.value) = (key, value) }
}

/// A field of the person's own, by its bytes.
struct FieldKey: Hashable {
  let name: UTF8Key
  let value: SecretValue
  let isSecret: Bool
  let opaque: [MemberKey]

  init(_ field: CustomField) {
    (name, value, isSecret) = (UTF8Key(field.name), field.value, field.isSecret)
    opaque = field.opaque.map { MemberKey($0) }
  }
}

/// A password from before, by its bytes.
struct HistoryKey: Hashable {
  let password: SecretValue
  let changedAt: Int64?
  let opaque: [MemberKey]

  init(_ row: PreviousPassword) {
    (password, changedAt) = (row.password, row.changedAt?.milliseconds)
    opaque = row.opaque.map { MemberKey($0) }
  }
}
