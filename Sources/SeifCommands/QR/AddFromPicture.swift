internal import SeifCommandLine
internal import SeifAgent
internal import SeifBytes
internal import SeifClipboard
internal import SeifImages
internal import SeifRecords
internal import SeifVault

/// Where the codes of `seif add` are looked for.
enum PicturePlace {
  case file(String)
  case clipboard
  case screen

  var name: String {
    switch self {
    case .file("-"): "standard input"
    case .file(let path): path
    case .clipboard: "the clipboard"
    case .screen: "the screen"
    }
  }

  /// What stands there: what each QR code holds, or each line of a text.
  func codes(_ context: Context) throws(CommandFailure) -> [SecretValue] {
    switch self {
    case .file(let path):
      let file = try InputFile.read(path, context, byteLimit: PictureReader.byteLimit)
      return try PictureCodes.read(file, named: name)
    case .clipboard:
      let environment = context.environment
      let copied = try Self.asking { () throws(ClipboardError) in
        try Clipboard.copied(preferring: "otpauth", environment: { environment[$0] })
      }
      switch copied {
      case .picture(let file): return try PictureCodes.read(file, named: name)
      case .text(let text): return Self.lines(of: text)
      }
    case .screen:
      let environment = context.environment
      let seen = try Self.asking { () throws(ClipboardError) in
        try ScreenPicture(environment: { environment[$0] })
      }
      let file = PictureReader.shades(width: seen.width, height: seen.height, seen.pixels)
      return try PictureCodes.read(file, named: name)
    }
  }

  private static func asking<Result>(
    _ body: () throws(ClipboardError) -> Result
  ) throws(CommandFailure) -> Result {
    do throws(ClipboardError) { return try body() } catch { throw CommandFailure(reading: error) }
  }

  /// The lines that aren't empty, without the blanks around them; as many as a picture may have codes.
  private static func lines(of text: SecretValue) -> [SecretValue] {
    text.withBytes { bytes in
      bytes.withUnsafeBytes { bytes in
        bytes.split { $0 == 0x0A || $0 == 0x0D }.compactMap { line in
          var line = line.drop { $0 == 0x20 || $0 == 0x09 }
          while let last = line.last, last == 0x20 || last == 0x09 { line.removeLast() }
          return line.isEmpty ? nil : SecretValue(copying: UnsafeRawBufferPointer(rebasing: line).bytes)
        }.prefix(PictureReader.codeLimit).map { $0 }
      }
    }
  }
}

/// `seif add --qr FILE`, `--clipboard`, `--screen`: the accounts of QR codes or a copied text, each shown and agreed to
/// before it is added.
struct AddFromPicture {
  static let picture = Option.value("qr", "FILE", "add the codes of a picture, PNG or JPEG; - for standard input")
  static let clipboard = Option.flag("clipboard", "add what was copied: a Key URI, or a picture of QR codes")
  static let screen = Option.flag("screen", "add the QR codes that are to be seen on the screen (X11)")
  static let yes = Option.flag("yes", "with these three: add all without asking for each")
  static var options: [Option] { [picture, clipboard, screen, yes] }

  private let place: PicturePlace
  private let isAgreed: Bool
  private let entry: EntryOptions
  private let unlock: UnlockOptions
  private let output: OutputOptions

  /// Nil where none of them was given.
  init?(_ arguments: inout ParsedArguments, kind: String?) throws(UsageError) {
    var places: [(option: Option, place: PicturePlace)] = []
    if let path = arguments.value(Self.picture) { places.append((Self.picture, .file(path))) }
    if arguments.flag(Self.clipboard) { places.append((Self.clipboard, .clipboard)) }
    if arguments.flag(Self.screen) { places.append((Self.screen, .screen)) }
    guard let first = places.first else {
      if arguments.flag(Self.yes) { throw UsageError("--yes belongs to --qr, --clipboard and --screen") }
      return nil
    }
    guard places.count == 1 else { throw UsageError("--qr, --clipboard and --screen: one of them") }
    let option = "--" + first.option.name
    guard kind == nil || kind == "code" else { throw UsageError("\(option) adds codes alone") }
    place = first.place
    isAgreed = arguments.flag(Self.yes)
    entry = try EntryOptions(&arguments)
    unlock = try UnlockOptions(&arguments)
    output = try OutputOptions(&arguments)
    guard entry.secret == .person else {
      throw UsageError("\(option) gives the secret; leave out --secret-fd and --secret-file")
    }
    guard entry.name == nil, entry.account == nil else {
      throw UsageError("\(option) says what its codes are called: seif edit changes it afterwards")
    }
  }

  func run(_ context: Context) throws -> ExitCode {
    let codes = try place.codes(context)
    let name = place.name
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
        Self.isMigration(code) ? Self.migration : "a code of \(name) isn't a Key URI that Seif can use")
    }
    guard !found.isEmpty else {
      throw CommandFailure(.badInput, "nothing of \(name) is a Key URI (otpauth://…)", hint: "Nothing was added.")
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
