internal import SeifCommandLine
internal import SeifBackups
internal import SeifBytes

/// What runs without a key know of a schedule: the destinations' names, and for those on this machine their folders. No
/// credentials stand here.
struct Schedule: Equatable {
  /// A destination that a sealed copy can be stored at while the vault is locked.
  struct Place: Equatable {
    var name: String
    /// `folder` or `icloud`.
    var kind: String
    var path: String

    /// Nil for kinds that need a network, a program or credentials.
    init?(_ settings: TransportSettings) {
      self.init(name: settings.name, kind: settings.kind, path: settings.values["path"])
    }

    /// Nil for what can't be one, as above or for want of a whole path.
    init?(name: String?, kind: String?, path: String?) {
      guard let name, let kind, let path, ["folder", "icloud"].contains(kind), path.hasPrefix("/") else { return nil }
      self.name = name
      self.kind = kind
      self.path = path
    }

    var settings: TransportSettings { TransportSettings(name: name, kind: kind, values: ["path": path]) }
  }

  var destinations: [String]
  var places: [Place]
  /// When it runs, as systemd says it.
  var calendar: String
  var isOnChange: Bool
  /// The name of the credential by which a run opens the vault; nil: none.
  var credential: String?

  static let schemaName = "seif-schedule"

  var document: SecretValue {
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    write(&writer)
    writer.endObject()
    return writer.finish()
  }

  func write(_ writer: inout JSONWriter) {
    writer.schema(Self.schemaName, 1)
    writer.member("calendar", calendar)
    if let credential { writer.member("credential", credential) }
    writer.member("destinations", destinations)
    writer.member("onChange", isOnChange)
    writer.key("places")
    writer.beginArray()
    for place in places {
      writer.beginObject()
      writer.member("kind", place.kind)
      writer.member("name", place.name)
      writer.member("path", place.path)
      writer.endObject()
    }
    writer.endArray()
  }

  init(
    destinations: [String], places: [Place], calendar: String, isOnChange: Bool, credential: String? = nil
  ) {
    self.credential = credential
    self.destinations = destinations
    self.places = places
    self.calendar = calendar
    self.isOnChange = isOnChange
  }

  /// Nil: it isn't one.
  init?(_ root: JSONValue) {
    guard let calendar = root["calendar"]?.string, let isOnChange = root["onChange"]?.bool,
      let names = root["destinations"], let list = root["places"]
    else { return nil }
    var (destinations, places): ([String], [Place]) = ([], [])
    var credential: String?
    for name in names.elements {
      guard let name = name.string else { return nil }
      destinations.append(name)
    }
    for place in list.elements {
      let read = Place(name: place["name"]?.string, kind: place["kind"]?.string, path: place["path"]?.string)
      guard let read else { return nil }
      places.append(read)
    }
    if let given = root["credential"] {
      guard let name = given.string, SystemdCredential.isName(name) else { return nil }
      credential = name
    }
    self.init(
      destinations: destinations, places: places, calendar: calendar, isOnChange: isOnChange, credential: credential)
  }

  static func file(_ stateFolder: String, _ vault: UUID) -> StateFile { StateFile(stateFolder, vault, "schedule.json") }

  /// The schedule of a vault; nil: there is none.
  static func read(_ file: StateFile) throws(CommandFailure) -> Schedule? {
    guard let root = try file.read(schema: schemaName) else { return nil }
    guard let schedule = Schedule(root) else { throw file.broken }
    return schedule
  }
}
