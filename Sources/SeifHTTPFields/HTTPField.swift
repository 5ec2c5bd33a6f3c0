/// One field of a head.
public struct HTTPField: Sendable, Hashable {
  /// Its name, in any case.
  public var name: String
  /// Its value.
  public var value: String

  /// A field.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}
