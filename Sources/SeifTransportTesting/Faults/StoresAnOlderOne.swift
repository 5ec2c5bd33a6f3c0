public import SeifBackups
public import SeifBytes

public struct StoresAnOlderOne: Fault {
  public static let name = "it stores an older backup under the new name"
  public static let says = "came back from here altered"

  public init() {}

  public func upload(
    _ content: SecretValue, _ name: String, _ place: HonestPlace
  ) throws(TransportError) -> BackupDescriptor {
    guard let older = try place.older().last else { return try place.upload(content, name) }
    return try place.upload(try place.transport.download(id: older.id, limit: 1 << 26), name)
  }
}
