public import SeifBackups
public import SeifBytes

public struct HasItElsewhere: Fault {
  public static let name = "the file is known and not there yet"
  public static let says = "isn't downloaded yet"

  public init() {}

  public func download(_ id: String, _ limit: Int, _ place: HonestPlace) throws(TransportError) -> SecretValue {
    guard id == place.uploaded?.id else { return try place.transport.download(id: id, limit: limit) }
    throw TransportError(.notDownloaded, place: id)
  }
}
