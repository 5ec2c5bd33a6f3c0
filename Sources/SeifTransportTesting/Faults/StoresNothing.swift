public import SeifBackups
public import SeifBytes

public struct StoresNothing: Fault {
  public static let name = "it says that it stored and stores nothing"
  public static let says = "can't be read back"
  public static let withoutConditions: Outcome? = Outcome("isn't stored under its name", 76)

  public init() {}

  public func upload(
    _ content: SecretValue, _ name: String, _ place: HonestPlace
  ) throws(TransportError) -> BackupDescriptor {
    BackupDescriptor(id: name, name: name, byteCount: content.byteCount)
  }
}
