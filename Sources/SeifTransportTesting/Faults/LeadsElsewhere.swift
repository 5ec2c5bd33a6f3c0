public import SeifBackups
public import SeifBytes

public struct LeadsElsewhere: Fault {
  public static let name = "it leads to another server"
  public static let says = "leads elsewhere"

  public init() {}

  public func download(_ id: String, _ limit: Int, _ place: HonestPlace) throws(TransportError) -> SecretValue {
    guard id == place.uploaded?.id else { return try place.transport.download(id: id, limit: limit) }
    throw TransportError(.redirected, place: id)
  }
}
