package import SeifBytes
package import SeifHTTPFields
package import SeifHTTPServer
package import SeifServerStore

/// A request about accounts, with its body read.
package struct AccountCall: Sendable {
  package var head: HTTPRequestHead
  /// What stands in the path where the pattern has `{name}`.
  package var parameters: [String: String]
  package var body: SecretValue
  package var now: Timestamp

  package init(head: HTTPRequestHead, parameters: [String: String] = [:], body: SecretValue = .empty, now: Timestamp) {
    self.head = head
    self.parameters = parameters
    self.body = body
    self.now = now
  }
}

/// What is answered.
package struct AccountReply: Sendable {
  package var status: Int
  /// JSON; nil: none.
  package var body: SecretValue?
  package var fields: [HTTPField]

  package init(_ status: Int, body: SecretValue? = nil, fields: [HTTPField] = []) {
    self.status = status
    self.body = body
    self.fields = fields
  }

  static let done = AccountReply(204)

  static func json(_ status: Int = 200, fields: [HTTPField] = [], _ body: (inout JSONWriter) -> Void) -> AccountReply {
    var writer = JSONWriter()
    writer.beginObject()
    body(&writer)
    writer.endObject()
    return AccountReply(status, body: writer.finish(), fields: fields)
  }
}

/// One call: where it is, what it takes, what it needs.
package struct AccountRoute: Sendable {
  package enum Body: Sendable { case none, json, form }
  package enum Need: Sendable {
    /// Nothing; below `/account/` the request must still come from the server's own pages.
    case nothing
    case session, freshSession, token
  }
  package typealias Handler = @Sendable (AccountCall, AccountCaller?) throws(AccountProblem) -> AccountReply

  /// Longest body of a call, in bytes.
  package static let bodyByteLimit = 16 << 10

  package let method: String
  package let pattern: String
  package let body: Body
  package let need: Need
  let handler: Handler
}

/// Who calls.
package struct AccountCaller: Sendable {
  package enum Means: Sendable {
    case session(SessionRow, BearerSecret)
    case token(TokenRow)
  }
  package var account: AccountRow
  package var means: Means
  package var isFresh: Bool
  package var mayWrite: Bool

  var session: (row: SessionRow, secret: BearerSecret)? {
    if case .session(let row, let secret) = means { (row, secret) } else { nil }
  }

  /// The account, of a call whose route needs one.
  static func of(_ caller: AccountCaller?) throws(AccountProblem) -> AccountCaller {
    guard let caller else { throw AccountProblem(.notSignedIn) }
    return caller
  }
}

/// The members of a body: exactly those that a call names.
struct AccountMembers {
  private let root: JSONValue

  init(_ body: SecretValue, required: [String], optional: [String] = []) throws(AccountProblem) {
    let policy = JSONPolicy(
      isStrict: true, maximumByteCount: AccountRoute.bodyByteLimit, maximumDepth: 4, maximumValueCount: 64)
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument(parsing: body, policy: policy)
    } catch {
      throw AccountProblem(.badRequest)
    }
    try self.init(document.root, required: required, optional: optional)
  }

  private init(_ value: JSONValue, required: [String], optional: [String]) throws(AccountProblem) {
    root = value
    guard value.kind == .object else { throw AccountProblem(.badRequest) }
    for (key, _) in value.members where !(required + optional).contains(where: { key.is($0) }) {
      throw AccountProblem(.badRequest)
    }
    for name in required where value[name] == nil { throw AccountProblem(.badRequest) }
  }

  func object(_ name: String, required: [String]) throws(AccountProblem) -> AccountMembers {
    guard let value = root[name] else { throw AccountProblem(.badRequest) }
    return try AccountMembers(value, required: required, optional: [])
  }

  func text(_ name: String) throws(AccountProblem) -> String {
    guard let text = root[name]?.string else { throw AccountProblem(.badRequest) }
    return text
  }

  func secret(_ name: String) throws(AccountProblem) -> SecretValue {
    guard let secret = root[name]?.secret else { throw AccountProblem(.badRequest) }
    return secret
  }

  /// Nil: it isn't there.
  func optionalSecret(_ name: String) throws(AccountProblem) -> SecretValue? {
    root[name] == nil ? nil : try secret(name)
  }

  func bool(_ name: String) throws(AccountProblem) -> Bool {
    guard let value = root[name]?.bool else { throw AccountProblem(.badRequest) }
    return value
  }

  /// Bytes in base64url.
  func bytes(_ name: String) throws(AccountProblem) -> [UInt8] {
    guard let bytes = Base64URL.bytes(try secret(name)) else { throw AccountProblem(.badRequest) }
    return bytes.exposedBytes()
  }
}

/// The fields of a form (`application/x-www-form-urlencoded`), none twice.
struct AccountForm {
  private var fields: [String: String] = [:]

  /// Nil: malformed, or more than 16 fields.
  init?(_ body: SecretValue) {
    guard body.byteCount <= AccountRoute.bodyByteLimit else { return nil }
    for pair in body.exposedBytes().split(separator: 0x26) {
      let parts = pair.split(separator: 0x3D, maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let name = Self.decode(parts[0]), let value = Self.decode(parts[1]),
        fields[name] == nil, fields.count < 16
      else { return nil }
      fields[name] = value
    }
  }

  subscript(name: String) -> String? { fields[name] }

  private static func decode(_ text: ArraySlice<UInt8>) -> String? {
    var bytes: [UInt8] = []
    var index = text.startIndex
    while index < text.endIndex {
      switch text[index] {
      case 0x2B: bytes.append(0x20)
      case 0x25:
        guard text.endIndex - index > 2,
          let pair = String(validating: text[(index + 1)...(index + 2)], as: UTF8.self),
          let byte = try? Base16.decode(pair).first
        else { return nil }
        bytes.append(byte)
        index += 2
      case let byte: bytes.append(byte)
      }
      index += 1
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

extension JSONWriter {
  mutating func member(_ key: String, _ text: String) {
    self.key(key)
    string(text)
  }

  mutating func member(_ key: String, _ text: SecretValue) {
    self.key(key)
    string(text)
  }

  mutating func member(_ key: String, _ number: Int) {
    self.key(key)
    integer(Int64(number))
  }

  mutating func member(_ key: String, _ value: Bool) {
    self.key(key)
    bool(value)
  }

  mutating func member(_ key: String, _ moment: Timestamp?) {
    self.key(key)
    if let moment { string(moment.rfc3339) } else { null() }
  }

  mutating func object(_ key: String, _ body: (inout JSONWriter) -> Void) {
    self.key(key)
    beginObject()
    body(&self)
    endObject()
  }

  mutating func list<Element>(_ key: String, _ elements: [Element], _ body: (inout JSONWriter, Element) -> Void) {
    self.key(key)
    beginArray()
    for element in elements { body(&self, element) }
    endArray()
  }

  mutating func item(_ body: (inout JSONWriter) -> Void) {
    beginObject()
    body(&self)
    endObject()
  }
}
