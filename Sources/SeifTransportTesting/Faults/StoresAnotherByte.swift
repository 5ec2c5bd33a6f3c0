public import SeifBackups
public import SeifBytes

public struct StoresAnotherByte: Fault {
  public static let name = "it changes one bit while it stores"
  public static let says = "came back from here altered"

  public init() {}

  public func upload(
    _ content: SecretValue, _ name: String, _ place: HonestPlace
  ) throws(TransportError) -> BackupDescriptor {
    var bytes = content.exposedBytes()
    bytes[bytes.count / 3] ^= 0x10
    return try place.upload(SecretValue(bytes), name)
  }
}
