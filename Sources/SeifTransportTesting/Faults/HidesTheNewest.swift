public import SeifBackups

public struct HidesTheNewest: Fault {
  public static let name = "it hides the newest backup"
  public static let says = "was proven here and is gone"
  public static let exitCode: Int32 = 64
  public static let deed = Deed.restore

  public init() {}

  public func list(_ place: HonestPlace) throws(TransportError) -> [BackupDescriptor] {
    let newest = try place.older().last?.id
    return try place.transport.listBackups().filter { $0.id != newest }
  }
}
