public import SeifBackups
public import SeifBytes

public struct StoresAndSaysNothing: Fault {
  public static let name = "it stores, and its answer is lost"
  public static let says = "didn't answer in time"
  public static let exitCode: Int32 = 69

  public init() {}

  public func upload(
    _ content: SecretValue, _ name: String, _ place: HonestPlace
  ) throws(TransportError) -> BackupDescriptor {
    _ = try place.upload(content, name)
    throw TransportError(.timedOut, place: name)
  }
}
