internal import SeifCommandLine
internal import SeifAgent
internal import SeifBackups
internal import SeifBytes
internal import SeifRecords
internal import SeifTransports
internal import SeifVault

/// `seif transport add KIND NAME`: a destination, tried out before it is kept.
struct TransportAddCommand: Command {
  static let name = "transport add"
  static let summary = "add a place where backups go"
  static let usage = """
    seif transport add KIND NAME [OPTIONS]

    KIND is folder, icloud, sftp, external (a program of yours), webdav, s3, google-drive or
    dropbox; what each needs stands in docs/transports.md. Asks for the settings (Enter takes
    what stands in brackets), tries the place out, and keeps it in the vault under NAME, which
    --destination takes from then on. Settings and credentials are an entry of the vault with
    the tag seif-transport, so backups carry them. A script gives settings by --set, the one
    that is secret by --secret-fd or --secret-file; what may be left out has a preset then.

    --automatic-restore has Seif look there for backups of other machines, as seif backup
    automatic does: for a new vault in the place of one that was lost. What lies there already
    is offered at once.
    """
  static let set = Option.value("set", "FIELD=VALUE", repeats: true, "a setting; may be given several times")
  static let untested = Option.flag("untested", "keep it though nothing was stored there and read back yet")
  static let device = Option.flag("device", "google-drive: allow it in a browser of another machine, by a short code")
  static let proxy = Option.value("proxy", "URL", "reach it by this proxy alone; none: by no proxy")
  static let proxyPassword = Option.value(
    "proxy-password-fd", "N", "read the password of --set proxy-user at the proxy from descriptor N")
  static let secretFD = Option.value("secret-fd", "N", "read the secret setting from descriptor N")
  static let secretFile = Option.value("secret-file", "F", "read the secret setting from a file, one line")
  static let codeFD = Option.value("code-fd", "N", "dropbox: read the code that its page shows from descriptor N")
  static let automatic = Option.flag("automatic-restore", "look there for backups of other machines")
  static var options: [Option] {
    [set, untested, automatic, device, codeFD, proxy, proxyPassword, secretFD, secretFile] + UnlockOptions.options
      + OutputOptions.options
  }

