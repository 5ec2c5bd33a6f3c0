internal import Glibc
package import SeifBytes
package import SeifServerStore

/// How often something may be tried, in slots of 30 seconds, so that nobody ever waits longer. Nobody is locked out:
/// where
/// many guess, there are fewer attempts in a slot, and never none.
package struct Throttle: Sendable {
  package static let slotSeconds = 30
  package static let longSeconds = 3600

  /// One thing that is counted.
  package struct Rule: Sendable, Equatable {
    package var kind: String
    /// By whom or on whom.
    package var subject: [UInt8]
    package var perSlot: Int
    /// Once there were more than `after` in an hour, `perSlot` in a slot.
    package var strained: Strain?

    package struct Strain: Sendable, Equatable {
      package var after: Int
      package var perSlot: Int
    }

    package init(_ kind: String, _ subject: [UInt8], perSlot: Int, strained: Strain? = nil) {
      self.kind = kind
      self.subject = subject
      self.perSlot = perSlot
      self.strained = strained
    }
  }

  private let store: any AccountStore
  private let key: ServerKey

  package init(store: any AccountStore, key: ServerKey) {
    self.store = store
    self.key = key
  }

  /// Counts an attempt under all rules.
  ///
  /// - Throws: `throttled` with the seconds to the next slot where one of them has had enough.
  package func admit(_ rules: [Rule], at now: Timestamp) throws(AccountProblem) {
    let slots = rules.map { slotKey($0, at: now) }
    let strained = rules.filter { $0.strained != nil }
    let inSlot = try stored { () throws(StoreFailure) in
      try store.count(attempts: slots, seconds: Self.slotSeconds, at: now)
    }
    let inHour =
      strained.isEmpty
      ? []
      : try stored { () throws(StoreFailure) in
        try store.count(attempts: strained.map(longKey), seconds: Self.longSeconds, at: now)
      }
    var isOver = false
    for (rule, counted) in zip(rules, inSlot) {
      var limit = rule.perSlot
      if let strain = rule.strained, let index = strained.firstIndex(of: rule), index < inHour.count,
        inHour[index].count > strain.after
      {
        limit = strain.perSlot
      }
      if counted.count > limit { isOver = true }
    }
    guard isOver else { return }
    let passed = now.seconds % Int64(Self.slotSeconds)
    throw AccountProblem(.throttled, retryAfter: Self.slotSeconds - Int(max(0, passed)))
  }

  /// Forgets the attempts of somebody who has shown who they are.
  package func forget(_ rules: [Rule], at now: Timestamp) throws(AccountProblem) {
    try stored { () throws(StoreFailure) in
      for rule in rules {
        try store.forget(attempts: slotKey(rule, at: now))
        if rule.strained != nil { try store.forget(attempts: longKey(rule)) }
      }
    }
  }

  // Under the server's key, so that who reads the store learns no address and no name.
  private func slotKey(_ rule: Rule, at now: Timestamp) -> [UInt8] {
    key.code("slot \(rule.kind) \(now.seconds / Int64(Self.slotSeconds))", rule.subject)
  }

  private func longKey(_ rule: Rule) -> [UInt8] { key.code("hour \(rule.kind)", rule.subject) }
}

/// Addresses of clients.
package enum ClientAddress {
  /// Whose request it is: the connection's address, or, where that is a trusted proxy's, the last one of
  /// `X-Forwarded-For` that isn't; what stands before that anybody may have written.
  package static func of(peer: String, forwarded: [String], proxies: [String]) -> String {
    let proxies = Set(proxies.map(canonical))
    guard proxies.contains(canonical(peer)) else { return peer }
    let hops = forwarded.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
      .map { String($0.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed()) }
    for hop in hops.reversed() {
      guard bytes(hop) != nil else { return peer }
      if !proxies.contains(canonical(hop)) { return hop }
    }
    return peer
  }

  /// The prefix that counts as one: /24 of IPv4, /56 of IPv6. What is no address is its own prefix.
  package static func prefix(_ address: String) -> [UInt8] {
    guard let bytes = bytes(address) else { return Array(address.utf8.prefix(64)) }
    return bytes.count == 4 ? [4] + bytes.prefix(3) : [6] + bytes.prefix(7)
  }

  private static func canonical(_ address: String) -> String { bytes(address).map { "\($0)" } ?? address }

  /// 4 or 16 bytes; IPv4 inside IPv6 is IPv4.
  static func bytes(_ address: String) -> [UInt8]? {
    var four = [UInt8](repeating: 0, count: 4)
    if inet_pton(AF_INET, address, &four) == 1 { return four }
    var six = [UInt8](repeating: 0, count: 16)
    // An interface may follow.
    let bare = String(address.prefix { $0 != "%" })
    guard inet_pton(AF_INET6, bare, &six) == 1 else { return nil }
    let isMapped = six[..<10].allSatisfy { $0 == 0 } && six[10] == 0xFF && six[11] == 0xFF
    return isMapped ? Array(six[12...]) : six
  }
}

/// The mark of a browser that once signed in: it counts for itself where others guess at the same account.
package struct KnownBrowser: Sendable, Equatable {
  package static let seconds: Int64 = 365 * 86_400
  private static let randomByteCount = 16

  /// 16 random bytes.
  package let number: [UInt8]

  /// A new mark, and its cookie's text.
  package static func make(_ account: UUID, key: ServerKey, number: [UInt8]) -> SecretValue {
    let bytes = number + key.code("known", account.bytes + number)
    return Base64URL.encode(bytes.span.bytes)
  }

  /// Reads a cookie of an account; nil: another's, or nobody's.
  package init?(_ text: String, account: UUID, key: ServerKey) {
    guard text.utf8.count <= 128, let value = Base64URL.bytes(text), value.byteCount == Self.randomByteCount + 32 else {
      return nil
    }
    let bytes = value.exposedBytes()
    let (number, code) = (Array(bytes.prefix(Self.randomByteCount)), Array(bytes.dropFirst(Self.randomByteCount)))
    let made = key.code("known", account.bytes + number)
    guard constantTimeEqual(code.span.bytes, made.span.bytes) else { return nil }
    self.number = number
  }
}
