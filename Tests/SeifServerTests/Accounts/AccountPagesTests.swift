import FoundationEssentials
import SeifServer
import SeifTestSupport
import Testing

@Suite struct AccountPagesTests {
  @Test func theInterfacesPagesNameEachCallAndNoOther() throws {
    let root = TestData.packageRoot
    let yaml = try String(contentsOf: root.appending(path: "docs/api/accounts.yaml"), encoding: .utf8)
    var calls: Set<String> = []
    var path = ""
    for line in yaml.split(separator: "\n") {
      if line == "components:" { break }
      if let match = line.wholeMatch(of: /\ \ (\/[^ ]*):/) { path = String(match.1) }
      if let match = line.wholeMatch(of: /\ \ \ \ (get|put|post|delete):/) {
        calls.insert("\(match.1.uppercased()) \(path)")
      }
    }
    let routes = AccountServer().controller.routes.map { "\($0.method) \($0.pattern)" }
    #expect(Set(routes) == calls)
    #expect(Set(routes).count == routes.count)
    let page = try String(contentsOf: root.appending(path: "docs/api-accounts.md"), encoding: .utf8)
    for route in routes where !route.hasSuffix("freshen/passkey/finish") {
      #expect(page.contains("`\(route)`"), "\(route)")
    }
    for kind in AccountProblem.Kind.allCases {
      #expect(page.contains("`\(kind.rawValue)`"), "\(kind.rawValue)")
    }
  }
}
