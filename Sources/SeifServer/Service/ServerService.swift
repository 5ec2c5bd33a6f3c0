package import SeifBytes
package import SeifHTTPServer
internal import SeifHTTPFields

/// All that a server answers: accounts, vaults, and 404 for everything else.
package struct ServerService: HTTPService {
  private let accounts: AccountPlans
  private let vaults: VaultPlans
  private let counts: RequestCounts
  private let log: @Sendable (String) -> Void

  /// - Parameter log: takes a line for each request; never anything that a client chose but the method.
  package init(
    _ controller: AccountController, counts: RequestCounts, now: @escaping @Sendable () -> Timestamp,
    log: @escaping @Sendable (String) -> Void
  ) {
    accounts = AccountPlans(controller, now: now)
    vaults = VaultPlans(VaultController(controller), now: now)
    self.counts = counts
    self.log = log
  }

  package func plan(_ head: HTTPRequestHead) -> HTTPPlan {
    found(head)?.plan ?? .answer(WireAnswer.problem(404, type: "not-found", title: "There is nothing here."))
  }

  private func found(_ head: HTTPRequestHead) -> (plan: HTTPPlan, pattern: String)? {
    vaults.plan(head) ?? accounts.plan(head)
  }

  package func ended(_ request: HTTPEndedRequest) {
    let pattern = found(request.head)?.pattern ?? "-"
    let method = Self.methods.contains(request.head.method) ? request.head.method : "-"
    let status = request.status.map(String.init) ?? "-"
    counts.add(method: method, pattern: pattern, request)
    log(
      "\(method) \(pattern) \(status) \(request.received) \(request.sent) \(request.microseconds)us")
  }

  private static let methods: Set<String> = ["GET", "HEAD", "POST", "PUT", "DELETE"]
}
