internal import SeifCommandLine
internal import SeifAgent
internal import SeifBytes
internal import SeifDocuments
internal import SeifRecords
internal import SeifVault

/// Who the person is at a server of document vaults, as the vault keeps it: a login with the tag `seif-server`, whose
/// password is the token of this machine. The person's own password is kept nowhere.
struct ServerSignIn {
  var origin: String
  var account: String
  var token: SecretValue
  var tokenID: UUID
  private static let idField = "token-id"

  /// Whether a text means a server and no folder.
  static func isAddress(_ text: String) -> Bool {
    let text = text.prefix(8).lowercased()
    return text.hasPrefix("https://") || text.hasPrefix("http://")
  }

  /// What has the network.
  static func servers(_ context: Context) throws(CommandFailure) -> any DocumentServers {
    guard let servers = context.servers else {
      throw CommandFailure(
        .unavailable, "a server needs the program \(NetworkProgram.name), which isn't beside seif",
        hint: "Install both: make install")
    }
    return servers
  }

  /// A server's address as it is kept.
  static func origin(of text: String, _ context: Context) throws(CommandFailure) -> String {
    let servers = try servers(context)
    do throws(SignInError) { return try servers.origin(of: text) } catch { throw failure(error, "the server") }
  }

  func store(_ context: Context) throws(CommandFailure) -> any DocumentStore {
    try Self.servers(context).store(at: origin, token: token)
  }

  var name: DocumentVaultName { .server(origin, account: account) }

  // MARK: - In the vault

  /// The entry that keeps it.
  func entry(label: String, now: Timestamp) -> Password {
    var login = Password(password: token)
    login.title = Self.title(origin)
    login.username = account
    login.updatedAt = now
    login.info.createdAt = now
    login.info.tags = [SettingTag.signIn]
    login.info.urls = [origin]
    login.info.customFields = [
      CustomField(name: Self.idField, value: SecretValue(utf8: tokenID.description)),
      CustomField(name: "label", value: SecretValue(utf8: label)),
    ]
    return login
  }

  private static func title(_ origin: String) -> String {
    origin.split(separator: "/").last.map(String.init) ?? origin
  }

  /// The sign-ins that a vault has, by their entries; at one server where that is named. Tokens may be masked.
  static func all(
    at origin: String? = nil, in vault: any UnlockedVault
  ) throws(VaultUseError) -> [(id: UUID, signIn: ServerSignIn)] {
    var found: [(id: UUID, signIn: ServerSignIn)] = []
    for summary in try vault.list() where summary.kind == .passwords && summary.tags.contains(SettingTag.signIn) {
      guard case .password(let login) = try vault.entry(summary.id).stored.entry, let signIn = Self(login),
        origin == nil || origin == signIn.origin
      else { continue }
      found.append((summary.id, signIn))
    }
    return found
  }

  private init?(_ login: Password) {
    let field = login.info.customFields.first { $0.name == Self.idField && !$0.isSecret }
    // EXPOSE: an identifier.
    guard let origin = login.info.urls.first, let id = field?.value.exposedText().flatMap({ UUID($0) }) else {
      return nil
    }
    self.init(origin: origin, account: login.username, token: login.password, tokenID: id)
  }

  init(origin: String, account: String, token: SecretValue, tokenID: UUID) {
    self.origin = origin
    self.account = account
    self.token = token
    self.tokenID = tokenID
  }

  /// The one sign-in at a server, with its token.
  static func find(
    _ origin: String, in vault: any UnlockedVault, _ folder: String
  ) throws(CommandFailure) -> ServerSignIn {
    let found = try withVault(folder) { () throws(VaultUseError) in try all(at: origin, in: vault) }
    guard let first = found.first else {
      throw CommandFailure(.refused, "you aren't signed in at \(origin)", hint: "Sign in: seif login \(origin)")
    }
    guard found.count == 1 else {
      throw CommandFailure(
        .badInput, "the vault has \(found.count) sign-ins at \(origin)", hint: "End them: seif logout \(origin)")
    }
    let entry = try withVault(folder) { () throws(VaultUseError) in try vault.revealed(vault.entry(first.id)) }
    guard case .password(let login) = entry, let signIn = Self(login) else {
      throw CommandFailure(.badInput, "the sign-in at \(origin) can't be read", hint: "Anew: seif login \(origin)")
    }
    return signIn
  }

