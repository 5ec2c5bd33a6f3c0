public import SeifBackups
public import SeifBytes

public struct FillsUp: Fault {
  public static let name = "it is full in the middle of the file"
  public static let says = "no space left"
  public static let exitCode: Int32 = 74

  public init() {}

  public func upload(
    _ content: SecretValue, _ name: String, _ place: HonestPlace
  ) throws(TransportError) -> BackupDescriptor {
    let half = SecretValue(Array(content.exposedBytes().prefix(content.byteCount / 2)))
    _ = try place.upload(half, name)
    throw TransportError(.full, place: name)
  }
}
