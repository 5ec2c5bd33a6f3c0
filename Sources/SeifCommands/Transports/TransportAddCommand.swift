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
    dropbox; what each needs stands in docs/transports.md. Asks for what has to be said, tries
    it out, and keeps it in the vault under NAME, which --destination takes from then on.
    Settings and credentials are an entry of the vault with the tag seif-transport, so backups
    carry them. What may be left out is given by --set, the one that is secret by --secret-fd
    or --secret-file. The last two kinds are allowed in a browser: the address is shown.
    """
  static let set = Option.value("set", "FIELD=VALUE", repeats: true, "a setting; may be given several times")
  static let untested = Option.flag("untested", "keep it without trying it out")
  static let device = Option.flag("device", "google-drive: allow it in a browser of another machine, by a short code")
  static let secretFD = Option.value("secret-fd", "N", "read the secret setting from descriptor N")
  static let secretFile = Option.value("secret-file", "F", "read the secret setting from a file, one line")
  static var options: [Option] {
    [set, untested, device, secretFD, secretFile] + UnlockOptions.options + OutputOptions.options
  }

  private let kind: String
  private let name: String
  private let given: [String: String]
  private let isUntested: Bool
  private let isBrowserElsewhere: Bool
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
    self.given = given
    isUntested = arguments.flag(Self.untested)
    isBrowserElsewhere = arguments.flag(Self.device)
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
    let vault = try unlock.use(.readWrite, context)
    defer { vault.lock() }
    try checkFree(vault, folder)
    var settings = try settings(kind, context)
    try allow(kind, &settings, context)
    var report: TransportTrial.Report?
    if !isUntested {
      let found = try TransportTrial(registry: context.transports).run(settings, .short) { context.talk.say($0) }
      settings.createsConditionally = found.createsConditionally
      settings.secrets.merge(found.replacedSecrets) { $1 }
      report = found
      for row in found.rows { if let finding = row.finding { context.talk.warn("\(row.rule): \(finding)") } }
      guard found.isGood else {
        throw CommandFailure(
          .checkFailed, "\(name) doesn't do what backups need, so it wasn't kept",
          hint: "--untested keeps it all the same.")
      }
    }
    // Questions and trial take long, and another run can have added one of this name meanwhile.
    try checkFree(vault, folder)
    let login = TransportItem.entry(
      settings, fields: kind.fields, now: Timestamp(seconds: context.clock.now()))
    try withVault(folder) { () throws(VaultUseError) in
      _ = try vault.apply([.add(.password(login))], ifCounterIs: nil)
    }
    if output.json {
      try context.output.writeLine(json: TransportDocument.trial("seif-transport-add", settings, report))
    }
    context.talk.say(.ok, "Backups can go to \(name).")
    context.talk.hint("seif backup create --destination \(name)")
    return .done
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

  private func settings(_ kind: TransportKind, _ context: Context) throws(CommandFailure) -> TransportSettings {
    var settings = TransportSettings(name: name, kind: kind.id)
    for field in kind.fields {
      if !field.isAsked {
        if !field.isSecret { settings.values[field.name] = given[field.name] ?? field.preset }
      } else if field.isSecret {
        settings.secrets[field.name] = try secretValue(field, context)
      } else if let value = given[field.name] {
        settings.values[field.name] = value
      } else if let preset = field.preset {
        settings.values[field.name] = preset
      } else {
        settings.values[field.name] = try context.ask(
          field.question, insteadGive: "--set \(field.name)=VALUE"
        ) { $0.isEmpty ? "Something has to stand here." : nil }
      }
    }
    return settings
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
      secret: kind.fields.contains { $0.isSecret && $0.isAsked } ? .person : secret)
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