  // MARK: - Words

  static func failure(_ error: SignInError, _ place: String) -> CommandFailure {
    switch error {
    case .badAddress(let why): CommandFailure(.usage, "the server's address can't be used: \(why)")
    case .secondFactor: CommandFailure(.refused, "\(place) wants a code too", hint: "Give it by --code-fd N.")
    case .refused:
      CommandFailure(.refused, "\(place) doesn't take this sign-in", hint: "Name, password or code isn't right.")
    case .unknownToken:
      CommandFailure(.refused, "\(place) doesn't know this machine, or no longer", hint: "Sign in again: seif login")
    case .noSuchLink:
      CommandFailure(
        .refused, "this link is unknown at \(place), used already, or older than 24 hours",
        hint: "Who runs the server makes another: seif serve user reset NAME")
    case .weakPassword:
      CommandFailure(
        .usage, "\(place) doesn't take this password",
        hint: "It has at least 12 characters, 5 of them different, and isn't the account's name.")
    case .tooManyTokens:
      CommandFailure(.cannotCreate, "\(place) has as many sign-ins of this account as it may have")
    case .otherAddress:
      CommandFailure(
        .usage, "\(place) goes by another address", hint: "Give the one that its operator gave, letter by letter.")
    case .throttled:
      CommandFailure(.busy, "\(place) takes no more attempts for now", hint: "Try again in half a minute.")
    case .failed(let why): CommandFailure(.ioFailed, "\(place) can't be used: \(why)")
    }
  }
}

/// `--password-fd`, `--password-file`, `--code-fd`: what the person is known by at a server.
struct ServerPasswordOptions: OptionGroup, Sendable {
  static let fd = Option.value("password-fd", "N", "read the password at the server from descriptor N")
  static let file = Option.value("password-file", "F", "read the password at the server from a file")
  static let codeFD = Option.value("code-fd", "N", "read the second factor's code from descriptor N")
  static var options: [Option] { [fd, file, codeFD] }

  let password: PassphraseSource
  private let code: PassphraseSource

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    password = try PassphraseSource(arguments, Self.fd, Self.file)
    code =
      try arguments.integer(Self.codeFD, in: 0...65_535).map { .descriptor(Int32(truncatingIfNeeded: $0)) } ?? .person
  }

  /// Has the person say who they are, a code where the server wants one; a person may try three times.
  ///
  /// - Returns: what came of it, and who it was.
  func use<R>(
    _ name: String, at origin: String, _ context: Context, _ body: (ServerPerson) throws(SignInError) -> R
  ) throws(CommandFailure) -> (result: R, person: ServerPerson) {
    for attempt in 1... {
      var person = ServerPerson(name: name, password: try read(password, "Password of \(name) at \(origin)", context))
      let failure: CommandFailure
      do throws(SignInError) {
        return (try body(person), person)
      } catch {
        guard error == .secondFactor else {
          failure = ServerSignIn.failure(error, origin)
          guard error == .refused, password == .person, attempt < 3 else { throw failure }
          context.talk.fail(failure)
          continue
        }
      }
      person.code = try read(code, "Code (6 digits, or one of your sign-in codes)", context)
      do throws(SignInError) { return (try body(person), person) } catch {
        let failure = ServerSignIn.failure(error, origin)
        guard error == .refused, password == .person, code == .person, attempt < 3 else { throw failure }
        context.talk.fail(failure)
      }
    }
    throw Context.cancelled
  }

  /// A password that is new: typed twice by a person.
  func new(_ origin: String, _ context: Context) throws(CommandFailure) -> SecretValue {
    let first = try read(password, "New password at \(origin), 12 characters or more", context)
    guard password == .person else { return first }
    guard first == (try read(password, "The same again", context)) else {
      throw CommandFailure(.usage, "the two differ, and nothing was set", hint: "The link is still good: once more.")
    }
    return first
  }

  private func read(
    _ source: PassphraseSource, _ question: String, _ context: Context
  ) throws(CommandFailure) -> SecretValue {
    let read = try source.readAny(question: question, context)
    return read.withBytes { SecretValue(copying: $0) }
  }
}
