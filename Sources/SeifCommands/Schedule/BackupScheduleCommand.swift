internal import SeifCommandLine
internal import Glibc
internal import SeifAgent
internal import SeifBackups
internal import SeifBytes
internal import SeifProcesses
internal import SeifVault

/// `seif backup schedule`: snapshots by time and on change.
struct BackupScheduleCommand: Command {
  static let name = "backup schedule"
  static let summary = "have snapshots made by time and on change"
  static let usage = """
    seif backup schedule --destination NAME [OPTIONS]
    seif backup schedule --show | --remove

    Writes a timer and a service for systemd's user manager, and approves the destinations of
    the vault that are named for what the agent does without you. An approval covers every
    setting: a destination that is changed afterwards isn't used until it is approved again.
    No passphrase and no key is kept for it. While the vault is locked, sealed copies go only
    to destinations that are folders of this machine.

    --every takes 1h, 2h, 3h, 4h, 6h, 8h, 12h, 24h or 7d; --on-calendar what systemd takes.
    Runs that were missed are made up for.

    --credential NAME has a run open a vault that is locked, by a credential of systemd: the
    vault's passphrase, encrypted for this machine by systemd-creds. NAME:PATH says where the
    encrypted file lies. Whoever controls this machine can open the vault by it; what it means
    stands in docs/backups.md.
    """
  static let destination = Option.value(
    "destination", "NAME", repeats: true, "a destination of the vault (seif transport list); may be given again")
  static let every = Option.value("every", "TIME", "how often; without it every 24h")
  static let calendar = Option.value("on-calendar", "WHEN", "when, in systemd's words: 'Mon..Fri 12:30'")
  static let onChange = Option.flag("on-change", "also soon after the vault was changed")
  static let credential = Option.value("credential", "NAME", "open the locked vault by this credential of systemd")
  static let enable = Option.flag("enable", "start it, by systemctl --user")
  static let show = Option.flag("show", "say what is scheduled")
  static let remove = Option.flag("remove", "remove timer and service")
  static var options: [Option] {
    [destination, every, calendar, onChange, credential, enable, show, remove] + UnlockOptions.options
      + OutputOptions.options
  }

