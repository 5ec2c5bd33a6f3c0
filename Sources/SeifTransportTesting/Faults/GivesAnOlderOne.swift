public import SeifBackups
public import SeifBytes

public struct GivesAnOlderOne: Fault {
  public static let name = "it gives an older backup for the new one"
  public static let says = "came back from here altered"

  public init() {}

  public func download(_ id: String, _ limit: Int, _ place: HonestPlace) throws(TransportError) -> SecretValue {
    guard id == place.uploaded?.id else { return try place.transport.download(id: id, limit: limit) }
    guard let older = try place.older().last else { throw TransportError(.notFound, place: id) }
    return try place.transport.download(id: older.id, limit: limit)
  }
}
