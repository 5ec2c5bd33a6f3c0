public import SeifBackups
public import SeifBytes

public struct ForgetsWhoAsks: Fault {
  public static let name = "the credentials end in the middle"
  public static let says = "refuses the credentials"

  public init() {}

  public func download(_ id: String, _ limit: Int, _ place: HonestPlace) throws(TransportError) -> SecretValue {
    guard id == place.uploaded?.id else { return try place.transport.download(id: id, limit: limit) }
    throw TransportError(.unauthorized, place: id)
  }
}
