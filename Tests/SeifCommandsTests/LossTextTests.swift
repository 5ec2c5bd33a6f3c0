import SeifFormats
import SeifRecords
import Testing

@testable import SeifCommands

@Suite struct LossTextTests {
  @Test func lossesAreCountedByKindAndFieldInTheOrderOfTheFirst() {
    let losses = [
      Loss(kind: .cards, index: 0), Loss(kind: .accounts, index: 0, field: "tags"), Loss(kind: .cards, index: 1),
      Loss(kind: .accounts, index: 2, field: "tags"), Loss(kind: .accounts, index: 1),
    ]
    #expect(
      LossText.lines(losses, format: "X") == [
        "X can't hold cards, 2 left out", "X can't hold accounts: tags, 2 left out",
        "X can't hold accounts, 1 left out",
      ])
  }

  /// With a step for each pair it would take hours.
  @Test(.timeLimit(.minutes(5))) func manyFieldsCostInProportion() {
    let losses = (0..<200_000).map { (number: Int) in Loss(kind: .accounts, field: "field \(number)") }
    #expect(LossText.lines(losses, format: "X").count == 200_000)
  }
}
