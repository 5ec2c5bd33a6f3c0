import SeifCommandLine
import CSeif
import FoundationEssentials
import Glibc
import Testing

@testable import SeifCommands

/// Help pages change on purpose only. `SEIF_RECORD=1 swift test --filter HelpSnapshotTests` stores them anew.
@Suite struct HelpSnapshotTests {
  private static let folder =
    #filePath.split(separator: "/").dropLast(2).reduce(into: "") { $0 += "/" + $1 } + "/Snapshots/help"

  private static var pages: [(name: String, text: String)] {
    [("overview", Help.overview(CommandTable.all))]
      + CommandTable.all.map { ($0.name.split(separator: " ").joined(separator: "-"), Help.page($0)) }
  }

  @Test func everyPageIsAsStored() throws {
    let isRecording = Environment.current()["SEIF_RECORD"] == "1"
    for page in Self.pages {
      let path = "\(Self.folder)/\(page.name).txt"
      if isRecording {
        let descriptor = seif_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        var text = page.text
        #expect(text.withUTF8 { Descriptor.writeAll($0.span.bytes, to: descriptor) } == 0, "\(path)")
        close(descriptor)
      } else {
        let stored = try? TemporaryFolder.text(of: path)
        #expect(page.text == stored, "\(page.name): see the head of this file")
      }
    }
  }

  @Test func noPageIsLeftOfACommandThatWent() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder).sorted()
    #expect(names == Self.pages.map { $0.name + ".txt" }.sorted())
  }
}
