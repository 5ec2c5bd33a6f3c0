public import SeifBackups
public import SeifBytes

public struct TakesNothing: Fault {
  public static let name = "it takes no file of this size"
  public static let says = "larger than a backup may be"
  public static let exitCode: Int32 = 74

  public init() {}

  public func upload(
    _ content: SecretValue, _ name: String, _ place: HonestPlace
  ) throws(TransportError) -> BackupDescriptor {
    throw TransportError(.tooLarge, place: name)
  }
}