  private let kind: String
  private let name: String
  private let given: [String: String]
  private let isUntested: Bool
  private let isForRestoring: Bool
  private let isBrowserElsewhere: Bool
  /// Where the code of a page comes from; nil: from a person.
  private let code: PassphraseSource?
  private let proxyPassword: PassphraseSource
  private let secret: PassphraseSource
  private let unlock: UnlockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    kind = try arguments.positional("KIND")
    name = try arguments.positional("NAME")
    if let fault = Self.fault(ofName: name) { throw UsageError(fault) }
    var given: [String: String] = [:]
    for pair in arguments.values(Self.set) {
      guard let equals = pair.firstIndex(of: "="), equals != pair.startIndex else {
        throw UsageError("--set takes FIELD=VALUE")
      }
      guard given.updateValue(String(pair[pair.index(after: equals)...]), forKey: String(pair[..<equals])) == nil else {
        throw UsageError("--set gives \(pair[..<equals]) twice")
      }
    }
    if let proxy = arguments.value(Self.proxy) {
      guard given.updateValue(proxy, forKey: "proxy") == nil else { throw UsageError("--set gives proxy too") }
    }
    self.given = given
    proxyPassword =
      try arguments.integer(Self.proxyPassword, in: 0...65_535).map { .descriptor(Int32(truncatingIfNeeded: $0)) }
      ?? .person
    isUntested = arguments.flag(Self.untested)
    isForRestoring = arguments.flag(Self.automatic)
    isBrowserElsewhere = arguments.flag(Self.device)
    code = try arguments.integer(Self.codeFD, in: 0...65_535).map { .descriptor(Int32(truncatingIfNeeded: $0)) }
    secret = try PassphraseSource(arguments, Self.secretFD, Self.secretFile)
    unlock = try UnlockOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  /// What a name can't be, so that it is never taken for a folder or an option.
  static func fault(ofName name: String) -> String? {
    let isPlain = name.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F, 0x2E: true
      default: byte >= 0x80
      }
    }
    guard isPlain, let first = name.utf8.first, first != 0x2D, first != 0x2E, name.utf8.count <= 64 else {
      return "NAME has up to 64 letters, digits, -, _ and ., and begins with none of - and ."
    }
    return nil
  }

  func run(_ context: Context) throws -> ExitCode {
    let kind = try kind(context)
    let folder = try unlock.vault.folder(context.environment)
    try checkFields(kind)
    if code != nil, kind.authorize == nil {
      throw CommandFailure(
        .usage, "\(kind.id) isn't allowed by a page that shows a code, so --code-fd means nothing there")
    }
    try checkGiven(kind)
    let vault = try unlock.use(.readWrite, context)
    defer { vault.lock() }
    try checkFree(vault, folder)
    var settings = try settings(kind, context)
    do {
      try allow(kind, &settings, context)
      return try keep(kind, &settings, vault, folder, context)
    } catch {
      if kind.isAllowed(by: settings) { takeBack(kind, settings, context) }
      throw error
    }
  }

  private func takeBack(_ kind: TransportKind, _ settings: TransportSettings, _ context: Context) {
    if (try? context.transports.revoke(settings)) == true {
      return context.talk.say("What you allowed was taken back at \(kind.displayName), since nothing of it was kept.")
    }
    context.talk.warn(
      "What you allowed stays valid at \(kind.displayName), though nothing of it was kept here: "
        + "take it back in the settings of your account there.")
  }

  private func keep(
    _ kind: TransportKind, _ settings: inout TransportSettings, _ vault: any UnlockedVault, _ folder: String,
    _ context: Context
  ) throws -> ExitCode {
    var report: TransportTrial.Report?
    if !isUntested {
      let found = try TransportTrial(registry: context.transports).run(settings, .short) { step in
        switch step {
        case .asking(let place): context.talk.say("asking \(place)")
        case .trying(let rule): context.talk.say(rule)
        case .tried(let rule, let finding): if let finding { context.talk.warn("\(rule): \(finding)") }
        }
      }
      settings.createsConditionally = found.createsConditionally
      settings.secrets.merge(found.replacedSecrets) { $1 }
      report = found
      guard found.isGood else {
        throw CommandFailure(
          .checkFailed, "\(name) doesn't do what backups need, so it wasn't kept",
          hint: "--untested keeps it all the same: each backup is still proven by itself.")
      }
    }
    // Questions and trial take long, and another run can have added one of this name meanwhile.
    try checkFree(vault, folder)
    let login = TransportItem.entry(
      settings, fields: kind.fields, place: place(settings, context),
      now: Timestamp(seconds: context.clock.now()))
    try withVault(folder) { () throws(VaultUseError) in
      _ = try vault.apply([.add(.password(login))], ifCounterIs: nil)
    }
    if output.json {
      try context.output.writeLine(json: TransportDocument.trial("seif-transport-add", settings, report))
    }
    context.talk.say(.ok, isUntested ? "\(name) is kept, and wasn't tried out." : "Backups can go to \(name).")
    if isUntested { context.talk.hint("seif transport test \(name)") }
    if isForRestoring { return try lookForBackups(vault, folder, context) }
    context.talk.hint("seif backup create --destination \(name)")
    return .done
  }

  /// Chooses it, and offers what lies there: whoever asks for that may have lost the vault before.
  private func lookForBackups(
    _ vault: any UnlockedVault, _ folder: String, _ context: Context
  ) throws(CommandFailure) -> ExitCode {
    let location = try unlock.location(context)
    try BackupAutomaticCommand.choose(name, in: vault, location, context)
    guard let choice = try RestoreChoice.find(in: vault, folder) else { return .done }
    let offer = try RestoreOffer(choice, location, in: vault, folder, context)
    guard offer.isOpen else {
      context.talk.say(offer.sight.idleWords(at: name, now: Timestamp(seconds: context.clock.now())))
      context.talk.hint("seif backup create --destination \(name)")
      return .done
    }
    let command = "seif backup restore --automatic"
    context.talk.say("A backup that this vault hasn't lies there: \(command)")
    guard !output.json, TerminalDevice(context) != nil else { return .done }
    return try offer.run(
      opening: .person, plan: ImportOptions(), isYes: false, output: output, command: command, into: vault, folder,
      context)
  }

  private func checkFree(_ vault: any UnlockedVault, _ folder: String) throws(CommandFailure) {
    let known = try withVault(folder) { () throws(VaultUseError) in
      try TransportItem.all(in: vault, importedToo: true)
    }
    guard !known.contains(where: { utf8Equal($0.name, name) }) else {
      throw CommandFailure(
        .cannotCreate, "there is a destination called \(name)", hint: "Remove it first: seif transport remove \(name)")
    }
  }

  private func kind(_ context: Context) throws(CommandFailure) -> TransportKind {
    guard let found = context.transports[kind] else {
      if let missing = NetworkProgram.isMissing(for: kind, context) { throw missing }
      let names = context.transports.kinds.map(\.id)
      let guess = Suggestion.nearest(to: kind, among: names).map { " Did you mean \($0)?" } ?? ""
      throw CommandFailure(
        .usage, "no destination is of the kind \(kind).\(guess)",
        hint: "KIND is one of: \(names.joined(separator: ", ")).")
    }
    return found
  }

  private func checkFields(_ kind: TransportKind) throws(CommandFailure) {
    let names = kind.fields.filter { !$0.isSecret }.map(\.name)
    for name in given.keys.sorted() where !names.contains(name) {
      guard !kind.fields.contains(where: { $0.name == name }) else {
        throw CommandFailure(
          .usage, "\(name) is secret, and nothing secret is an argument",
          hint: "Give it by --secret-fd or --secret-file.")
      }
      throw CommandFailure(
        .usage, "\(kind.id) has no setting \(name)", hint: "It has: \(names.joined(separator: ", ")).")
    }
  }

  /// What is given by options is looked at before anybody is asked for anything.
  private func checkGiven(_ kind: TransportKind) throws(CommandFailure) {
    for field in kind.fields where !field.isSecret {
      guard let value = given[field.name] else { continue }
      if let fault = fault(in: whole(value, field, kind), of: field, kind, TransportSettings(name: name, kind: kind.id))
      {
        throw CommandFailure(.badInput, "the settings of \(name) can't be used (\(fault))")
      }
    }
  }

  /// Why a value can't be used, whatever the other settings are; nil: it may be.
  private func fault(
    in value: String, of field: TransportField, _ kind: TransportKind, _ before: TransportSettings
  ) -> String? {
    var settings = before
    for other in kind.fields where !other.isSecret && settings.values[other.name] == nil {
      // What wasn't said yet stands in no value's way.
      settings.values[other.name] = given[other.name] ?? (other.name == "allow-http" ? "yes" : other.preset ?? "")
    }
    settings.values[field.name] = value
    do throws(TransportError) {
      _ = try kind.make(settings)
      return nil
    } catch {
      return error.code == .badSettings && error.field == field.name ? error.reason : nil
    }
  }

  /// A folder of this machine as it is stored: its whole path.
  private func whole(_ value: String, _ field: TransportField, _ kind: TransportKind) -> String {
    guard ["folder", "icloud"].contains(kind.id), field.name == "path", !value.isEmpty, !value.hasPrefix("/"),
      !value.hasPrefix("~")
    else { return value }
    return AbsolutePath.of(value)
  }

  private func place(_ settings: TransportSettings, _ context: Context) -> String? {
    (try? context.transports.transport(settings)).map(DestinationOptions.place(of:))
  }

  /// What was given, and what a person answers; answers that can't be used are asked for again, with them in brackets.
  private func settings(_ kind: TransportKind, _ context: Context) throws(CommandFailure) -> TransportSettings {
    let hasTerminal = TerminalDevice(context) != nil
    let isAsking = hasTerminal && kind.fields.contains { !$0.isSecret && $0.isAsked && given[$0.name] == nil }
    var settings = TransportSettings(name: name, kind: kind.id)
    for attempt in 1...3 {
      for field in kind.fields where !field.isSecret {
        settings.values[field.name] =
          field.isAsked
          ? try value(field, settings, kind, hasTerminal, context) : given[field.name] ?? field.preset
      }
      // With any secret: whether one is needed depends on the rest, and it is asked for last, once.
      if attempt == 1 {
        for field in kind.fields where field.isSecret && field.isAsked {
          settings.secrets[field.name] = try secretValue(field, context)
        }
      }
      if attempt == 1, !(settings.values["proxy-user"] ?? "").isEmpty {
        let read = try proxyPassword.readAny(question: "password at the proxy", context)
        settings.secrets["proxy-password"] = read.withBytes { SecretValue(copying: $0) }
      }
      // What a browser has to allow isn't whole yet.
      guard isAsking, kind.authorize == nil else { return settings }
      do throws(TransportError) {
        _ = try context.transports.transport(settings)
        return settings
      } catch {
        guard error.code == .badSettings, attempt < 3 else { return settings }
        context.talk.fail(CommandFailure(.badInput, "\(error)", hint: "Once more; Enter keeps what is in brackets."))
      }
    }
    return settings
  }

  private func value(
    _ field: TransportField, _ settings: TransportSettings, _ kind: TransportKind, _ hasTerminal: Bool,
    _ context: Context
  ) throws(CommandFailure) -> String {
    func said(_ value: String) -> String {
      let whole = whole(value, field, kind)
      if whole != value { context.talk.say("\(field.name) is kept as its whole path: \(Display.cleaned(whole))") }
      return whole
    }
    if let value = given[field.name] { return said(value) }
    let before = settings.values[field.name]
    let preset = before ?? field.preset
    if !hasTerminal, let preset { return preset }
    let shown = preset.map { $0.isEmpty ? "" : " [\($0)]" } ?? ""
    let question = field.question.hasSuffix("?") ? String(field.question.dropLast()) : field.question
    let answer = try context.ask(question + shown, insteadGive: "--set \(field.name)=VALUE") {
      if $0.isEmpty || $0 == "-" && before != nil { return preset == nil ? "Something has to stand here." : nil }
      return fault(in: whole($0, field, kind), of: field, kind, settings).map { "That can't be used: \($0)." }
    }
    // A dash alone takes back what was answered before.
    if answer == "-", before != nil, let usual = field.preset { return usual }
    return answer.isEmpty ? preset ?? "" : said(answer)
  }

  /// Has the person allow it, where the kind needs that.
  private func allow(
    _ kind: TransportKind, _ settings: inout TransportSettings, _ context: Context
  ) throws(CommandFailure) {
    guard let authorize = kind.authorize else {
      guard !isBrowserElsewhere else {
        throw CommandFailure(.usage, "\(kind.id) isn't allowed by a browser, so --device means nothing there")
      }
      return
    }
    let dialogue = TransportDialogue(
      context: context, isBrowserElsewhere: isBrowserElsewhere,
      secret: code ?? (kind.fields.contains { $0.isSecret && $0.isAsked } ? .person : secret))
    do {
      try authorize(&settings, dialogue)
    } catch let failure as TransportError {
      throw CommandFailure(CommandFailure.code(failure), "\(name) can't be used: \(failure)")
    } catch {
      throw CommandFailure(describing: error)
    }
  }

  private func secretValue(_ field: TransportField, _ context: Context) throws(CommandFailure) -> SecretValue {
    if secret == .person, TerminalDevice(context) == nil {
      guard field.preset == nil else { return .empty }
      throw CommandFailure(
        .refused, "\(field.name) is missing, and there is no terminal to ask for it",
        hint: "Give it by --secret-fd N or --secret-file F.")
    }
    let read = try secret.readAny(question: field.question, context)
    return read.withBytes { SecretValue(copying: $0) }
  }
}
