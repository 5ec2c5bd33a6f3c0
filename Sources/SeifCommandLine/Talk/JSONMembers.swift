package import SeifBytes

extension JSONWriter {
  /// The members that begin every JSON document of a command: `"schema": NAME, "version": N`.
  package mutating func schema(_ name: String, _ version: Int64) {
    member("schema", name)
    key("version")
    integer(version)
  }

  /// A member that is a string.
  package mutating func member(_ key: String, _ text: String) {
    self.key(key)
    string(text)
  }

  /// A member that is a whole number.
  package mutating func member(_ key: String, _ number: Int) {
    self.key(key)
    integer(Int64(number))
  }

  /// A member that is true or false.
  package mutating func member(_ key: String, _ value: Bool) {
    self.key(key)
    bool(value)
  }

  /// A member that is a list of strings.
  package mutating func member(_ key: String, _ texts: [String]) {
    self.key(key)
    beginArray()
    for text in texts { string(text) }
    endArray()
  }
}
