internal import SeifCommandLine
internal import Glibc
internal import SeifAgent
internal import SeifBytes
internal import SeifDocuments
internal import SeifRecords
internal import SeifVault

/// `seif login URL`: signs in at a server of document vaults.
struct LoginCommand: Command {
  static let name = "login"
  static let summary = "sign in at a server of documents"
  static let usage = """
    seif login URL [OPTIONS]

    Asks for your name and password at the server, and for a code where it wants one, and
    keeps in your vault what stands for this machine there from then on (a token); the
    password is kept nowhere. URL may be the link of the server's operator: then you choose
    the password. Nothing of this opens a document: seif docs --docs URL does.
    """
  static let account = Option.value("name", "NAME", "your name at the server")
  static let label = Option.value("label", "TEXT", "what this machine is called there (else its own name)")
  static var options: [Option] {
    [account, label] + ServerPasswordOptions.options + UnlockOptions.options + OutputOptions.options
  }

  private let address: String
  private let account: String?
  private let label: String
  private let password: ServerPasswordOptions
  private let unlock: UnlockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    address = try arguments.positional("URL")
    account = arguments.value(Self.account)
    label = arguments.value(Self.label) ?? Self.machine
    guard (1...64).contains(label.count), label.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
    else {
      throw UsageError("--label takes 1 to 64 characters")
    }
    password = try ServerPasswordOptions(&arguments)
    unlock = try UnlockOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  private static var machine: String {
    var buffer = [CChar](repeating: 0, count: 65)
    guard gethostname(&buffer, 64) == 0 else { return "seif" }
    let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    let name = String(decoding: bytes, as: UTF8.self)
    return name.isEmpty ? "seif" : name
  }

  func run(_ context: Context) throws -> ExitCode {
    let servers = try ServerSignIn.servers(context)
    let (origin, link) = try place(context)
    let folder = try unlock.vault.folder(context.environment)
    // Before anything is used up at the server.
    let vault = try unlock.use(.readWrite, context)
    defer { vault.lock() }
    let made: ServerToken
    let person: ServerPerson
    if let link {
      (made, person) = try enrolled(servers, origin, link, context)
    } else {
      let name = try account ?? context.ask("Name at \(origin)", insteadGive: "--name NAME")
      (made, person) = try password.use(name, at: origin, context) { (person) throws(SignInError) in
        try servers.makeToken(at: origin, person, label: label)
      }
    }
    let signIn = ServerSignIn(origin: origin, account: person.name, token: made.token, tokenID: made.id)
    do throws(CommandFailure) { try keep(signIn, in: vault, folder, servers, person, context) } catch {
      // What the vault hasn't nobody could end.
      try? servers.revokeToken(at: origin, person, id: made.id)
      throw error
    }
    _ = vault.tell(context)
    if output.json {
      var writer = JSONWriter(indent: 2)
      writer.beginObject()
      writer.schema("seif-login", 1)
      writer.member("server", origin)
      writer.member("account", person.name)
      writer.endObject()
      try context.output.writeLine(json: writer.finish())
    }
    context.talk.say(.ok, "Signed in at \(origin) as \(Display.cleaned(person.name)).")
    context.talk.hint("seif docs init --docs \(origin)")
    return .done
  }

  /// The server, and what stands in the fragment of an operator's link.
  private func place(_ context: Context) throws(CommandFailure) -> (origin: String, link: SecretValue?) {
    guard let mark = address.firstIndex(of: "#") else { return (try ServerSignIn.origin(of: address, context), nil) }
    let page = String(address[..<mark])
    guard page.hasSuffix("/enrol") else {
      throw CommandFailure(.usage, "that is no link of a server's operator", hint: "It ends in /enrol#… .")
    }
    return (
      try ServerSignIn.origin(of: String(page.dropLast(5)), context),
      SecretValue(utf8: String(address[address.index(after: mark)...]))
    )
  }

  private func enrolled(
    _ servers: any DocumentServers, _ origin: String, _ link: SecretValue, _ context: Context
  ) throws(CommandFailure) -> (ServerToken, ServerPerson) {
    do throws(SignInError) {
      let password = try chosen(origin, context)
      let name = try servers.enrol(at: origin, link: link, password: password)
      let person = ServerPerson(name: name, password: password)
      do throws(SignInError) { return (try servers.makeToken(at: origin, person, label: label), person) } catch {
        context.talk.say("The password is set, your name is \(Display.cleaned(name)).")
        throw error
      }
    } catch { throw ServerSignIn.failure(error, origin) }
  }

