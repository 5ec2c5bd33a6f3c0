import FoundationEssentials
import SeifBackups
import SeifBytes
import Testing

@testable import SeifTransports

/// docs/new-transport.md, followed to the letter: its script is written to a file, made executable and used.
@Suite struct ExternalPageTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  private let page: String
  private let script: String
  private let programs = ProgramFolder()

  init() throws {
    page = try String(contentsOf: Self.root.appending(path: "docs/new-transport.md"), encoding: .utf8)
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex(of: "```sh"))
    let body = lines[(start + 1)...].prefix { $0 != "```" }
    script = body.map { $0 + "\n" }.joined()
  }

  private func transport() throws -> ExternalTransport {
    try ExternalTransport(
      program: try programs.add("transport", script), argument: programs.folder("backups"), createsConditionally: true)
  }

  // A process a file: more than a thousand of them stand in the next test.
  @Test(arguments: TransportConformance.checks(.short))
  func theScriptDoesWhatEveryTransportDoes(check: TransportConformance.Check) throws {
    try check.run(transport())
    #expect(try FileManager.default.contentsOfDirectory(atPath: programs.folder("backups")).isEmpty)
  }

  @Test func theScriptListsMoreThanAThousandFiles() throws {
    let place = programs.folder("backups")
    let names = Set((0..<1_003).map { "file \($0)" })
    for name in names { try Data(name.utf8).write(to: URL(filePath: "\(place)/\(name)")) }
    let listed = try transport().listBackups()
    #expect(listed.count == names.count && Set(listed.map(\.name)) == names)
    #expect(listed.allSatisfy { $0.byteCount == $0.name.utf8.count })
  }

  @Test func theScriptHasAtMostSixtyLinesAndIsTheExample() throws {
    #expect(script.split(separator: "\n", omittingEmptySubsequences: false).dropLast().count <= 60)
    let example = Self.root.appending(path: "Examples/transports/folder.sh")
    #expect(try String(contentsOf: example, encoding: .utf8) == script)
    #expect(FileManager.default.isExecutableFile(atPath: example.path))
  }

  @Test func thePageNamesEveryVariableAndEveryStatus() {
    for name in ProgramEnvironment.names { #expect(page.contains("`\(name)`"), "\(name)") }
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| ") && $0.hasSuffix(" |") }
    let numbers = rows.compactMap { $0.split(separator: "|").first }.flatMap { cell in
      cell.split(separator: ",").compactMap { Int32($0.filter { $0 != " " }) }
    }
    #expect(Set(numbers) == Set(ExternalTransport.codes.keys).union([0]))
  }

  @Test func theScriptKeepsNothingOfAnUploadThatWasCut() throws {
    let place = programs.folder("backups")
    let outcome = try ProgramRun.run(
      try programs.add("transport", script), [place, "upload", "b", "1000"],
      input: SecretValue(byteCount: 999) { _ in },
      limit: 100, seconds: 20)
    guard case .exited(let status) = outcome.end else {
      Issue.record("it didn't end")
      return
    }
    #expect(status == 75)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place).isEmpty)
  }

  @Test func whatThePlaceRefusesIsSaidByTheScript() throws {
    let missing = try ExternalTransport(
      program: try programs.add("transport", script), argument: programs.path + "/none")
    #expect(throws: TransportError(.notFound, place: "")) { try missing.listBackups() }
    let file = try ExternalTransport(program: programs.add("transport", script), argument: "/proc")
    #expect(throws: TransportError(.unauthorized, place: "")) { try file.checkWriting() }
    #expect(throws: TransportError(.notFound, place: "")) { try transport().download(id: "../transport", limit: 9_999) }
    #expect(throws: TransportError(.notFound, place: "")) { try transport().delete(id: ".hidden") }
  }
}
