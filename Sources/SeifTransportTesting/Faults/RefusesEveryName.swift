public import SeifBackups
public import SeifBytes

public struct RefusesEveryName: Fault {
  public static let name = "it says of every name that it is taken"
  public static let says = "exists already"
  public static let exitCode: Int32 = 73

  public init() {}

  public func upload(
    _ content: SecretValue, _ name: String, _ place: HonestPlace
  ) throws(TransportError) -> BackupDescriptor {
    throw TransportError(.exists, place: name)
  }
}
