package import SeifBytes
internal import SeifHTTPFields
package import SeifHTTPServer

/// The calls about accounts as HTTP: which one a path is, its body's kind and length, answers and problems.
package struct AccountPlans: Sendable {
  private let controller: AccountController
  private let routes: [(route: AccountRoute, pattern: [Substring])]
  private let now: @Sendable () -> Timestamp

  package init(_ controller: AccountController, now: @escaping @Sendable () -> Timestamp) {
    self.controller = controller
    self.now = now
    routes = controller.routes.map { ($0, $0.pattern.split(separator: "/", omittingEmptySubsequences: false)) }
  }

  /// What becomes of a request, and the pattern of its path, for the log; nil: it is no call of these.
  package func plan(_ head: HTTPRequestHead) -> (plan: HTTPPlan, pattern: String)? {
    let path = head.path.split(separator: "/", omittingEmptySubsequences: false)
    // HEAD is GET, whose body the engine leaves out.
    let method = head.method == "HEAD" ? "GET" : head.method
    var found = routes.filter { Self.parameters(path, $0.pattern) != nil }
    // A path that is written out goes before one with a parameter.
    if found.contains(where: { !$0.route.pattern.contains("{") }) {
      found.removeAll { $0.route.pattern.contains("{") }
    }
    guard let pattern = found.first?.route.pattern else { return nil }
    guard let route = found.first(where: { $0.route.method == method })?.route,
      let parameters = Self.parameters(path, route.pattern.split(separator: "/", omittingEmptySubsequences: false))
    else {
      let methods = Set(found.map(\.route.method))
      let allowed = (methods.contains("GET") ? methods.union(["HEAD"]) : methods).sorted()
      let fields = [HTTPField("Allow", allowed.joined(separator: ", "))]
      let answer = WireAnswer.problem(
        405, type: "method-not-allowed", title: "This path doesn't take the method.", fields: fields)
      return (.answer(answer), pattern)
    }
    return (plan(route, head, parameters), pattern)
  }

  private func plan(_ route: AccountRoute, _ head: HTTPRequestHead, _ parameters: [String: String]) -> HTTPPlan {
    let answer: @Sendable (SecretValue) -> HTTPAnswer = { [controller, now] body in
      let call = AccountCall(head: head, parameters: parameters, body: body, now: now())
      do throws(AccountProblem) {
        return Self.answer(try controller.answer(route, call))
      } catch {
        return WireAnswer.answer(error)
      }
    }
    switch route.body {
    case .none:
      // An empty body that is announced is none.
      return head.bodyByteCount == 0
        ? .work { answer(.empty) } : .answer(WireAnswer.answer(AccountProblem(.badRequest)))
    case .json, .form:
      let wanted = route.body == .json ? "application/json" : "application/x-www-form-urlencoded"
      let type = (head["Content-Type"] ?? "").prefix { $0 != ";" && $0 != " " }.lowercased()
      guard type == wanted else {
        return .answer(WireAnswer.problem(415, type: "media-type", title: "The body has to be \(wanted)."))
      }
      guard head.bodyByteCount ?? 0 <= AccountRoute.bodyByteLimit else {
        return .answer(WireAnswer.problem(413, type: "too-large", title: "The body is longer than this call takes."))
      }
      return .collect(limit: AccountRoute.bodyByteLimit, answer)
    }
  }

  /// What stands where the pattern has `{name}`: 1 to 2048 characters that need no escaping; nil: it doesn't match.
  static func parameters(_ path: [Substring], _ pattern: [Substring]) -> [String: String]? {
    guard path.count == pattern.count else { return nil }
    var parameters: [String: String] = [:]
    for (part, name) in zip(path, pattern) {
      if name.hasPrefix("{") {
        guard (1...2048).contains(part.utf8.count), part.utf8.allSatisfy(isPlain) else { return nil }
        parameters[String(name.dropFirst().dropLast())] = String(part)
      } else if !part.utf8.elementsEqual(name.utf8) {
        return nil
      }
    }
    return parameters
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
    default: false
    }
  }

  static func answer(_ reply: AccountReply) -> HTTPAnswer {
    guard let body = reply.body else { return HTTPAnswer(reply.status, fields: WireAnswer.fields + reply.fields) }
    // EXPOSE: it is on its way to whom it is for.
    return HTTPAnswer(
      reply.status, fields: WireAnswer.fields + [HTTPField("Content-Type", "application/json")] + reply.fields,
      body: .bytes(body.exposedBytes()))
  }
}
