import FoundationEssentials
import Testing

@Suite("Targets use what the table of docs/architecture.md allows")
struct TargetTests {
  private struct Package: Decodable {
    struct Target: Decodable {
      var name: String
      var type: String
      var target_dependencies: [String]?
      var product_dependencies: [String]?
    }
    var targets: [Target]
    var dependencies: [Dependency]
    struct Dependency: Decodable {}
  }

  private let table: TargetTable

  init() throws {
    table = TargetTable(markdown: try PackageFolder.text("docs/architecture.md"))
  }

  /// A scratch folder of its own: the one of the build is locked while `swift test` runs.
  private func package() throws -> Package {
    let scratch = FileManager.default.temporaryDirectory.appending(path: "seif-describe-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: scratch) }
    let described = try run([
      "swift", "package", "--package-path", PackageFolder.path, "--scratch-path", scratch.path, "describe", "--type",
      "json",
    ])
    try #require(described.status == 0)
    return try JSONDecoder().decode(Package.self, from: Data(described.output.utf8))
  }

  @Test func everyDependencyStandsInTheTable() throws {
    var seen = 0
    for target in try package().targets where target.type != "test" {
      let allowed = table.allowed[target.name] ?? []
      for dependency in target.target_dependencies ?? [] {
        seen += 1
        #expect(allowed.contains(dependency), "\(target.name) uses \(dependency)")
      }
    }
    #expect(seen > 20)
  }

  @Test func everyTargetHasOneRowAndEveryRowATarget() throws {
    let targets = Set(try package().targets.filter { $0.type != "test" }.map(\.name))
    #expect(Set(table.allowed.keys).symmetricDifference(targets) == [])
    #expect(table.repeated == [])
  }

  @Test func nothingComesFromAnotherPackage() throws {
    let package = try package()
    #expect(package.dependencies.isEmpty)
    #expect(package.targets.flatMap { $0.product_dependencies ?? [] } == [])
  }

  /// SwiftPM lets a target import what its dependencies use, so the imports are compared too.
  @Test func everyImportStandsInTheTable() throws {
    for file in try PackageFolder.sources() {
      let target = String(file.split(separator: "/")[1])
      let allowed = table.allowed[target] ?? []
      for module in PackageFolder.imports(in: try PackageFolder.text(file)) where module != "Swift" {
        #expect(allowed.contains(module), "\(file) imports \(module)")
      }
    }
  }

  @Test func importsAreReadInEveryForm() {
    let text = """
      import A
        @testable internal import B
      package import struct C.Inner
      @preconcurrency import D.Part
      // import E
      let import_ = "import F"
      """
    #expect(PackageFolder.imports(in: text) == ["A", "B", "C", "D"])
  }

  @Test func rowsAreReadFromTheirTableAlone() {
    let markdown = """
      | target | may use | why |
      | --- | --- | --- |
      | `A` | `B`, `C` | reason |
      | `B` | – | reason with `code` |
      | `A` | `C` | again |
      | `x` | two columns |
      """
    let table = TargetTable(markdown: markdown)
    #expect(table.allowed == ["A": ["C"], "B": []])
    #expect(table.repeated == ["A"])
  }
}
