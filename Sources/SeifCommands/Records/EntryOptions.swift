internal import SeifCommandLine
internal import SeifBytes
internal import SeifFormats
internal import SeifOTP
internal import SeifRecords

/// The fields of an entry that can be said on the command line: none of them secret. Secrets come by descriptor, file or
/// prompt.
struct EntryOptions: OptionGroup, Sendable {
  static let name = Option.value("name", "NAME", "the service, title or label")
  static let account = Option.value("account", "ACCOUNT", "the user name there")
  static let url = Option.value("url", "URL", repeats: true, "an address it belongs to; may be given several times")
  static let tag = Option.value("tag", "TAG", repeats: true, "a tag; may be given several times")
  static let favorite = Option.flag("favorite", "mark it as a favourite")
  static let noFavorite = Option.flag("no-favorite", "take that mark away")
  static let expiry = Option.value("expiry", "YYYY-MM", "when the card expires")
  static let holder = Option.value("holder", "NAME", "the name on the card")
  static let secretFD = Option.value(
    "secret-fd", "N", "read the secret (password, seed, URI, number) from descriptor N")
  static let secretFile = Option.value("secret-file", "F", "read the secret from a file, one line")
  static let text = Option.value(
    "text-file", "F", "read the note's text, or the notes, from a file; - for standard input")
  static var options: [Option] {
    [name, account, url, tag, favorite, noFavorite, expiry, holder, secretFD, secretFile, text]
  }

  let name: String?
  let account: String?
  let urls: [String]?
  let tags: [String]?
  let favorite: Bool?
  let expiry: String?
  let holder: String?
  let secret: PassphraseSource
  let textFile: String?

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    name = arguments.value(Self.name)
    account = arguments.value(Self.account)
    urls = arguments.isGiven(Self.url) ? arguments.values(Self.url) : nil
    tags = arguments.isGiven(Self.tag) ? arguments.values(Self.tag) : nil
    switch (arguments.flag(Self.favorite), arguments.flag(Self.noFavorite)) {
    case (true, true): throw UsageError("--favorite and --no-favorite contradict each other")
    case (true, false): favorite = true
    case (false, true): favorite = false
    case (false, false): favorite = nil
    }
    expiry = arguments.value(Self.expiry)
    if let expiry, !Self.isMonth(expiry) { throw UsageError("--expiry takes a year and month, as 2029-04") }
    holder = arguments.value(Self.holder)
    secret = try PassphraseSource(arguments, Self.secretFD, Self.secretFile)
    textFile = arguments.value(Self.text)
  }

  /// Whether anything but a secret or text was said.
  var saysAnything: Bool {
    name != nil || account != nil || urls != nil || tags != nil || favorite != nil || expiry != nil || holder != nil
      || textFile != nil || secret != .person
  }

  /// Why what was typed can't be a date of expiry; nil: it can.
  static func monthFault(_ text: String) -> String? {
    isMonth(text) ? nil : "That isn't a year and a month. Write them as 2029-04."
  }

  /// `YYYY-MM`.
  static func isMonth(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count == 7, bytes[4] == 0x2D, let month = Int(text.suffix(2)) else { return false }
    return bytes.enumerated().allSatisfy { $0.offset == 4 || (0x30...0x39).contains($0.element) }
      && (1...12).contains(month)
  }

  /// Puts what was said into an entry's common fields.
  func apply(to info: inout EntryInfo) {
    if let urls { info.urls = urls }
    if let tags { info.tags = tags }
    if let favorite { info.isFavorite = favorite }
  }

  /// The text of the file given with `--text-file`, nil where none was given.
  func text(_ context: Context) throws(CommandFailure) -> SecretValue? {
    guard let textFile else { return nil }
    let text = try InputFile.read(textFile, context, byteLimit: 1 << 20)
    // EXPOSE: only looked at for its encoding.
    guard text.exposedText() != nil else { throw CommandFailure(.badInput, "the text isn't UTF-8") }
    return text
  }

  /// Whether a person at a terminal is asked, and can be asked again.
  func asksPerson(_ context: Context) -> Bool { secret == .person && TerminalDevice(context) != nil }

  /// What is made of the secret. A person whose answer can't be used is told why and asked again.
  ///
  /// - Parameter use: throws where the secret can't be used; nil is an empty one.
  func secret<Made>(
    _ question: String, _ context: Context, use: (SecretValue?) throws(CommandFailure) -> Made
  ) throws(CommandFailure) -> Made {
    while true {
      let given: SecretValue?
      do throws(CommandFailure) {
        given = try secret(question, context)
        return try use(given)
      } catch {
        guard asksPerson(context), [.usage, .badInput].contains(error.exitCode) else { throw error }
        context.talk.fail(error)
      }
    }
  }

  /// The secret, asked for by name where a person gives it; nil where it is left empty.
  func secret(_ question: String, _ context: Context) throws(CommandFailure) -> SecretValue? {
    let given = try secret.readAny(question: question, context)
    guard given.byteCount > 0 else { return nil }
    let value = given.withBytes { SecretValue(copying: $0) }
    // EXPOSE: only looked at for its encoding.
    guard value.exposedText() != nil else { throw CommandFailure(.badInput, "what was given isn't UTF-8") }
    return value
  }
}

