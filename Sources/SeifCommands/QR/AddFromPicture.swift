internal import SeifAgent
internal import SeifBytes
internal import SeifRecords
internal import SeifVault

/// `seif add --qr FILE`: the accounts of the QR codes in a picture, each shown and agreed to before it is added.
struct AddFromPicture {
  static let picture = Option.value("qr", "FILE", "add the codes of a picture, PNG or JPEG; - for standard input")
  static let yes = Option.flag("yes", "with --qr: add all without asking for each")
  static var options: [Option] { [picture, yes] }

  private let path: String
  private let isAgreed: Bool
  private let entry: EntryOptions
  private let unlock: UnlockOptions
  private let output: OutputOptions

  /// Nil where `--qr` wasn't given.
  init?(_ arguments: inout ParsedArguments, kind: String?) throws(UsageError) {
    guard let path = arguments.value(Self.picture) else {
      if arguments.flag(Self.yes) { throw UsageError("--yes belongs to --qr") }
      return nil
    }
    guard kind == nil || kind == "code" else { throw UsageError("--qr adds codes alone") }
    self.path = path
    isAgreed = arguments.flag(Self.yes)
    entry = try EntryOptions(&arguments)
    unlock = try UnlockOptions(&arguments)
    output = try OutputOptions(&arguments)
    guard entry.secret == .person else {
      throw UsageError("--qr gives the secret; leave out --secret-fd and --secret-file")
    }
    guard entry.name == nil, entry.account == nil else {
      throw UsageError("a picture says what its codes are called: seif edit changes it afterwards")
    }
  }

  func run(_ context: Context) throws -> ExitCode {
    let codes = try PictureCodes.read(path, context)
    let name = path == "-" ? "standard input" : path
    guard !codes.isEmpty else {
      throw CommandFailure(
        .badInput, "there is no QR code in \(name)", hint: "A larger picture of the code alone may help.")
    }
    var found: [Entry] = []
    var others = 0
    for code in codes {
      if CodeInput.isURI(code), let made = try? CodeInput.account(code, name: nil, account: nil) {
        found.append(made)
        continue
      }
      others += 1
      context.talk.warn(
        Self.isMigration(code) ? Self.migration : "a QR code of \(name) isn't a Key URI that Seif can use")
    }
    guard !found.isEmpty else {
      throw CommandFailure(.badInput, "no QR code of \(name) is a Key URI", hint: "Nothing was added.")
    }
    if !isAgreed, TerminalDevice(context) == nil {
      throw CommandFailure(
        .usage, "without a terminal this can't be asked: add these?", hint: "Give --yes.",
        details: found.map { EntryLabel.text($0.name, $0.account) })
    }
    let folder = try unlock.vault.folder(context.environment)
    let vault = try unlock.use(.readWrite, context)
    defer { vault.lock() }
    let notes = try entry.text(context)
    var added: [Entry] = []
    for var made in found {
      let label = EntryLabel.text(made.name, made.account)
      if !isAgreed, try !context.confirm("Add \(label)?", insteadGive: "--yes") { continue }
      var info = made.info
      entry.apply(to: &info)
      info.createdAt = Timestamp(seconds: context.clock.now())
      if let notes { info.notes = notes }
      made.info = info
      added.append(made)
    }
    let ids = try withVault(folder) { () throws(VaultUseError) in
      try vault.apply(added.map(VaultChange.add), ifCounterIs: nil)
    }
    if output.json { try context.output.writeLine(json: document(added, ids)) }
    for made in added { context.talk.say(.ok, "Added \(EntryLabel.text(made.name, made.account)).") }
    if added.isEmpty { context.talk.say("Nothing was added.") }
    return others == 0 ? .done : .partial
  }

  private func document(_ added: [Entry], _ ids: [UUID]) -> SecretValue {
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema("seif-add-qr", 1)
    writer.key("entries")
    writer.beginArray()
    for (made, id) in zip(added, ids) {
      writer.beginObject()
      writer.member("id", id.description)
      writer.member("name", made.name)
      writer.member("account", made.account)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return writer.finish()
  }

  private static let migration =
    "a QR code is one of Google Authenticator's transfers, which can't be read yet: show each account's own code instead"

  private static func isMigration(_ code: SecretValue) -> Bool {
    code.withBytes { bytes in bytes.withUnsafeBytes { $0.starts(with: "otpauth-migration://".utf8) } }
  }
}
