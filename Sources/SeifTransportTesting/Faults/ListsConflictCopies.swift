public import SeifBackups

public struct ListsConflictCopies: Fault {
  public static let name = "it lists conflict copies beside the files"
  public static let says = "other files there are left alone"
  public static let exitCode: Int32 = 0

  public init() {}

  public func list(_ place: HonestPlace) throws(TransportError) -> [BackupDescriptor] {
    let files = try place.transport.listBackups()
    return files
      + files.map { file in
        BackupDescriptor(id: file.id + " 2", name: "Conflict of " + file.name, byteCount: file.byteCount)
      }
  }
}
