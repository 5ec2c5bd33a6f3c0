public import SeifBackups
public import SeifBytes

public struct GivesAPage: Fault {
  public static let name = "it gives a page for people in place of the file"
  public static let says = "came back from here altered"

  public init() {}

  public func download(_ id: String, _ limit: Int, _ place: HonestPlace) throws(TransportError) -> SecretValue {
    guard id == place.uploaded?.id else { return try place.transport.download(id: id, limit: limit) }
    return SecretValue(utf8: "<!DOCTYPE html><title>Sign in</title>")
  }
}
