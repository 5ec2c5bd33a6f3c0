public import SeifBackups
public import SeifBytes

public struct StoresUnderAnotherName: Fault {
  public static let name = "it stores a conflict copy under another name"
  public static let says = "isn't stored under its name"
  public static let exitCode: Int32 = 76

  public init() {}

  public func upload(
    _ content: SecretValue, _ name: String, _ place: HonestPlace
  ) throws(TransportError) -> BackupDescriptor {
    try place.upload(content, "Copy of " + name)
  }
}
