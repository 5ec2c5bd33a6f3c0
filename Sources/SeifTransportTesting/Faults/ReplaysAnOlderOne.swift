public import SeifBackups
public import SeifBytes

public struct ReplaysAnOlderOne: Fault {
  public static let name = "it gives an older backup under the newest name"
  public static let says = "was proven here and is altered"
  public static let exitCode: Int32 = 64
  public static let deed = Deed.restore

  public init() {}

  public func download(_ id: String, _ limit: Int, _ place: HonestPlace) throws(TransportError) -> SecretValue {
    let files = try place.older()
    guard let newest = files.last, let older = files.first, id == newest.id else {
      return try place.transport.download(id: id, limit: limit)
    }
    return try place.transport.download(id: older.id, limit: limit)
  }
}
