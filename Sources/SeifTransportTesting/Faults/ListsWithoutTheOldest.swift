public import SeifBackups

public struct ListsWithoutTheOldest: Fault {
  public static let name = "its listing lacks an older file"
  public static let says = "was proven here and is gone"

  public init() {}

  public func list(_ place: HonestPlace) throws(TransportError) -> [BackupDescriptor] {
    let hidden = try place.older().first?.id
    return try place.transport.listBackups().filter { $0.id != hidden }
  }
}
