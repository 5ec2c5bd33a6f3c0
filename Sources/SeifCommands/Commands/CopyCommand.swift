internal import SeifCommandLine
internal import SeifAgent
internal import SeifBytes
internal import SeifOTP
internal import SeifRecords
internal import SeifVault

/// `seif copy QUERY [FIELD]`: one field of one entry, to the clipboard.
struct CopyCommand: Command {
  static let name = "copy"
  static let summary = "copy one field of an entry; cleared after 30 s"
  static let usage = """
    seif copy QUERY [FIELD] [OPTIONS]

    Copies one field: without FIELD the code of an account, the password of a login, the
    number of a card, the text of a note. FIELD is code, password, user, secret, pin,
    number, cvc, expiry, holder, notes, url, name, id, server, what seif show labels it, or
    the name of a field of your own.
    The counter of a counter-based account is stored before its code is copied.

    What is copied is marked as a secret, which asks clipboard managers not to keep it, and
    is taken away after 30 s unless something else was copied since. Programs of yours can
    read it until then, and one that doesn't heed the mark may keep it.

    --osc52 has the terminal copy it, over a secure shell too. It can't be cleared from
    here, it isn't marked, and whatever stands between Seif and the terminal sees it.
    """
  static var options: [Option] {
    CopyOptions.options + UnlockOptions.options + ClockOptions.options + OutputOptions.options
  }

  private let query: String
  private let field: String?
  private let copying: CopyOptions
  private let unlock: UnlockOptions
  private let clock: ClockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    query = try arguments.positional("QUERY")
    field = arguments.optionalPositional()
    copying = try CopyOptions(&arguments)
    unlock = try UnlockOptions(&arguments)
    clock = try ClockOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let folder = try unlock.vault.folder(context.environment)
    // Read-write from the start: whether a counter must move is known only once the entry is found.
    let vault = try unlock.use(.readWrite, mayOnlyRead: true, context)
    defer { vault.lock() }
    let hit = try Query(query).resolve(in: vault, folder: folder, context)
    let damage = vault.tell(context)
    let read = try withVault(folder) { () throws(VaultUseError) in try vault.entry(hit.id) }
    let entry = read.stored.entry
    let name = FieldName(field ?? EntryField.main(of: entry).rawValue)
    guard let found = name.value(of: entry) else {
      throw CommandFailure(
        .notFound, "it has no field \"\(name.text)\"", hint: "It has:", details: FieldName.all(of: entry))
    }
    // Of a vault in the agent a secret's value is a stand-in until now.
    var value = try withVault(folder) { () throws(VaultUseError) in try vault.value(found, of: read) }
    if value == nil {
      let now = Timestamp(seconds: clock.clock(context).now())
      let code = try withVault(folder) { () throws(VaultUseError) in
        try vault.code(hit.id.description, next: false, at: now).code
      }
      if code?.secondsLeft != nil { clock.warnOfClock(context) }
      value = code.map { SecretValue(utf8: $0.text) }
    }
    guard let value else { throw CommandFailure(.notFound, "\"\(query)\" has no one-time code") }
    let copied = try copying.put(SecretBytes(copying: value), context)
    if output.json {
      try context.output.writeLine(json: CopiedDocument.text(hit, field: name.known?.rawValue ?? name.text, copied))
    }
    return damage.exitCode
  }
}

/// What `--json` says of what was copied: never the value.
enum CopiedDocument {
  static func text(_ hit: EntrySummary, field: String, _ copied: Copied) -> SecretValue {
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema("seif-copied", 1)
    writer.member("id", hit.id.description)
    writer.member("name", hit.name)
    writer.member("account", hit.account)
    writer.member("field", field)
    copied.write(to: &writer)
    writer.endObject()
    return writer.finish()
  }
}
