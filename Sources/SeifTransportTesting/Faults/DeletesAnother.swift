public import SeifBackups

public struct DeletesAnother: Fault {
  public static let name = "it deletes another file than the one that is meant"
  public static let says = "is gone"
  public static let deed = Deed.prune

  public init() {}

  public func delete(_ id: String, _ place: HonestPlace) throws(TransportError) {
    let newest = try place.older().last
    try place.transport.delete(id: newest?.id ?? id)
  }
}
