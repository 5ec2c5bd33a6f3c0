public import SeifBackups

public struct StopsListing: Fault {
  public static let name = "it lists no more once a file was stored"
  public static let says = "was proven here and can't be read"

  public init() {}

  public func list(_ place: HonestPlace) throws(TransportError) -> [BackupDescriptor] {
    let isLooking = !place.transport.createsConditionally && place.uploaded != nil && place.next() == 1
    guard place.uploaded == nil || isLooking else { throw TransportError(.unavailable, place: "the place") }
    return try place.transport.listBackups()
  }
}
