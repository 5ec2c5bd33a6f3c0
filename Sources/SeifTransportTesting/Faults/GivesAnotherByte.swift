public import SeifBackups
public import SeifBytes

public struct GivesAnotherByte: Fault {
  public static let name = "it changes one bit while it gives"
  public static let says = "came back from here altered"

  public init() {}

  public func download(_ id: String, _ limit: Int, _ place: HonestPlace) throws(TransportError) -> SecretValue {
    guard id == place.uploaded?.id else { return try place.transport.download(id: id, limit: limit) }
    var bytes = try place.transport.download(id: id, limit: limit).exposedBytes()
    bytes[bytes.count - 1] ^= 1
    return SecretValue(bytes)
  }
}
