public import SeifBackups

public struct RefusesToDelete: Fault {
  public static let name = "it deletes nothing and says so"
  public static let says = "should go by the rule and couldn't be removed"
  public static let exitCode: Int32 = 0
  public static let deed = Deed.prune

  public init() {}

  public func delete(_ id: String, _ place: HonestPlace) throws(TransportError) {
    throw TransportError(.noPermission, place: id)
  }
}
