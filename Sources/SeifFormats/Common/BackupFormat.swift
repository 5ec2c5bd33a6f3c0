public import SeifBytes
public import SeifCrypto
public import SeifRecords

/// The formats that Seif reads or writes, by the names of the command line.
public enum FormatIdentifier: String, Sendable, Hashable, CaseIterable {
  case authbackup, vault2fa, twofac
  case uriList = "uri-list"
  case json
  /// The vault's own file: what reads it is above this module.
  case seifvault
}

/// A file's bytes, and its JSON if it is any: read once, shared by every format that looks at it.
public struct FormatInput: Sendable {
  /// The whole file; of a self-opening page the backup that it holds.
  public let bytes: SecretValue
  /// Whether the file is a page that opens the backup in it.
  public let isSelfOpening: Bool
  /// Its JSON under the policy for headers, or why it is none.
  public let json: Result<JSONDocument, JSONError>

  /// The bytes of a file. Nothing is copied but what a page holds; the index of the JSON takes 16 bytes a value, at most
  /// 32 MiB.
  public init(_ file: SecretValue) {
    let held = SelfOpeningPage.backup(in: file)
    let bytes = held ?? file
    self.bytes = bytes
    isSelfOpening = held != nil
    do throws(JSONError) {
      json = .success(try JSONDocument(parsing: bytes, policy: .header))
    } catch {
      json = .failure(error)
    }
  }
}

/// How a file may be read.
public struct ReadingOptions: Sendable {
  /// What an Argon2id derivation may cost.
  public var argon2id = Argon2idCost.Limits.standard
  /// How many rounds PBKDF2 may have.
  public var pbkdf2Rounds = PBKDF2.allowedRounds
  /// The format, where a person names it; nil: the one that the bytes claim.
  public var format: FormatIdentifier?
  /// Formats of modules above this one, which are looked for too.
  public var further: [any BackupFormat] = []

  /// The limits of every file.
  public static let standard = ReadingOptions()
  /// The limits that a person may allow by word.
  public static let raised = ReadingOptions(argon2id: .raised, pbkdf2Rounds: 1...1_000_000_000)
}

/// One format of backups.
public protocol BackupFormat: Sendable {
  /// Which one.
  var identifier: FormatIdentifier { get }
  /// Its name for people.
  var displayName: String { get }
  /// Whether the bytes claim to be of this format, decided without their name.
  func recognizes(_ input: FormatInput) -> Bool
  /// The file as far as it can be read without a passphrase: everything about the header is decided here.
  func readHeader(_ input: FormatInput, options: ReadingOptions) throws(FormatError) -> any BackupFile
}

/// A file whose header has been read.
public protocol BackupFile: Sendable {
  /// What the header says, none of it authenticated.
  var header: HeaderFacts { get }
  /// Opens with exactly these bytes as the passphrase; nil for a file that isn't sealed.
  func open(passphrase: borrowing SecretBytes?) throws(FormatError) -> OpenedBackup
  /// Opens with the first of several passphrases that fits, tried in order. Where each entry has a seal of its own,
  /// each is opened with the first that fits it.
  ///
  /// - Throws: `passphraseRequired` if the list is empty and the file is sealed; `cannotOpen` if none fits.
  func open(passphrases: [SecretValue]) throws(FormatError) -> OpenedBackup
}

extension BackupFile {
  public func open(passphrases: [SecretValue]) throws(FormatError) -> OpenedBackup {
    guard header.isSealed else { return try open(passphrase: nil) }
    guard !passphrases.isEmpty else { throw .passphraseRequired }
    for passphrase in passphrases {
      do throws(FormatError) {
        return try open(passphrase: SecretBytes(copying: passphrase))
      } catch {
        guard error == .cannotOpen else { throw error }
      }
    }
    throw .cannotOpen
  }

