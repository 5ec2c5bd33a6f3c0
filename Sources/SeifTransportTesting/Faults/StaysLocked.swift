public import SeifBackups
public import SeifBytes

public struct StaysLocked: Fault {
  public static let name = "somebody holds it for good"
  public static let says = "locked by somebody else"
  public static let exitCode: Int32 = 75

  public init() {}

  public func upload(
    _ content: SecretValue, _ name: String, _ place: HonestPlace
  ) throws(TransportError) -> BackupDescriptor {
    throw TransportError(.locked, place: name)
  }
}