  private enum Task { case make, show, remove }
  private let task: Task
  private let names: [String]
  private let calendar: String
  private let isOnChange: Bool
  private let credential: SystemdCredential?
  private let isEnabling: Bool
  private let unlock: UnlockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    names = arguments.values(Self.destination)
    let (shows, removes) = (arguments.flag(Self.show), arguments.flag(Self.remove))
    task = shows ? .show : removes ? .remove : .make
    if shows, removes { throw UsageError("--show and --remove are one too many") }
    if task == .make, names.isEmpty { throw UsageError("--destination NAME is needed") }
    isOnChange = arguments.flag(Self.onChange)
    credential = try arguments.value(Self.credential).map { (text) throws(UsageError) in
      guard let credential = SystemdCredential(text) else {
        throw UsageError("--credential is a name of letters, digits, -, _ and ., or NAME:/PATH without blanks")
      }
      return credential
    }
    isEnabling = arguments.flag(Self.enable)
    let (every, given) = (arguments.value(Self.every), arguments.value(Self.calendar))
    if every != nil, given != nil { throw UsageError("--every and --on-calendar are one too many") }
    if let given {
      guard !given.isEmpty, given.utf8.count <= 200, !given.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
        throw UsageError("--on-calendar is one line of up to 200 bytes")
      }
      calendar = given.replacing("%", with: "%%")
    } else {
      let interval = SystemdUnits.intervals.first { $0.name == every ?? "24h" }
      guard let interval else {
        throw UsageError("--every takes one of: \(SystemdUnits.intervals.map(\.name).joined(separator: ", "))")
      }
      calendar = interval.calendar
    }
    unlock = try UnlockOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    switch task {
    case .make: try make(context)
    case .show: try show(context)
    case .remove: try remove(context)
    }
  }

  // MARK: - Making

  private func make(_ context: Context) throws(CommandFailure) -> ExitCode {
    let location = try unlock.location(context)
    let folder = AbsolutePath.of(location.folder)
    let units = SystemdUnits(
      program: SeifProgram.path, folder: folder, calendar: calendar, isOnChange: isOnChange,
      credential: credential)
    guard SystemdUnits.canHold(units.program), SystemdUnits.canHold(folder), units.program != "/proc/self/exe" else {
      throw CommandFailure(.badInput, "a path of this program or of the vault can't stand in a unit of systemd")
    }
    let unitFolder = try Self.unitFolder(context)
    // Whoever approves has to be the person, so the vault is opened here and not by the agent.
    let vault = try unlock.unlock(.readWrite, context)
    defer { vault.lock() }
    let found = try withVaultErrors(folder) { () throws(VaultError) in
      guard try vault.waysIn().contains(where: \.isPortable) else {
        throw VaultError(.noSuchWayIn, "passphrase or recovery")
      }
      return try ApprovedDestinations.all(in: vault)
    }
    var chosen: [ApprovedDestinations.Found] = []
    for name in names {
      let same = found.filter { utf8Equal($0.settings.name, name) }
      guard let first = same.first, same.count == 1 else {
        throw CommandFailure(
          .notFound,
          same.isEmpty ? "the vault knows no destination \(name)" : "\(name) stands for several destinations",
          hint: "seif transport list; one that came with a file is looked at by: seif transport test")
      }
      chosen.append(first)
    }
    for destination in chosen where !destination.isApproved {
      try withVaultErrors(folder) { () throws(VaultError) in
        try ApprovedDestinations.approve(destination, in: vault)
      }
    }
    let schedule = Schedule(
      destinations: chosen.map(\.settings.name), places: chosen.compactMap { Schedule.Place($0.settings) },
      calendar: calendar, isOnChange: isOnChange, credential: credential?.name)
    try Schedule.file(location.stateFolder, vault.id).write(schedule.document)
    try write(units, unitFolder)
    try tell(schedule, units, unitFolder, context)
    return isEnabling ? try enable(units, context) : .done
  }

  private func write(_ units: SystemdUnits, _ folder: String) throws(CommandFailure) {
    UserFolder.make(folder)
    let files = units.files
    for (name, text) in files {
      var file = try OutputFile("\(folder)/\(name)", replacing: true)
      try SecretValue(utf8: text).withBytes { (bytes) throws(CommandFailure) in try file.write(bytes) }
      try file.commit()
    }
    for name in SystemdUnits.names where !files.contains(where: { $0.name == name }) { unlink("\(folder)/\(name)") }
  }

  private func tell(
    _ schedule: Schedule, _ units: SystemdUnits, _ folder: String, _ context: Context
  ) throws(CommandFailure) {
    for name in schedule.destinations
    where schedule.credential == nil && !schedule.places.contains(where: { utf8Equal($0.name, name) }) {
      context.talk.say("\(name) gets snapshots only while the vault is open in the agent.")
    }
    if output.json {
      try context.output.writeLine(json: Self.document(schedule, units.files.map { "\(folder)/\($0.name)" }))
    } else {
      context.talk.say(.ok, "Written: \(units.files.map(\.name).joined(separator: ", ")) in \(folder).")
    }
    if !isEnabling {
      context.talk.say(
        "Start it: systemctl --user daemon-reload && systemctl --user enable --now \(units.started.joined(separator: " "))"
      )
    }
  }

  private func enable(_ units: SystemdUnits, _ context: Context) throws(CommandFailure) -> ExitCode {
    try Self.systemctl(["daemon-reload"], context)
    try Self.systemctl(["enable", "--now"] + units.started, context)
    context.talk.say(.ok, "It runs: \(units.started.joined(separator: ", ")).")
    return .done
  }

  private static func systemctl(_ arguments: [String], _ context: Context) throws(CommandFailure) {
    guard let program = ChildProcess.find("systemctl", path: context.environment["PATH"]),
      let result = HelperProgram.run(
        program, ["--user"] + arguments, input: SecretBytes(copying: SecretValue.empty)), result.status == 0
    else {
      throw CommandFailure(
        .unavailable, "systemctl --user \(arguments.joined(separator: " ")) didn't work",
        hint: "The files are written; start it yourself where systemd runs.")
    }
  }

  // MARK: - Looking and removing

  private func schedule(_ context: Context) throws(CommandFailure) -> (file: StateFile, schedule: Schedule?) {
    let location = try unlock.location(context)
    let id = try withVaultErrors(location.folder) { () throws(VaultError) in
      try Vault.open(at: location, access: .readOnly).id
    }
    let file = Schedule.file(location.stateFolder, id)
    return (file, try Schedule.read(file))
  }

  private func show(_ context: Context) throws(CommandFailure) -> ExitCode {
    let (_, found) = try schedule(context)
    guard let schedule = found else {
      throw CommandFailure(.notFound, "nothing is scheduled", hint: "seif backup schedule --destination NAME")
    }
    let folder = try Self.unitFolder(context)
    let files = SystemdUnits.names.map { (name) -> String in "\(folder)/\(name)" }.filter { access($0, F_OK) == 0 }
    if output.json {
      try context.output.writeLine(json: Self.document(schedule, files))
      return .done
    }
    try context.output.writeField("when", schedule.calendar + (schedule.isOnChange ? ", and on change" : ""), width: 11)
    for name in schedule.destinations {
      let isPlace = schedule.places.contains { utf8Equal($0.name, name) }
      try context.output.writeField(
        "where",
        Display.cleaned(name)
          + (isPlace || schedule.credential != nil ? ", also while locked" : ", while the vault is open"), width: 11)
    }
    if let name = schedule.credential { try context.output.writeField("credential", name, width: 11) }
    for file in files { try context.output.writeField("unit", file, width: 11) }
    if files.isEmpty { context.talk.warn("its units aren't in \(folder): seif backup schedule writes them") }
    return .done
  }

  private func remove(_ context: Context) throws(CommandFailure) -> ExitCode {
    let folder = try Self.unitFolder(context)
    let there = SystemdUnits.names.filter { access("\(folder)/\($0)", F_OK) == 0 }
    let started = there.filter { $0.hasSuffix(".timer") || $0.hasSuffix(".path") }
    if isEnabling, !started.isEmpty { try? Self.systemctl(["disable", "--now"] + started, context) }
    for name in there { unlink("\(folder)/\(name)") }
    let (file, _) = try schedule(context)
    file.remove()
    context.talk.say(.ok, there.isEmpty ? "Nothing was scheduled." : "Removed: \(there.joined(separator: ", ")).")
    if !isEnabling, !started.isEmpty {
      context.talk.say("Stop what runs: systemctl --user disable --now \(started.joined(separator: " "))")
    }
    return .done
  }

  private static func unitFolder(_ context: Context) throws(CommandFailure) -> String {
    guard let folder = UserFolders.configuration(context.environment) else {
      throw CommandFailure(.usage, "nothing says where your settings are", hint: "Set HOME.")
    }
    return folder + "/systemd/user"
  }

  private static func document(_ schedule: Schedule, _ files: [String]) -> SecretValue {
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    schedule.write(&writer)
    writer.member("units", files)
    writer.endObject()
    return writer.finish()
  }
}
