internal import SeifBytes
internal import SeifCommandLine
internal import SeifCrypto
internal import SeifServer
internal import SeifServerCommands
internal import SeifServerStore

extension ServerRun {
  func add(_ command: ServeUserAddCommand) throws -> ExitCode {
    let folder = try ServerFolder.make(command.place.folder(environment))
    let origin = try folder.origin(command.origin)
    let stores = try folder.open()
    let now = folder.now()
    let account = AccountRow(
      id: RandomSource.system.makeUUID(), name: command.account, quota: command.quota, createdAt: now)
    let link = EnrolmentLink(account: account.id, now: now)
    guard try stores.makeAccount(account, enrolment: link.row) else {
      throw CommandFailure(
        .cannotCreate, "there is an account \(command.account) already",
        hint: "A new link for it: seif serve user reset \(command.account)")
    }
    try tell(link, origin, "seif-serve-user-add", account, command.output)
    talk.say(.ok, "The account \(command.account) waits for its owner.")
    return .done
  }

  func reset(_ command: ServeUserResetCommand) throws -> ExitCode {
    let folder = try ServerFolder(command.place.folder(environment))
    let origin = try folder.origin(command.origin)
    let stores = try folder.open()
    let account = try Self.account(command.account, stores)
    let link = EnrolmentLink(account: account.id, now: folder.now())
    if command.dropsFactors {
      for passkey in try stores.passkeys(account.id) {
        _ = try stores.removePasskey(account.id, credentialID: passkey.credentialID)
      }
      try stores.setSignInCodes(account.id, hashes: [])
      _ = try stores.updateAccount(account.id) { ($0.totp, $0.totpOffered) = (nil, nil) }
    }
    try stores.putEnrolment(link.row)
    try tell(link, origin, "seif-serve-user-reset", account, command.output)
    talk.say(.ok, "By this link \(command.account) chooses a new password; sessions end when that is done.")
    return .done
  }

  func list(_ command: ServeUserListCommand) throws -> ExitCode {
    let stores = try ServerFolder(command.place.folder(environment)).open()
    var accounts: [(row: AccountRow, status: VaultStatus)] = []
    var after: String?
    while true {
      let page = try stores.accounts(after: after, limit: 500)
      for row in page { accounts.append((row, try stores.status(row.id))) }
      guard let last = page.last else { break }
      after = last.name
    }
    if command.output.json {
      var writer = JSONWriter(indent: 2)
      writer.beginObject()
      writer.schema("seif-serve-user-list", 1)
      writer.key("accounts")
      writer.beginArray()
      for (row, status) in accounts {
        writer.beginObject()
        writer.member("id", row.id.description)
        writer.member("name", row.name)
        writer.member("state", Self.state(row))
        writer.member("objects", status.objectCount)
        writer.member("bytes", status.byteCount)
        writer.member("quota", row.quota)
        writer.member("createdAt", row.createdAt.rfc3339)
        writer.endObject()
      }
      writer.endArray()
      writer.endObject()
      try output.writeLine(json: writer.finish())
      return .done
    }
    guard !accounts.isEmpty else {
      talk.say("There is no account yet.")
      talk.hint("seif serve user add NAME")
      return .done
    }
    var table = Table([
      Table.Column("name"), Table.Column("state"), Table.Column("objects", right: true),
      Table.Column("bytes", right: true), Table.Column("limit", right: true),
    ])
    for (row, status) in accounts {
      table.add([
        row.name, Self.state(row), "\(status.objectCount)", "\(status.byteCount)", ByteSize.text(row.quota),
      ])
    }
    try table.write(to: output)
    return .done
  }

  func disable(_ command: ServeUserDisableCommand) throws -> ExitCode {
    let stores = try ServerFolder(command.place.folder(environment)).open()
    let account = try Self.account(command.account, stores)
    let disables = !command.off
    _ = try stores.updateAccount(account.id) { $0.isDisabled = disables }
    if disables { try stores.endSessions(account.id, but: nil) }
    try tellDone("seif-serve-user-disable", account, command.output)
    talk.say(.ok, disables ? "\(account.name) can't sign in any more." : "\(account.name) can sign in again.")
    return .done
  }

  func quota(_ command: ServeUserQuotaCommand) throws -> ExitCode {
    let stores = try ServerFolder(command.place.folder(environment)).open()
    let account = try Self.account(command.account, stores)
    let quota = command.quota
    _ = try stores.updateAccount(account.id) { $0.quota = quota }
    try tellDone("seif-serve-user-quota", account, command.output)
    let kept = try stores.status(account.id).byteCount
    talk.say(.ok, "\(account.name) may keep \(ByteSize.text(quota)).")
    if kept > quota { talk.warn("it keeps \(kept) bytes already: nothing of that goes, and nothing more comes") }
    return .done
  }

  func remove(_ command: ServeUserRemoveCommand) throws -> ExitCode {
    let stores = try ServerFolder(command.place.folder(environment)).open()
    let account = try Self.account(command.account, stores)
    let status = try stores.status(account.id)
    guard command.agrees else {
      throw CommandFailure(
        .usage, "this removes \(account.name) with \(status.objectCount) documents, for good",
        hint: "If it is meant: seif serve user remove \(account.name) --yes")
    }
    _ = try stores.removeAccount(account.id)
    try tellDone("seif-serve-user-remove", account, command.output)
    talk.say(.ok, "\(account.name) is gone; the bytes of its documents go within a day.")
    return .done
  }

  private static func account(_ name: String, _ stores: any AccountStore) throws -> AccountRow {
    guard let account = try stores.account(named: name) else {
      throw CommandFailure(.notFound, "there is no account \(name)", hint: "See: seif serve user list")
    }
    return account
  }

  private static func state(_ row: AccountRow) -> String {
    row.isDisabled ? "disabled" : row.password == nil ? "waits for its owner" : "active"
  }

  private func tell(
    _ link: EnrolmentLink, _ origin: ServerOrigin, _ schema: String, _ account: AccountRow, _ options: OutputOptions
  ) throws {
    if options.json {
      var writer = JSONWriter(indent: 2)
      writer.beginObject()
      writer.schema(schema, 1)
      writer.member("id", account.id.description)
      writer.member("name", account.name)
      writer.member("link", link.text(origin))
      writer.member("endsAt", link.row.endsAt.rfc3339)
      writer.endObject()
      try output.writeLine(json: writer.finish())
    } else {
      try output.writeLine(link.text(origin))
      talk.say("Whoever has this link chooses the account's password: give it to its owner alone, within 24 hours.")
    }
  }

  private func tellDone(_ schema: String, _ account: AccountRow, _ options: OutputOptions) throws {
    guard options.json else { return }
    var writer = JSONWriter(indent: 2)
    writer.beginObject()
    writer.schema(schema, 1)
    writer.member("id", account.id.description)
    writer.member("name", account.name)
    writer.endObject()
    try output.writeLine(json: writer.finish())
  }
}

/// A link by which an account is taken into use: its secret stands in the fragment, which no server and no log gets.
struct EnrolmentLink {
  private let secret = BearerSecret(.system)
  let row: EnrolmentRow

  init(account: UUID, now: Timestamp) {
    row = EnrolmentRow(
      account: account, tokenHash: secret.hash,
      endsAt: Timestamp(milliseconds: now.milliseconds + Lifetimes.enrolment * 1000))
  }

  func text(_ origin: ServerOrigin) -> String {
    // EXPOSE: the person gives it to the account's owner.
    "\(origin.text)/enrol#\(secret.text.exposedText() ?? "")"
  }
}
