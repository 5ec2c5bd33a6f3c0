public import SeifBackups
public import SeifBytes

public struct GivesMore: Fault {
  public static let name = "it gives the file and more behind it"
  public static let says = "came back from here altered"

  public init() {}

  public func download(_ id: String, _ limit: Int, _ place: HonestPlace) throws(TransportError) -> SecretValue {
    guard id == place.uploaded?.id else { return try place.transport.download(id: id, limit: limit) }
    return SecretValue(try place.transport.download(id: id, limit: limit).exposedBytes() + [0x0A])
  }
}
