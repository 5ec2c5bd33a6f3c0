public import SeifBackups

public struct ListsWhatWasThere: Fault {
  public static let name = "its listing lacks the new file"
  public static let says = "the destination doesn't list it"
  public static let withoutConditions: Outcome? = Outcome("isn't stored under its name", 76)

  public init() {}

  public func list(_ place: HonestPlace) throws(TransportError) -> [BackupDescriptor] {
    try place.transport.listBackups().filter { $0.id != place.uploaded?.id }
  }
}
