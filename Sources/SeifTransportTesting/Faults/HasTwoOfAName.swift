public import SeifBackups

public struct HasTwoOfAName: Fault {
  public static let name = "it has a second file of the newest name, with other bytes"
  public static let says = ""
  public static let exitCode: Int32 = 0
  public static let deed = Deed.restore

  public init() {}

  public func list(_ place: HonestPlace) throws(TransportError) -> [BackupDescriptor] {
    let files = try place.transport.listBackups()
    guard let newest = try place.older().last, let older = try place.older().first else { return files }
    return [BackupDescriptor(id: older.id, name: newest.name, byteCount: older.byteCount)] + files
  }
}
