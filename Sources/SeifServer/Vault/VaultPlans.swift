package import SeifBytes
internal import SeifHTTPFields
package import SeifHTTPServer
internal import SeifServerStore
internal import Synchronization

/// The calls about vaults as HTTP, on both mounts: the same handlers, and answers that differ in nothing.
package struct VaultPlans: Sendable {
  private let controller: VaultController
  private let routes: [VaultRoute]
  private let now: @Sendable () -> Timestamp

  package init(_ controller: VaultController, now: @escaping @Sendable () -> Timestamp) {
    self.controller = controller
    self.now = now
    routes = controller.routes
  }

  /// What becomes of a request, and the pattern of its path, for the log; nil: it is no call of these.
  package func plan(_ head: HTTPRequestHead) -> (plan: HTTPPlan, pattern: String)? {
    guard let mount = VaultMount.allCases.first(where: { Self.isBelow(head.path, $0.rawValue) }) else { return nil }
    var rest = String(head.path.dropFirst(mount.rawValue.count))
    if rest == "/" { rest = "" }
    let found = routes.compactMap { route in Self.match(rest, route.pattern).map { (route: route, id: $0.id) } }
    guard let pattern = found.first.map({ mount.rawValue + $0.route.pattern }) else { return nil }
    let method = head.method == "HEAD" ? "GET" : head.method
    guard let (route, id) = found.first(where: { $0.route.method == method }) else {
      let methods = Set(found.map(\.route.method))
      let allowed = (methods.contains("GET") ? methods.union(["HEAD"]) : methods).sorted().joined(separator: ", ")
      return (
        .answer(
          WireAnswer.problem(
            405, type: "method-not-allowed", title: "This path doesn't take the method.",
            fields: [HTTPField("Allow", allowed)])), pattern
      )
    }
    return (plan(route, id, mount, head), pattern)
  }

  private func plan(_ route: VaultRoute, _ id: UUID?, _ mount: VaultMount, _ head: HTTPRequestHead) -> HTTPPlan {
    let admit: ObjectUpload.Admission = { [controller, now] () throws(VaultProblem) in
      try controller.caller(mount, head, route.need, at: now())
    }
    let answer: @Sendable (SecretValue, AccountCaller?) -> HTTPAnswer = { [now] body, caller in
      do throws(VaultProblem) {
        let call = VaultCall(head: head, id: id, body: body, now: now())
        if let caller { return try route.handler(call, caller) }
        return try route.handler(call, admit())
      } catch { return error.answer }
    }
    // Whoever shows nothing is told so before a body is read.
    if mount == .token ? head.values("Authorization").isEmpty : head.values("Cookie").isEmpty {
      return .answer(WireAnswer.answer(AccountProblem(.notSignedIn)))
    }
    switch route.body {
    case .none:
      guard head.bodyByteCount == 0 else { return .answer(VaultProblem.badRequest.answer) }
      return .work { answer(.empty, nil) }
    case .json(let limit):
      guard Self.type(head) == "application/json" else { return .answer(VaultProblem.mediaType.answer) }
      if let length = head.bodyByteCount, length > limit { return .answer(VaultProblem.tooLarge.answer) }
      return .receive(BodyCollector(limit: limit, expected: head.bodyByteCount, admit: admit, answer: answer))
    case .object:
      return upload(id, head, admit)
    }
  }

  private func upload(_ id: UUID?, _ head: HTTPRequestHead, _ admit: @escaping ObjectUpload.Admission) -> HTTPPlan {
    guard let id else { return .answer(VaultProblem.notFound.answer) }
    let isText: Bool
    switch Self.type(head) {
    case "", "text/plain": isText = true
    case "application/octet-stream": isText = false
    default: return .answer(VaultProblem.mediaType.answer)
    }
    var expected = VaultBounds.objectByteCount
    if let length = head.bodyByteCount {
      let sealed = isText ? length / 4 * 3 : length
      // Base64 has up to two characters of padding.
      guard sealed <= VaultBounds.objectByteCount + (isText ? 2 : 0) else {
        return .answer(VaultProblem.tooLarge.answer)
      }
      expected = min(expected, sealed)
    }
    return .receive(ObjectUpload(controller, id, isText: isText, expected: expected, now: now, admit: admit))
  }

  private static func isBelow(_ path: String, _ mount: String) -> Bool {
    path.utf8.elementsEqual(mount.utf8)
      || (path.utf8.starts(with: mount.utf8) && path.utf8.dropFirst(mount.utf8.count).first == 0x2F)
  }

  /// What stands where a pattern has `{uuid}`; nil: the path isn't of the pattern.
  private static func match(_ path: String, _ pattern: String) -> (id: UUID?, Void)? {
    let (parts, names) = (
      path.split(separator: "/", omittingEmptySubsequences: false),
      pattern.split(separator: "/", omittingEmptySubsequences: false)
    )
    guard parts.count == names.count else { return nil }
    var id: UUID?
    for (part, name) in zip(parts, names) {
      if name == "{uuid}" {
        guard let found = UUID(String(part)) else { return nil }
        id = found
      } else if !part.utf8.elementsEqual(name.utf8) {
        return nil
      }
    }
    return (id, ())
  }

  private static func type(_ head: HTTPRequestHead) -> String {
    (head["Content-Type"] ?? "").prefix { $0 != ";" }.trimmingSpaces.lowercased()
  }
}

/// A body that is kept in memory, once it is known that whoever sends it may.
final class BodyCollector: HTTPBodyReceiver {
  private struct State: ~Copyable {
    var caller: AccountCaller?
    var buffer: SecretBuffer?
    var byteCount = 0
    var isTooLong = false
  }

  private let state: Mutex<State>
  private let limit: Int
  private let expected: Int?
  private let admit: ObjectUpload.Admission
  private let answer: @Sendable (SecretValue, AccountCaller?) -> HTTPAnswer

  init(
    limit: Int, expected: Int?, admit: @escaping ObjectUpload.Admission,
    answer: @escaping @Sendable (SecretValue, AccountCaller?) -> HTTPAnswer
  ) {
    (self.limit, self.expected, self.admit, self.answer) = (limit, expected, admit, answer)
    state = Mutex(State())
  }

  func begin() -> HTTPAnswer? {
    do throws(VaultProblem) {
      let caller = try admit()
      // Not before: memory is for those who may.
      let capacity = min(limit, expected ?? 64 << 10)
      state.withLock { state in
        state.caller = caller
        state.buffer = SecretBuffer(capacity: capacity)
      }
      return nil
    } catch { return error.answer }
  }

  func take(_ piece: UnsafeRawBufferPointer) -> Bool {
    state.withLock { state in
      guard piece.count <= limit - state.byteCount else {
        state.isTooLong = true
        return false
      }
      state.byteCount += piece.count
      state.buffer?.append(piece.bytes)
      return true
    }
  }

  func finish() -> HTTPAnswer {
    var body: SecretValue?
    let caller = state.withLock { state in
      if !state.isTooLong, let buffer = state.buffer.take() { body = buffer.finish() }
      return state.caller
    }
    guard let body else { return VaultProblem.tooLarge.answer }
    return answer(body, caller)
  }

  func abandon() {}
}
