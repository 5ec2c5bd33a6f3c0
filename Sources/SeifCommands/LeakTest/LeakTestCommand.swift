internal import SeifCommandLine
internal import SeifBytes
internal import SeifVault

/// `seif leak-test`: whether Seif leaves secrets where they don't belong, on this machine.
struct LeakTestCommand: Command {
  static let name = "leak-test"
  static let summary = "look for secrets that Seif leaves anywhere on this machine"
  static let usage = """
    seif leak-test [OPTIONS]

    Makes a vault of its own in a private folder, with a made-up secret in each
    field of each kind of entry, uses every command of Seif on it but the whole
    screen of seif tui, and searches what could have kept one of them: files,
    temporary files, what processes write, their arguments and variables, a core
    file and the memory of an agent, the clipboard. Each is looked for in UTF-8,
    UTF-16, base32, base64 and hexadecimal. Your own vault and agent aren't
    touched, and all of it is removed in the end.

    In each place something is planted that has to be found. Only root sees the
    memory of an agent: without it that is said. `unshare -r seif leak-test`
    searches it too.

    With a display a made-up password is copied for two seconds. The vault is opened
    by a keyring and a TPM too where dbus-daemon, gnome-keyring-daemon and secret-tool,
    and swtpm, are installed; a security key isn't tried. What wasn't tried is said.

    Exit 0: nothing was found; 2: something was, and is named by its kind, never
    by its value; 70: the test itself failed, so it shows nothing.
    """
  static var options: [Option] { OutputOptions.options }

  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let run = try LeakRun(context)
    try run.run()
    let report = LeakReport(run)
    if output.json {
      try context.output.writeLine(json: report.document)
    } else {
      try report.show(context)
    }
    if let place = report.blind {
      throw CommandFailure(
        .internalFault, "what was planted wasn't found: \(place)", hint: "So this test shows nothing.")
    }
    return report.isClean ? .done : .checkFailed
  }
}

/// What a leak test tells.
struct LeakReport {
  private let places: [LeakPlace]
  private let canaries: [LeakCanary]
  private let processes: Int
  private let ways: [LeakDevices.Way]

  init(_ run: LeakRun) {
    places = run.places
    canaries = run.canaries
    processes = run.processes
    ways = run.devices.ways
  }

  /// A place in which nothing would have been found; nil where there is none.
  var blind: String? { places.first { $0.isPlantFound == false || $0.isShownMissing }?.name }

  var isClean: Bool { places.allSatisfy { $0.isCountedOnly || ($0.found.isEmpty && !$0.couldWrite) } }

  private func isExpected(_ canary: Int, in place: LeakPlace) -> Bool {
    place.isCountedOnly && canaries[canary].isName
  }

  private func findings(_ place: LeakPlace) -> [(name: String, count: Int, isExpected: Bool)] {
    var counts: [(name: String, count: Int, isExpected: Bool)] = []
    for (index, count) in place.found.sorted(by: { $0.key < $1.key }) where canaries.indices.contains(index) {
      counts.append((canaries[index].name, count, isExpected(index, in: place)))
    }
    return counts
  }

  func show(_ context: Context) throws(CommandFailure) {
    var table = Table([
      Table.Column("place"), Table.Column("bytes", right: true), Table.Column("found", right: true),
    ])
    for place in places {
      // A name that an open agent holds for searching is no secret found; it is said below.
      let secrets = place.found.filter { canaries.indices.contains($0.key) && !isExpected($0.key, in: place) }
      let count = secrets.values.reduce(0, +)
      let isSearched = place.byteCount > 0
      table.add([place.name, isSearched ? "\(place.byteCount)" : "-", isSearched ? "\(count)" : "not searched"])
    }
    try table.write(to: context.output)
    try context.output.flush()
    for place in places {
      for finding in findings(place) {
        let times = finding.count == 1 ? "once" : "\(finding.count) times"
        let kind = place.isCountedOnly ? "counted there" : "found there"
        let why = finding.isExpected ? ", as docs/leak-test.md says" : ""
        context.talk.always("\(place.name): \(finding.name), \(kind) \(times)\(why)")
      }
      if place.couldWrite { context.talk.warn("this program could write to the log of the system") }
      if let reason = place.reason { context.talk.warn("\(place.name): not searched, or not all of it: \(reason)") }
    }
    for way in ways {
      if let reason = way.reason { context.talk.warn("\(way.kind.name) as a way in: not tried: \(reason)") }
    }
    let what = "\(canaries.count) secrets, \(processes) processes"
    if isClean {
      context.talk.say(.ok, "Nothing was found (\(what)).")
    } else {
      context.talk.say(.fail, "Secrets were found where they don't belong (\(what)).")
    }
  }

  var document: SecretValue {
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema("seif-leak-test", 1)
    writer.member("clean", isClean)
    writer.member("secrets", canaries.count)
    writer.member("processes", processes)
    writer.key("waysIn")
    writer.beginArray()
    for way in ways {
      writer.beginObject()
      writer.member("kind", way.kind.name)
      writer.member("tried", way.reason == nil)
      if let reason = way.reason { writer.member("notTried", reason) }
      writer.endObject()
    }
    writer.endArray()
    writer.key("places")
    writer.beginArray()
    for place in places {
      writer.beginObject()
      writer.member("place", place.name)
      writer.member("bytes", Int(place.byteCount))
      writer.member("countedOnly", place.isCountedOnly)
      if let isFound = place.isPlantFound { writer.member("plantFound", isFound) }
      if let reason = place.reason { writer.member("notSearched", reason) }
      if place.couldWrite { writer.member("couldWrite", true) }
      writer.key("found")
      writer.beginArray()
      for finding in findings(place) {
        writer.beginObject()
        writer.member("secret", finding.name)
        writer.member("count", finding.count)
        writer.endObject()
      }
      writer.endArray()
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return writer.finish()
  }
}