/// What makes codes, from what a person has: a Key URI or a bare secret.
enum CodeInput {
  /// An account from a Key URI, or from base32 with six digits every 30 seconds.
  static func account(_ given: SecretValue, name: String?, account: String?) throws(CommandFailure) -> Entry {
    if isURI(given) {
      do throws(KeyURIError) {
        switch try ForeignKeyURI(parsing: given) {
        case .standard(let uri):
          var (made, _) = Account.make(uri)
          (made.issuer, made.account) = (name ?? uri.issuer, account ?? uri.account)
          return .account(made)
        case .other(let uri):
          var (other, _) = OtherAccount.make(uri)
          (other.issuer, other.account) = (name ?? uri.issuer, account ?? uri.account)
          return .otherAccount(other)
        }
      } catch {
        throw CommandFailure(.badInput, "that isn't a Key URI Seif can use: \(error)")
      }
    }
    do {
      let secret = try given.withBytes { (bytes) throws(EncodingError) in try Base32.decodeLeniently(bytes) }
      let otp = try OTPParameters(kind: .totp(period: 30), secret: secret)
      return .account(Account(issuer: name ?? "", account: account ?? "", otp: otp))
    } catch {
      throw CommandFailure(
        .badInput, "that is neither a Key URI (otpauth://…) nor a base32 secret",
        hint: "A base32 secret has the letters A to Z and the digits 2 to 7.")
    }
  }
}

extension CodeInput {
  /// New parameters for an account: a bare secret keeps the kind, algorithm, digits and counter, a Key URI says them all.
  /// The kind stays: a counter must not be lost on the way through another kind.
  static func replacement(_ given: SecretValue, for old: OTPParameters) throws(CommandFailure) -> OTPParameters {
    guard case .account(let made) = try account(given, name: nil, account: nil) else { throw otherKind }
    do throws(OTPError) {
      guard isURI(given) else {
        return try OTPParameters(
          kind: old.kind, secret: made.otp.secret, algorithm: old.algorithm, digits: old.digits)
      }
      switch (old.kind, made.otp.kind) {
      case (.totp, .totp), (.steam, .steam): return made.otp
      case (.hotp(let counter), .hotp(let new)):
        let isSame = old.secret == made.otp.secret
        return isSame && new < counter ? try made.otp.withCounter(counter) : made.otp
      default: throw .secret
      }
    } catch {
      throw otherKind
    }
  }

  private static var otherKind: CommandFailure {
    CommandFailure(
      .badInput, "that makes another kind of code", hint: "Add it as a new entry and remove this one.")
  }

  static func isURI(_ given: SecretValue) -> Bool {
    given.withBytes { bytes in
      bytes.byteCount > 10 && SecretValue(copying: bytes.extracting(0..<10)).isASCIIEqual(to: "otpauth://")
    }
  }
}

extension SecretValue {
  /// Whether these are the bytes of an ASCII text, letters of either case.
  fileprivate func isASCIIEqual(to text: String) -> Bool {
    withBytes { bytes in
      bytes.byteCount == text.utf8.count
        && bytes.withUnsafeBytes { zip($0, text.utf8).allSatisfy { $0 == $1 || $0 | 0x20 == $1 } }
    }
  }
}
