public import SeifBackups
public import SeifBytes

public struct Drips: Fault {
  public static let name = "it gives a byte now and then"
  public static let says = "didn't answer in time"

  public init() {}

  public func download(_ id: String, _ limit: Int, _ place: HonestPlace) throws(TransportError) -> SecretValue {
    guard id == place.uploaded?.id else { return try place.transport.download(id: id, limit: limit) }
    throw TransportError(.timedOut, place: id)
  }
}
