public import SeifBytes
public import SeifRecords

/// Writes `.authbackup` version 2 inside a page that opens it in a browser, offline: the same file with HTML around it.
public struct SelfOpeningWriter: BackupWriter {
  private let page: SelfOpeningPage
  private let writer = AuthBackupWriter()

  /// A writer with the page to put around its files.
  public init(page: SelfOpeningPage) {
    self.page = page
  }

  public var identifier: FormatIdentifier { writer.identifier }
  public var version: Int { writer.version }
  public var isSealed: Bool { true }
  public var fileExtension: String { "html" }

  public func losses(of records: Records) -> [Loss] { writer.losses(of: records) }

  public func write(
    _ records: Records, options: WritingOptions, passphrase: borrowing SecretBytes?
  ) throws(FormatError) -> SecretValue {
    switch passphrase {
    case .none: throw .passphraseRequired
    case .some(let passphrase):
      return page.holding(try writer.write(records, options: options, passphrase: passphrase.duplicate()))
    }
  }
}
