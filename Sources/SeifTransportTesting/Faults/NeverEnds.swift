public import SeifBackups
public import SeifBytes

public struct NeverEnds: Fault {
  public static let name = "its answer has no end"
  public static let says = "larger than a backup may be"

  public init() {}

  public func download(_ id: String, _ limit: Int, _ place: HonestPlace) throws(TransportError) -> SecretValue {
    guard id == place.uploaded?.id else { return try place.transport.download(id: id, limit: limit) }
    throw TransportError(.tooLarge, place: id)
  }
}
