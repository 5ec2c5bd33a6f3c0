internal import SeifCommandLine
internal import SeifBytes
internal import SeifCrypto
internal import SeifDocumentFormat
internal import SeifDocuments
internal import SeifVault

/// `--kit FILE`, and how a document vault's new recovery code gets to the person: shown once and typed back, or in a
/// recovery kit.
struct DocumentKit: OptionGroup, Sendable {
  static let kit = Option.value("kit", "FILE", "write the recovery kit (code and row) to a file to print")
  static var options: [Option] { [kit] }

  private let file: RecoverySheet
  var path: String? { file.path }

  init(_ arguments: inout ParsedArguments) throws(UsageError) { file = try RecoverySheet(&arguments, Self.kit) }

  /// Before anything is asked: whether the code has anywhere to go.
  func check(otherwise: String, _ context: Context) throws(CommandFailure) {
    try file.check(otherwise: otherwise, context)
  }

  /// Takes a kit away whose code opens nothing.
  func discard() { file.discard() }

  /// Hands a code over before anything depends on it.
  func present(
    _ code: borrowing DocumentRecoveryCode, _ row: KeyWrap, place: String, _ context: Context
  ) throws(CommandFailure) {
    guard let path else { return try Self.show(code, context) }
    let sheet = Self.sheet(code, row, place: place, context)
    try sheet.withBytes { (bytes) throws(CommandFailure) in
      try Destination.write(bytes, to: path, replacing: false, isBinary: false, context)
    }
  }

  private static func show(
    _ code: borrowing DocumentRecoveryCode, _ context: Context
  ) throws(CommandFailure) {
    // The same characters, shown and typed back as the vault's own code is.
    let typed = code.withBytes { SecretBytes(copying: SecretValue(copying: $0)) }
    guard let shown = try? RecoveryCode.normalise(typed) else { throw Context.cancelled }
    try RecoverySheet.show(shown, context)
  }

  /// The kit as a page to print: the code, and what it opens.
  static func sheet(
    _ code: borrowing DocumentRecoveryCode, _ row: KeyWrap, place: String, _ context: Context
  ) -> SecretValue {
    let kit = RecoveryKit(account: "", server: place, row: StoredKeyWrap(row), code: code.grouped)
    var text = SecretBuffer()
    text.append(utf8: "Seif: recovery kit of a document vault\n\n")
    text.append(kit.text)
    text.append(
      utf8: """

        Made \(Timestamp(seconds: context.clock.now()).rfc3339).
        The code opens the vault's folder by itself. Should the row in its wraps.json be lost,
        write the next line into that file, and it opens again: keep code and row together.

        """)
    text.append(SecretValue(StoredKeyWrap.list([StoredKeyWrap(row)])))
    text.append(
      utf8: """


        Whoever has this page and a copy of the folder can read every document in it.

        To use it: seif docs ls --docs-code
        Without Seif: docs/openers/document_vault.py, docs/formats/document-vault.md
        Print this page, keep it where you keep papers that matter, delete the file.

        """)
    return text.finish()
  }

  /// A new code and its row for a master key.
  static func makeRow(
    _ code: borrowing DocumentRecoveryCode, _ masterKey: borrowing SecretBytes, _ context: Context
  ) throws(CommandFailure) -> KeyWrap {
    let random = RandomSource.system
    let salt = random.makeBytes(DocumentRecoveryCode.saltByteCount)
    guard let id = UUID(random: random.makeBytes(16)) else { throw Context.cancelled }
    do throws(DocumentFormatError) {
      return try KeyWrap.seal(
        masterKey, id: id, kind: .recovery(salt: salt), key: code.deriveKey(salt: salt), nonce: random.makeBytes(12),
        createdAt: Timestamp(seconds: context.clock.now()))
    } catch {
      throw CommandFailure(.internalFault, "the new way in can't be sealed: \(error)")
    }
  }
}
