public import SeifBackups
public import SeifBytes

public struct LosesItAtOnce: Fault {
  public static let name = "the new file is gone as soon as it is stored"
  public static let says = "isn't there"

  public init() {}

  public func download(_ id: String, _ limit: Int, _ place: HonestPlace) throws(TransportError) -> SecretValue {
    guard id == place.uploaded?.id else { return try place.transport.download(id: id, limit: limit) }
    try place.transport.delete(id: id)
    throw TransportError(.notFound, place: id)
  }
}
