import SeifRecords
import Testing

@testable import SeifFormats

/// What counts as lost: what a person entered does, Seif's own bookkeeping doesn't.
@Suite struct LossTests {
  private static let writers: [any BackupWriter] = [Vault2FAWriter(), TwoFacWriter(), URIListWriter()]

  private func fields(_ writer: any BackupWriter, _ records: Records) -> Set<String> {
    Set(writer.losses(of: records).filter { $0.kind == .accounts && $0.index != nil }.compactMap(\.field))
  }

  @Test(arguments: writers.indices)
  func anIdentifierIsNoLossAndWhatWasEnteredIs(index: Int) throws {
    let found = fields(Self.writers[index], try FullRecords.make())
    #expect(!found.contains("id"))
    #expect(!found.contains("sortIndex"))
    #expect(found.isSuperset(of: ["tags", "urls", "exactHost", "customFields"]))
  }

  @Test func theOrderIsLostOnlyWhereTheListStandsInAnother() throws {
    var records = try FullRecords.make()
    for (index, place) in [2, 1, 3].enumerated() { records.accounts[index].info.sortIndex = Int64(place) }
    for writer in [TwoFacWriter(), URIListWriter()] as [any BackupWriter] {
      #expect(fields(writer, records).contains("sortIndex"))
    }
    for index in records.accounts.indices { records.accounts[index].info.sortIndex = nil }
    #expect(!fields(URIListWriter(), records).contains("sortIndex"))
    // Beside entries without a place, which stand where the list has them.
    records.accounts[2].info.sortIndex = 0
    #expect(fields(URIListWriter(), records).contains("sortIndex"))
  }
}