  /// Opens with a passphrase as a person gave it: the bytes as they came, then their composed, then their decomposed
  /// normal form, each only where it differs; as typed alone where the format says so. Nil for a file that isn't sealed.
  ///
  /// - Throws: `cannotOpen` when every form was tried; `passphraseRequired` without a passphrase or with an empty one,
  ///   under which nothing was ever sealed.
  public func openTryingForms(passphrase: borrowing SecretBytes?) throws(FormatError) -> OpenedBackup {
    guard header.isSealed else { return try open(passphrase: nil) }
    switch passphrase {
    case .none: throw .passphraseRequired
    case .some(let passphrase):
      guard passphrase.byteCount > 0 else { throw .passphraseRequired }
      guard !header.takesPassphraseAsTyped else {
        return try open(passphrases: [passphrase.withBytes { SecretValue(copying: $0) }])
      }
      return try open(passphrases: Normalization.passphraseForms(passphrase))
    }
  }
}

/// What can be said of a file without its passphrase. Nothing in it is proven.
public struct HeaderFacts: Sendable {
  /// How the key is made.
  public enum KeyDerivation: Sendable, Equatable {
    case none
    case pbkdf2(rounds: Int)
    case argon2id(Argon2idCost)
  }
  /// Which format.
  public var format: FormatIdentifier
  /// Its version.
  public var version: Int
  /// A layout inside the version, `standard` or `android-1.0`.
  public var variant: String?
  /// How the key is made; `none`: the contents are readable to anyone.
  public var keyDerivation: KeyDerivation
  /// Whether the header is bound to the contents by the tag.
  public var isHeaderBound: Bool
  /// What can be read without the passphrase beside the parameters, in words.
  public var readableFields: [String]
  /// Names that stand in clear beside what is sealed, in the order of the entries; anyone may have changed them.
  public var clearLabels: [String] = []
  /// A time that the header or name claims; never to be shown as a fact.
  public var claimedTime: Timestamp?
  /// Whether the passphrase goes into the key as typed, without trying other normal forms.
  public var takesPassphraseAsTyped = false

  package init(
    format: FormatIdentifier, version: Int, variant: String? = nil, keyDerivation: KeyDerivation, isHeaderBound: Bool,
    readableFields: [String], clearLabels: [String] = [], claimedTime: Timestamp? = nil,
    takesPassphraseAsTyped: Bool = false
  ) {
    self.format = format
    self.version = version
    self.variant = variant
    self.keyDerivation = keyDerivation
    self.isHeaderBound = isHeaderBound
    self.readableFields = readableFields
    self.clearLabels = clearLabels
    self.claimedTime = claimedTime
    self.takesPassphraseAsTyped = takesPassphraseAsTyped
  }

  /// Whether a passphrase is needed.
  public var isSealed: Bool { keyDerivation != .none }
}

/// The contents of a file.
public struct OpenedBackup: Sendable {
  /// What the header said.
  public var header: HeaderFacts
  /// When the file was written, from its authenticated body; nil where the body doesn't say.
  public var exportedAt: Timestamp?
  /// The records, with what can't be used kept beside them.
  public var records: Records
  /// What can't be used and why.
  public var problems: [EntryProblem]
  /// The place in the chain of a vault's backups, where the body has one that can be used.
  public var link: BackupLink?
  /// The body as it was sealed.
  public var body: SecretValue
  /// Things taken although they aren't right, as short sentences without values.
  public var notices: [String] = []

  package init(
    header: HeaderFacts, exportedAt: Timestamp? = nil, records: Records, problems: [EntryProblem],
    link: BackupLink? = nil, body: SecretValue, notices: [String] = []
  ) {
    self.header = header
    self.exportedAt = exportedAt
    self.records = records
    self.problems = problems
    self.link = link
    self.body = body
    self.notices = notices
  }
}

/// A backup's place among those of its vault: what orders them without trusting any clock or name.
public struct BackupLink: Sendable, Hashable {
  /// Which vault wrote it.
  public var vault: UUID
  /// From 1, one more with each backup.
  public var sequence: Int64
  /// SHA-256 of the complete file with the sequence before, 32 bytes; zeros for the first.
  public var previous: [UInt8]
  /// Members that aren't understood here, of a later version's file.
  public var opaque: [OpaqueMember] = []

  /// A place in a chain.
  public init(vault: UUID, sequence: Int64, previous: [UInt8]) {
    self.vault = vault
    self.sequence = sequence
    self.previous = previous
  }
}
