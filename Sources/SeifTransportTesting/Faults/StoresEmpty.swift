public import SeifBackups
public import SeifBytes

public struct StoresEmpty: Fault {
  public static let name = "it stores an empty file"
  public static let says = "came back from here altered"

  public init() {}

  public func upload(
    _ content: SecretValue, _ name: String, _ place: HonestPlace
  ) throws(TransportError) -> BackupDescriptor {
    try place.upload(.empty, name)
  }
}
