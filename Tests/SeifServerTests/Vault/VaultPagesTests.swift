import FoundationEssentials
import SeifHTTPServer
import SeifServer
import SeifServerTesting
import SeifTestSupport
import Testing

/// docs/api.md and docs/api/vault.yaml, held to what the server does: each way, on both mounts.
@Suite struct VaultPagesTests {
  /// A call as docs/api/vault.yaml has it.
  private struct Call: Equatable {
    var hasBody = false
    var statuses: Set<Int> = []
  }

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: TestData.packageRoot.appending(path: path), encoding: .utf8)
  }

  /// By method and path.
  private static func calls() throws -> [String: Call] {
    var calls: [String: Call] = [:]
    var (path, call) = ("", "")
    for line in try text("docs/api/vault.yaml").split(separator: "\n") {
      if line == "components:" { break }
      if let match = line.wholeMatch(of: /\ \ (\/[^ ]*):/) {
        (path, call) = (String(match.1), "")
      } else if let match = line.wholeMatch(of: /\ \ \ \ (get|put|post|delete):/) {
        call = "\(match.1.uppercased()) \(path)"
        #expect(calls.updateValue(Call(), forKey: call) == nil, "\(call)")
      } else if line == "      requestBody:" {
        calls[call]?.hasBody = true
      } else if let match = line.prefixMatch(of: /\ \ \ \ \ \ \ \ '([0-9]{3})':/), let status = Int(match.1) {
        calls[call]?.statuses.insert(status)
      }
    }
    return calls
  }

  /// The rows of the table below a heading of docs/api.md, cell by cell.
  private static func table(below heading: String) throws -> [[String]] {
    let lines = try text("docs/api.md").split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex { $0 == "## \(heading)" })
    let below = lines[start...].drop { !$0.hasPrefix("|") }
    return below.prefix { $0.hasPrefix("|") }.dropFirst(2).map(cells)
  }

  private static func cells(_ row: Substring) -> [String] {
    let parts = row.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
    return parts.map { part in
      var text = part
      while text.first == " " { text.removeFirst() }
      while text.last == " " { text.removeLast() }
      return String(text)
    }
  }

  private static func statuses(in text: String) -> Set<Int> {
    Set(text.matches(of: /\b[2-5][0-9]{2}\b/).compactMap { Int($0.0) })
  }

  @Test func theYAMLHasEachCallOfBothMountsAndNoOther() throws {
    let calls = try Self.calls()
    var expected: Set<String> = []
    for route in try VaultServer().routes {
      for mount in VaultMount.allCases {
        let name = "\(route.method) \(mount.rawValue)\(route.pattern)"
        expected.insert(name)
        let hasBody = if case .none = route.body { false } else { true }
        #expect(calls[name]?.hasBody == hasBody, "\(name)")
      }
      #expect(
        calls["\(route.method) \(VaultMount.token.rawValue)\(route.pattern)"]
          == calls["\(route.method) \(VaultMount.session.rawValue)\(route.pattern)"])
    }
    #expect(Set(calls.keys) == expected)
  }

  @Test func thePageHasEachCallWithItsNeedAndStatusesOfTheYAML() throws {
    let calls = try Self.calls()
    let routes = try VaultServer().routes
    var named: Set<String> = []
    for row in try Self.table(below: "Calls about a vault") {
      try #require(row.count == 4)
      let name = row[0].filter { $0 != "`" }
      #expect(named.insert(name).inserted, "\(name)")
      let route = try #require(routes.first { "\($0.method) \($0.pattern.isEmpty ? "/" : $0.pattern)" == name })
      let need: VaultRoute.Need = row[1] == "F" ? .freshWrite : row[1] == "W" ? .write : .read
      #expect(route.need == need, "\(name)")
      if case .none = route.body { #expect(row[2].isEmpty, "\(name)") } else { #expect(!row[2].isEmpty, "\(name)") }
      let said = try #require(calls["\(route.method) \(VaultMount.token.rawValue)\(route.pattern)"]).statuses
      #expect(Self.statuses(in: row[3]).isSubset(of: said), "\(name)")
      // What any call may answer: malformed, not signed in, not allowed, a store that can't be asked.
      #expect(said.isSuperset(of: [400, 401, 403, 503]), "\(name)")
    }
    #expect(named.count == routes.count)
  }

  @Test func thePageHasEachProblemWithItsStatusAndNoOther() throws {
    struct Said: Decodable {
      let type: String
      let status: Int
    }
    var made = ["method-not-allowed": Set([405])]
    let shared: [VaultProblem] = [.account(AccountProblem(.busy)), .account(AccountProblem(.unavailable))]
    for problem in Self.problems + shared {
      let bytes = PlanRunner.bytes(problem.answer.body)
      let said = try JSONDecoder().decode(Said.self, from: Data(bytes))
      #expect(said.status == problem.answer.status)
      made[String(said.type.dropFirst("/problems/".count)), default: []].insert(said.status)
    }
    var named: [String: Set<Int>] = [:]
    for row in try Self.table(below: "Problems of these calls") {
      for match in row[0].matches(of: /`([a-z-]+)`/) {
        #expect(named.updateValue(Self.statuses(in: row[1]), forKey: String(match.1)) == nil, "\(match.1)")
      }
    }
    #expect(named == made)
  }

  private static let problems: [VaultProblem] = [
    .badRequest, .notFound, .conflict, .lastWrap, .tooMany, .gone, .manifestConflict(nil), .tooLarge, .mediaType,
    .range(byteCount: 1), .tooShort, .badRow, .preconditionRequired, .quota, .usageOff, .damaged,
  ]

  /// Has no meaning but that a new case doesn't compile until it is looked at here, and put into `problems`.
  private static func isListed(_ problem: VaultProblem) -> Bool {
    switch problem {
    case .account: false
    case .badRequest, .notFound, .conflict, .lastWrap, .tooMany, .gone, .manifestConflict, .tooLarge, .mediaType,
      .range, .tooShort, .badRow, .preconditionRequired, .quota, .usageOff, .damaged:
      true
    }
  }

  @Test func eachProblemIsListedOnce() {
    #expect(Self.problems.allSatisfy(Self.isListed))
    #expect(Set(Self.problems.map { "\($0.answer.status) \(PlanRunner.bytes($0.answer.body))" }).count == 16)
  }
}
