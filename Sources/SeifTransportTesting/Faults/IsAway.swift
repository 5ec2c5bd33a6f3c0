public import SeifBackups

public struct IsAway: Fault {
  public static let name = "it can't be reached"
  public static let says = "can't be reached"
  public static let exitCode: Int32 = 69

  public init() {}

  public func list(_ place: HonestPlace) throws(TransportError) -> [BackupDescriptor] {
    throw TransportError(.unavailable, place: "the place")
  }
}
