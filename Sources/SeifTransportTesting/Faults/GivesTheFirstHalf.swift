public import SeifBackups
public import SeifBytes

public struct GivesTheFirstHalf: Fault {
  public static let name = "it gives the first half of the new file"
  public static let says = "came back from here altered"

  public init() {}

  public func download(_ id: String, _ limit: Int, _ place: HonestPlace) throws(TransportError) -> SecretValue {
    guard id == place.uploaded?.id else { return try place.transport.download(id: id, limit: limit) }
    let content = try place.transport.download(id: id, limit: limit)
    return SecretValue(Array(content.exposedBytes().prefix(content.byteCount / 2)))
  }
}