  private func chosen(_ origin: String, _ context: Context) throws(SignInError) -> SecretValue {
    do throws(CommandFailure) { return try password.new(origin, context) } catch { throw .failed(error.what) }
  }

  /// In the place of an earlier sign-in of the same person there, which ends.
  private func keep(
    _ signIn: ServerSignIn, in vault: any UnlockedVault, _ folder: String, _ servers: any DocumentServers,
    _ person: ServerPerson, _ context: Context
  ) throws(CommandFailure) {
    let now = Timestamp(seconds: context.clock.now())
    let before = try withVault(folder) { () throws(VaultUseError) in
      let before = try ServerSignIn.all(at: signIn.origin, in: vault)
      let entry = signIn.entry(label: label, now: now)
      _ = try vault.apply(before.map { .remove($0.id) } + [.add(.password(entry))], ifCounterIs: nil)
      return before
    }
    for old in before {
      do throws(SignInError) {
        guard utf8Equal(old.signIn.account, signIn.account), person.code == nil else { throw .refused }
        try servers.revokeToken(at: signIn.origin, person, id: old.signIn.tokenID)
      } catch {
        context.talk.warn(
          "the earlier sign-in of \(Display.cleaned(old.signIn.account)) ends 90 days after its last use")
      }
    }
  }
}

/// `seif logout`: ends this machine's sign-in at a server.
struct LogoutCommand: Command {
  static let name = "logout"
  static let summary = "end this machine's sign-in at a server of documents"
  static let usage = """
    seif logout [URL] [OPTIONS]

    Asks for your password at the server, has it forget this machine's token, and takes the
    sign-in out of your vault. URL may be left out where the vault has one. Documents and
    their key stay where they are. --local leaves the token valid there, until 90 days
    after its last use: for a server that is gone, or a password that is lost.
    """
  static let local = Option.flag("local", "forget it here alone, without asking the server")
  static var options: [Option] {
    [local] + ServerPasswordOptions.options + UnlockOptions.options + OutputOptions.options
  }

  private let address: String?
  private let isLocal: Bool
  private let password: ServerPasswordOptions
  private let unlock: UnlockOptions
  private let output: OutputOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    address = arguments.optionalPositional()
    isLocal = arguments.flag(Self.local)
    password = try ServerPasswordOptions(&arguments)
    unlock = try UnlockOptions(&arguments)
    output = try OutputOptions(&arguments)
  }

  func run(_ context: Context) throws -> ExitCode {
    let servers = try ServerSignIn.servers(context)
    var origin: String?
    if let address { origin = try ServerSignIn.origin(of: address, context) }
    let folder = try unlock.vault.folder(context.environment)
    let vault = try unlock.use(.readWrite, context)
    defer { vault.lock() }
    let found = try withVault(folder) { () throws(VaultUseError) in try ServerSignIn.all(at: origin, in: vault) }
    guard let first = found.first?.signIn else {
      throw CommandFailure(.notFound, "your vault has no sign-in\(origin.map { " at \($0)" } ?? "")")
    }
    guard found.allSatisfy({ $0.signIn.origin == first.origin }) else {
      throw CommandFailure(
        .usage, "your vault has sign-ins at several servers", hint: "Name one:",
        details: found.map { "seif logout \($0.signIn.origin)" })
    }
    if !isLocal {
      for one in found {
        _ = try password.use(one.signIn.account, at: first.origin, context) { (person) throws(SignInError) in
          try servers.revokeToken(at: first.origin, person, id: one.signIn.tokenID)
        }
      }
    }
    try withVault(folder) { () throws(VaultUseError) in
      _ = try vault.apply(found.map { .remove($0.id) }, ifCounterIs: nil)
    }
    _ = vault.tell(context)
    if output.json {
      var writer = JSONWriter(indent: 2)
      writer.beginObject()
      writer.schema("seif-logout", 1)
      writer.member("server", first.origin)
      writer.member("revoked", !isLocal)
      writer.endObject()
      try context.output.writeLine(json: writer.finish())
    }
    context.talk.say(.ok, "Signed out at \(first.origin).")
    if isLocal { context.talk.say("The server takes its token until 90 days after its last use.") }
    return .done
  }
}
