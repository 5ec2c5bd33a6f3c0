internal import SeifCommandLine
internal import SeifAgent
internal import SeifBytes
internal import SeifRecords
internal import SeifVault

/// `seif git-credential get|store|erase`: logins for git.
struct GitCredentialCommand: Command {
  static let name = "git-credential"
  static let summary = "give git its logins, as a credential helper"
  static let usage = """
    seif git-credential OPERATION [OPTIONS]

    Speaks git's credential protocol on standard input and output. Set it up with

        git config --global credential.helper '!seif git-credential'

    get answers with the login whose address has the same protocol, host and port, and the
    same path where git gives one (credential.useHttpPath). Where several fit, the user name
    that git gives decides; else there is no answer, and git asks you.

    store asks whether to keep a login that git has used with success, and erase whether to
    put one into the bin that was refused. Both ask on a terminal; without one they do
    nothing. Any other operation is passed over, as git wants it.
    """
  static var options: [Option] { UnlockOptions.options + [OutputOptions.quiet] }

  private let operation: String
  private let unlock: UnlockOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    operation = try arguments.positional("OPERATION")
    unlock = try UnlockOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    guard ["get", "store", "erase"].contains(operation) else { return .done }
    let text = try InputFile.read("-", context, byteLimit: GitCredential.byteLimit)
    let asked: GitCredential
    do throws(GitCredential.Fault) { asked = try GitCredential(text) } catch {
      throw CommandFailure(.badInput, error.what)
    }
    switch operation {
    case "get": return try get(asked, context)
    case "store": return try store(asked, context)
    default: return try erase(asked, context)
    }
  }

  // MARK: - Operations

  private func get(_ asked: GitCredential, _ context: Context) throws(CommandFailure) -> ExitCode {
    let opened = try open(.readOnly, context)
    defer { opened.vault.lock() }
    let logins = try self.logins(asked, opened, context)
    guard let found = logins.first, logins.count == 1 else {
      if logins.count > 1 {
        context.talk.say(
          "\(logins.count) logins fit \(asked.address): give git the user name, or store one address less.")
      }
      return .done
    }
    let login = found.login
    let password = try self.password(of: found, opened)
    guard Self.isOneLine(SecretValue(utf8: login.username)), Self.isOneLine(password) else {
      context.talk.warn("the login for \(asked.address) has a line end, which git can't be told")
      return .done
    }
    if !login.username.isEmpty { try context.output.writeLine("username=\(login.username)") }
    try context.output.write("password=")
    try password.withBytes { (bytes) throws(CommandFailure) in try context.output.write(raw: bytes) }
    try context.output.write("\n")
    return .done
  }

  private func store(_ asked: GitCredential, _ context: Context) throws(CommandFailure) -> ExitCode {
    guard let username = asked.username, let password = asked.password, !password.isEmpty else { return .done }
    // Git goes on after a refusal; nobody is there to be told.
    guard TerminalDevice(context) != nil else { throw Self.silent }
    let opened = try open(.readWrite, context)
    defer { opened.vault.lock() }
    let same = try logins(asked, opened, context).filter { $0.login.username == username }
    for found in same where try self.password(of: found, opened) == password { return .done }
    guard same.count <= 1 else {
      context.talk.say("\(same.count) logins fit \(username) at \(asked.address); none was changed.")
      return .done
    }
    let now = Timestamp(seconds: context.clock.now())
    if let old = same.first {
      let question = "Replace the password of \(EntryLabel.text(old.login.title, username)) by the one that git used?"
      guard try context.confirm(question, insteadGive: "nothing: this is asked on a terminal alone") else {
        return .done
      }
      var changed = old.login
      changed.password = password
      changed.updatedAt = now
      try apply([.replace(old.id, .password(changed))], old.read.counter, opened)
      context.talk.say(
        .ok, "Changed \(EntryLabel.text(old.login.title, username)); the old password stays in its history.")
      return .done
    }
    let question = "Keep the login \(username) for \(asked.address)?"
    guard try context.confirm(question, insteadGive: "nothing: this is asked on a terminal alone") else { return .done }
    var login = Password(password: password)
    (login.title, login.username, login.updatedAt) = (asked.host, username, now)
    login.info.urls = [asked.address]
    login.info.createdAt = now
    try apply([.add(.password(login))], nil, opened)
    context.talk.say(.ok, "Added \(EntryLabel.text(login.title, username)).")
    return .done
  }

  private func erase(_ asked: GitCredential, _ context: Context) throws(CommandFailure) -> ExitCode {
    guard TerminalDevice(context) != nil else { throw Self.silent }
    let opened = try open(.readWrite, context)
    defer { opened.vault.lock() }
    // Only the very login that was refused: one with another password may have been changed since.
    var refused: [Login] = []
    for found in try logins(asked, opened, context) {
      let isSame = try asked.password.map { (given) throws(CommandFailure) in try password(of: found, opened) == given }
      if isSame ?? true { refused.append(found) }
    }
    guard let login = refused.first, refused.count == 1 else { return .done }
    let label = EntryLabel.text(login.login.title, login.login.username)
    guard
      try context.confirm(
        "\(asked.address) refused \(label). Put it into the bin?",
        insteadGive: "nothing: this is asked on a terminal alone")
    else { return .done }
    try apply([.remove(login.id)], login.read.counter, opened)
    context.talk.say(.ok, "\(label) is in the bin.")
    return .done
  }

  // MARK: - Parts

  private struct Opened {
    let vault: any UnlockedVault
    let folder: String
  }

  private struct Login {
    let id: UUID
    let read: ReadEntry
    /// Its secrets are stand-ins where the agent holds them.
    let login: Password
  }

  private func open(_ access: VaultAccess, _ context: Context) throws(CommandFailure) -> Opened {
    let folder = try unlock.vault.folder(context.environment)
    return Opened(vault: try unlock.use(access, context), folder: folder)
  }

  private func password(of found: Login, _ opened: Opened) throws(CommandFailure) -> SecretValue {
    try withVault(opened.folder) { () throws(VaultUseError) in
      try opened.vault.unmasked(found.login.password, of: found.read)
    }
  }

  private func apply(_ changes: [VaultChange], _ counter: Int64?, _ opened: Opened) throws(CommandFailure) {
    try withVault(opened.folder) { () throws(VaultUseError) in
      _ = try opened.vault.apply(changes, ifCounterIs: counter)
    }
  }

  /// The logins that fit; those with the path that git gives before those for the whole host.
  private func logins(
    _ asked: GitCredential, _ opened: Opened, _ context: Context
  ) throws(CommandFailure) -> [Login] {
    let summaries = try withVault(opened.folder) { () throws(VaultUseError) in try opened.vault.list() }
    _ = opened.vault.tell(context)
    var byPath: [EntrySummary] = []
    var byHost: [EntrySummary] = []
    for summary in summaries where summary.kind == .passwords && !summary.isSetting {
      if let username = asked.username, summary.account != username { continue }
      let matches = summary.urls.map(asked.match)
      if matches.contains(.path) { byPath.append(summary) } else if matches.contains(.host) { byHost.append(summary) }
    }
    var logins: [Login] = []
    for summary in (byPath.isEmpty ? byHost : byPath).prefix(64) {
      let read = try withVault(opened.folder) { () throws(VaultUseError) in try opened.vault.entry(summary.id) }
      if case .password(let login) = read.stored.entry {
        logins.append(Login(id: summary.id, read: read, login: login))
      }
    }
    return logins
  }

  private static func isOneLine(_ value: SecretValue) -> Bool {
    value.withBytes { bytes in bytes.withUnsafeBytes { !$0.contains(0x0A) && !$0.contains(0x0D) && !$0.contains(0) } }
  }

  private static let silent = CommandFailure(.refused, "", isSilent: true)
}
