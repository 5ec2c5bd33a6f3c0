public import SeifBackups

public struct ListsNothing: Fault {
  public static let name = "it lists nothing"
  public static let says = "was proven here and is gone"
  public static let withoutConditions: Outcome? = Outcome("isn't stored under its name", 76)

  public init() {}

  public func list(_ place: HonestPlace) throws(TransportError) -> [BackupDescriptor] {
    []
  }
}
