import SeifCommandLine
import FoundationEssentials
import SeifBackups
import SeifTestSupport
import Testing

@testable import SeifCommands

/// docs/errors.md says of each failure of a transport what the program does.
@Suite struct ErrorsPageTests {
  @Test func thePageHasEveryFailureAsItIs() throws {
    let page = try String(contentsOf: TestData.packageRoot.appending(path: "docs/errors.md"), encoding: .utf8)
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }.map(String.init)
    let expected = TransportError.Code.allCases.map { code in
      let error = TransportError(code, place: "PLACE")
      let exitCode = CommandFailure.code(error).rawValue
      return "| `\(code.rawValue)` | \(code.isRetried ? "yes" : "no") | \(exitCode) | \(error.description) |"
    }
    #expect(rows == expected)
  }
}
