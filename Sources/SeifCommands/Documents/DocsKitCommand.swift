internal import SeifCommandLine
internal import SeifBytes
internal import SeifDocumentFormat
internal import SeifDocuments
internal import SeifImages
internal import SeifVault

/// `seif docs kit`: the recovery kit.
struct DocsKitCommand: Command {
  static let name = "docs kit"
  static let summary = "write the recovery kit: the code, and the row that it opens"
  static let usage = """
    seif docs kit -o FILE [OPTIONS]

    Asks for the recovery code, which nothing stores, and writes it together with the row
    that it opens: the code alone opens nothing once the folder has lost that row. --qr
    writes the same as a QR code (PNG).
    """
  static let qr = Option.flag("qr", "as a QR code, a PNG file")
  static var options: [Option] { [qr] + WriteOptions.options + DocumentOptions.options }

  private let isQR: Bool
  private let write: WriteOptions
  private let documents: DocumentOptions

  init(_ arguments: inout ParsedArguments) throws(UsageError) {
    isQR = arguments.flag(Self.qr)
    write = try WriteOptions(&arguments)
    documents = try DocumentOptions(&arguments)
    if write.output == nil { throw UsageError("-o, --output OUT is needed") }
  }

  func run(_ context: Context) throws -> ExitCode {
    let reached = try documents.reach(.readOnly, context)
    defer { reached.lock() }
    let store = reached.store
    try Destination.checkFree(write.output, replacing: write.force)
    let rows = try DocumentOptions.rows(of: store)
    if rows.rows.isEmpty {
      throw DocumentWords.failure(DocumentError(.noVault, place: store.place))
    }
    let typed = try documents.code(rows, context)
    let sheet: SecretValue
    if isQR {
      let kit = RecoveryKit(
        account: reached.signIn?.account ?? "", server: store.place, row: StoredKeyWrap(typed.row),
        code: typed.code.grouped)
      sheet = QRDrawing.png(try QRCommand.matrix(kit.data))
    } else {
      sheet = DocumentKit.sheet(typed.code, typed.row, place: store.place, context)
    }
    try sheet.withBytes { (bytes) throws(CommandFailure) in
      try Destination.write(bytes, to: write.output ?? "-", replacing: write.force, isBinary: isQR, context)
    }
    if let path = write.output, path != "-" {
      context.talk.say(.ok, "The recovery kit is in \(path): print it, then delete the file.")
    }
    return .done
  }
}
