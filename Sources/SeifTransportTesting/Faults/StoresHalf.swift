public import SeifBackups
public import SeifBytes

public struct StoresHalf: Fault {
  public static let name = "it stores the first half and says that it is done"
  public static let says = "came back from here altered"

  public init() {}

  public func upload(
    _ content: SecretValue, _ name: String, _ place: HonestPlace
  ) throws(TransportError) -> BackupDescriptor {
    let half = SecretValue(Array(content.exposedBytes().prefix(content.byteCount / 2)))
    return try place.upload(half, name)
  }
}
