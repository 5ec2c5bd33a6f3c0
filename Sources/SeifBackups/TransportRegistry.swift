public import SeifBytes

/// A setting that a kind of transport asks for.
public struct TransportField: Sendable, Hashable {
  /// Its name in the settings and on the command line: lower case, hyphens.
  public var name: String
  /// The question, in a person's words.
  public var question: String
  /// Whether it is never shown.
  public var isSecret: Bool
  /// What stands where nothing was given; nil: something must be given.
  public var preset: String?
  /// Whether a person is asked for it: not for what the kind's `authorize` finds, nor for what only tests need.
  public var isAsked: Bool

  /// A setting.
  public init(
    _ name: String, _ question: String, isSecret: Bool = false, preset: String? = nil, isAsked: Bool = true
  ) {
    self.name = name
    self.question = question
    self.isSecret = isSecret
    self.preset = preset
    self.isAsked = isAsked
  }
}

/// How one destination is reached: what the vault keeps of it.
public struct TransportSettings: Sendable {
  /// The destination's name, as the person calls it.
  public var name: String
  /// The kind: `webdav`, `s3`, …
  public var kind: String
  /// Settings that may be shown, by the names of their fields.
  public var values: [String: String]
  /// Settings that may not.
  public var secrets: [String: SecretValue]
  /// Whether `transport test` found that the place refuses to overwrite.
  public var createsConditionally: Bool
  /// Keeps a secret setting that the place has replaced, under the name of its field; nil: nothing here can. Called on the
  /// thread that uses the transport.
  public var keepSecret: (@Sendable (_ field: String, _ value: SecretValue) throws -> Void)?

  /// Settings.
  public init(
    name: String, kind: String, values: [String: String] = [:], secrets: [String: SecretValue] = [:],
    createsConditionally: Bool = false
  ) {
    self.name = name
    self.kind = kind
    self.values = values
    self.secrets = secrets
    self.createsConditionally = createsConditionally
  }
}

/// What a kind that has to be allowed by a person says and asks meanwhile.
public protocol AuthorizationDialogue {
  /// Whether the person's browser is on another machine, so that it can't answer to this one.
  var isBrowserElsewhere: Bool { get }
  /// Shows a line; nothing secret stands in it.
  func show(_ line: String)
  /// Whether a secret can be asked for at all, before anything is shown that leads to it.
  ///
  /// - Throws: why not, and what to do instead.
  func checkAsking() throws
  /// Says for how long something is waited for, at most, and how much of that is left.
  ///
  /// - Parameter seconds: what is left; called at the beginning and about once a minute.
  func wait(_ seconds: Int64, isFirst: Bool)
  /// Asks for something that isn't shown as it is typed.
  func askSecret(_ question: String) throws -> SecretValue
}

extension TransportSettings {
  /// Writes `secrets`, each in base64, since they are bytes of any kind, by their names' bytes.
  package func writeSecrets(_ writer: inout JSONWriter) {
    writer.key("secrets")
    writer.beginObject()
    for (name, value) in secrets.sorted(by: { utf8Precedes($0.key, $1.key) }) {
      writer.key(name)
      writer.string(value.withBytes { Base64.encode($0) })
    }
    writer.endObject()
  }

  /// Writes `values`, by their names' bytes.
  package func writeValues(_ writer: inout JSONWriter) {
    writer.key("values")
    writer.beginObject()
    for (name, value) in values.sorted(by: { utf8Precedes($0.key, $1.key) }) {
      writer.key(name)
      writer.string(value)
    }
    writer.endObject()
  }
}

/// A kind of transport: adding one to Seif is a type and a line in a registry.
public struct TransportKind: Sendable {
  /// Stable name: `webdav`.
  public var id: String
  /// Its name for people: `WebDAV`.
  public var displayName: String
  /// What it asks for.
  public var fields: [TransportField]
  /// Makes a transport of settings, which have every field that has no preset.
  ///
  /// - Throws: `TransportError` with code `badSettings`: the field and what is wrong with it.
  public var make: @Sendable (TransportSettings) throws(TransportError) -> any BackupTransport
  /// Has the person allow Seif the place, and adds the fields that this obtains; nil: the fields are all there is.
  ///
  /// - Throws: `TransportError`; what the dialogue throws.
  public var authorize: (@Sendable (inout TransportSettings, any AuthorizationDialogue) throws -> Void)?

  /// Takes back at the place what the person allowed there; nil: nothing is allowed there.
  ///
  /// - Throws: `TransportError`: it may stay valid.
  public var revoke: (@Sendable (TransportSettings) throws(TransportError) -> Void)?

  /// A kind.
  public init(
    id: String, displayName: String, fields: [TransportField],
    authorize: (@Sendable (inout TransportSettings, any AuthorizationDialogue) throws -> Void)? = nil,
    revoke: (@Sendable (TransportSettings) throws(TransportError) -> Void)? = nil,
    make: @escaping @Sendable (TransportSettings) throws(TransportError) -> any BackupTransport
  ) {
    self.id = id
    self.displayName = displayName
    self.fields = fields
    self.authorize = authorize
    self.revoke = revoke
    self.make = make
  }
}

/// The kinds of transport that Seif has, in the order in which they are offered; a test compares them with the programs.
package enum TransportKindName: String, CaseIterable {
  case folder, icloud, sftp, external, webdav, s3
  case googleDrive = "google-drive"
  case dropbox
}

extension TransportRegistry {
  /// Takes back at the place what a person allowed there: settings in which a field is missing have its preset.
  ///
  /// - Returns: whether the kind has such a permission, and these settings hold one.
  public func revoke(_ settings: TransportSettings) throws(TransportError) -> Bool {
    guard let kind = self[settings.kind], let revoke = kind.revoke, kind.isAllowed(by: settings) else { return false }
    var settings = settings
    for field in kind.fields where settings.values[field.name] == nil && settings.secrets[field.name] == nil {
      if let preset = field.preset { settings.values[field.name] = preset }
    }
    try revoke(settings)
    return true
  }
}

extension TransportKind {
  /// The field in which a kind that a person allows keeps what the place gave for it.
  public static let permissionField = "refresh-token"

  /// Whether settings hold what a place gave when a person allowed it.
  public func isAllowed(by settings: TransportSettings) -> Bool {
    authorize != nil && settings.secrets[Self.permissionField].map { !$0.isEmpty } ?? false
  }
}

/// The kinds of transport that this program has.
public struct TransportRegistry: Sendable {
  /// In the order in which they are offered.
  public let kinds: [TransportKind]

  /// A registry; of two kinds with one name the first counts.
  public init(_ kinds: [TransportKind]) {
    var seen = Set<String>()
    self.kinds = kinds.filter { seen.insert($0.id).inserted }
  }

  /// The kind of a name.
  public subscript(id: String) -> TransportKind? { kinds.first { $0.id == id } }

  /// The transport of some settings.
  ///
  /// - Throws: `TransportError`: the kind isn't known here, a field is missing or can't be used.
  public func transport(_ settings: TransportSettings) throws(TransportError) -> any BackupTransport {
    guard let kind = self[settings.kind] else {
      throw TransportError(.badSettings, place: settings.name, reason: "this Seif knows no transport \(settings.kind)")
    }
    var settings = settings
    for field in kind.fields where settings.values[field.name] == nil && settings.secrets[field.name] == nil {
      guard let preset = field.preset else {
        throw TransportError(.badSettings, place: settings.name, reason: "\(field.name) is missing")
      }
      settings.values[field.name] = preset
    }
    return try kind.make(settings)
  }
}
