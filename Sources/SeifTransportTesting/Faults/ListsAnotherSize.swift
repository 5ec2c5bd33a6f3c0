public import SeifBackups

public struct ListsAnotherSize: Fault {
  public static let name = "it says another size of the older files"
  public static let says = "was proven here and is altered"

  public init() {}

  public func list(_ place: HonestPlace) throws(TransportError) -> [BackupDescriptor] {
    try place.transport.listBackups().map { file in
      BackupDescriptor(id: file.id, name: file.name, byteCount: file.id == place.uploaded?.id ? file.byteCount : 12)
    }
  }
}
