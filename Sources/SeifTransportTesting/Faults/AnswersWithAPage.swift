public import SeifBackups

public struct AnswersWithAPage: Fault {
  public static let name = "it lists a page for people"
  public static let says = "isn't of its protocol"
  public static let exitCode: Int32 = 76

  public init() {}

  public func list(_ place: HonestPlace) throws(TransportError) -> [BackupDescriptor] {
    throw TransportError(.badAnswer, place: "the place")
  }
}
