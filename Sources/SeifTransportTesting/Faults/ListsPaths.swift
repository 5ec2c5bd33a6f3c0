public import SeifBackups

public struct ListsPaths: Fault {
  public static let name = "it lists names that lead out of the folder"
  public static let says = "other files there are left alone"
  public static let exitCode: Int32 = 0

  public init() {}

  public func list(_ place: HonestPlace) throws(TransportError) -> [BackupDescriptor] {
    try place.transport.listBackups()
      + ["../../.ssh/authorized_keys", "/etc/passwd", "a\u{1B}[2Jb", ""].map { name in
        BackupDescriptor(id: name, name: name, byteCount: 1)
      }
  }
}
