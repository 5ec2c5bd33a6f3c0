import Testing

@Suite("Every source file")
struct SourceTests {
  @Test func hasAtMost400Lines() throws {
    for file in try PackageFolder.sources() {
      let lines = try PackageFolder.text(file).split(separator: "\n", omittingEmptySubsequences: false).count - 1
      #expect(lines <= 400, "\(file) has \(lines) lines")
    }
  }

  /// All of Foundation adds 44 MB to a static program, and time to its start.
  @Test func importsFoundationEssentialsAtMost() throws {
    let files = try PackageFolder.sources()
    #expect(!files.isEmpty)
    for file in files {
      let modules = PackageFolder.imports(in: try PackageFolder.text(file))
      #expect(!modules.contains { $0.hasPrefix("Foundation") && $0 != "FoundationEssentials" }, "\(file)")
    }
  }
}
