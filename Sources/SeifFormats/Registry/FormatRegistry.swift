internal import SeifBytes

/// Every format in one list: a new one is a folder and a line here.
public enum FormatRegistry {
  /// The formats that are read.
  public static let formats: [any BackupFormat] = [
    AuthBackupFormat(), Vault2FAFormat(), TwoFacFormat(), URIListFormat(), NeutralJSONFormat(),
  ]

  /// The writers, the default version of each format first.
  public static let writers: [any BackupWriter] = [
    AuthBackupWriter(), AuthBackupWriter.version1, Vault2FAWriter(), TwoFacWriter(), TwoFacWriter(version: 3),
    TwoFacWriter(isSealed: false), TwoFacWriter(version: 3, isSealed: false), TwoFacWriter(version: 1), URIListWriter(),
    NeutralJSONWriter(),
  ]

  /// The formats that the bytes claim to be of, whatever the file's name; several: it must be said which one is meant.
  public static func identify(_ input: FormatInput) -> [FormatIdentifier] {
    formats.filter { $0.recognizes(input) && (!input.isSelfOpening || $0 is AuthBackupFormat) }.map(\.identifier)
  }

  /// The format of an identifier.
  public static func format(_ identifier: FormatIdentifier) -> (any BackupFormat)? {
    formats.first { $0.identifier == identifier }
  }

  /// The file as far as it can be read without a passphrase.
  ///
  /// - Throws: `unreadable` for JSON that is damaged or cut off, `unknownFormat` with what the bytes look like,
  ///   `ambiguousFormat`, and whatever the format finds wrong with the header.
  public static func read(
    _ input: FormatInput, options: ReadingOptions = .standard
  ) throws(FormatError) -> any BackupFile {
    guard !input.isSelfOpening else { return try readPage(input, options) }
    if let named = options.format {
      let format = (formats + options.further).first { $0.identifier == named }
      guard let format else { throw .otherFormat }
      return try format.readHeader(input, options: options)
    }
    let candidates = (formats + options.further).filter { $0.recognizes(input) }
    guard let format = candidates.first else {
      let guess = ContentGuess(input)
      // What begins like JSON and isn't is more likely a backup that was cut off than anything else.
      if guess == .brokenJSON, case .failure(let error) = input.json {
        throw .unreadable(error)
      }
      throw .unknownFormat(guess)
    }
    guard candidates.count == 1 else { throw .ambiguousFormat(candidates.map(\.identifier)) }
    return try format.readHeader(input, options: options)
  }

  // A page holds `.authbackup` version 2: its own script and the opener in it read nothing else either.
  private static func readPage(_ input: FormatInput, _ options: ReadingOptions) throws(FormatError) -> any BackupFile {
    guard options.format ?? .authbackup == .authbackup else { throw .otherFormat }
    let file = try AuthBackupFormat().readHeader(input, options: options)
    guard file.header.version == 2 else { throw .unsupportedVersion(Int64(file.header.version)) }
    return file
  }

  /// The writer of a format; without a version the one to use unless a person says otherwise. Nil: it isn't written so.
  ///
  /// - Parameter isSealed: whether the file is sealed; nil: sealed where that version can be.
  public static func writer(
    for identifier: FormatIdentifier, version: Int? = nil, isSealed: Bool? = nil
  ) -> (any BackupWriter)? {
    writers.first { writer in
      writer.identifier == identifier && (version == nil || writer.version == version)
        && (isSealed == nil || writer.isSealed == isSealed)
    }
  }
}
