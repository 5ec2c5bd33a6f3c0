import SeifCommandLine
import SeifBytes
import SeifFormats
import SeifRecords
import Testing

@testable import SeifCommands

@Suite struct LossReportTests {
  private func notes(_ count: Int) -> Records {
    var records = Records()
    records.notes = (0..<count).map { index in
      var note = Note(text: SecretValue(utf8: "text"))
      note.title = "note \(index)"
      return note
    }
    return records
  }

  @Test func entriesAreNamedWithWhatTheyLose() {
    var records = notes(3)
    records.unusable = [UnusableEntry(kind: .notes, json: SecretValue(utf8: "1"))]
    let report = LossReport(
      [
        Loss(kind: .notes, index: 0), Loss(kind: .notes, index: 2, field: "tags"),
        Loss(kind: .notes, index: 2, field: "isFavorite"), Loss(kind: .notes, index: 3),
        Loss(kind: .accounts, field: "later"),
      ], of: records)
    #expect(
      report.sections == [
        .init(heading: "1 note left out", items: ["note 0"]),
        .init(heading: "1 note that can't be used, left out", items: []),
        .init(heading: "parts of 1 note left out", items: ["note 2: tags, the favourite mark"]),
        .init(heading: "members of the file itself left out", items: ["later"]),
      ])
    #expect(report.written.notes.map(\.title) == ["note 1", "note 2"])
    #expect(report.written.unusable.isEmpty)
  }

  @Test func ofManyTenAreNamedAndTheRestIsCountedAndAllStandInTheDocument() throws {
    let world = try World()
    let report = LossReport((0..<12).map { Loss(kind: .notes, index: $0) }, of: notes(12))
    world.context.talk.isQuiet = true
    report.tell(format: "X", world.context)
    let lines = world.errors.split(separator: "\n")
    #expect(lines.first == "X can't hold:")
    #expect(lines[1] == "! 12 notes left out")
    #expect(lines[2...].dropLast() == ((0..<10).map { "    note \($0)" })[...])
    #expect(lines.last == "    and 2 more; all of them: --json")
    var writer = JSONWriter()
    writer.beginObject()
    report.write(&writer)
    writer.endObject()
    let lost = try JSONDocument(parsing: writer.finish(), policy: .strict).root["lost"]
    #expect(lost?.elements.map { $0["name"]?.string } == (0..<12).map { "note \($0)" })
  }

  /// With a step for each pair it would take hours.
  @Test(.timeLimit(.minutes(15))) func manyLossesCostInProportion() {
    let top = (0..<200_000).map { (number: Int) in Loss(kind: .accounts, field: "field \(number)") }
    #expect(LossReport(top, of: Records()).sections.first?.items.count == 200_000)
    let fields = (0..<200_000).map { (number: Int) in
      Loss(kind: .notes, index: number / 2, field: number % 2 == 0 ? "tags" : "urls")
    }
    #expect(LossReport(fields, of: notes(100_000)).sections.first?.items.count == 100_000)
    let whole = (0..<100_000).map { Loss(kind: .notes, index: $0) }
    #expect(LossReport(whole, of: notes(100_000)).written.count == 0)
  }
}
