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
    formats.filter { $0.recognizes(input) }.map(\.identifier)
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
    if let named = options.format {
      let format = (formats + options.further).first { $0.identifier == named }
      guard let format else { throw .otherFormat }
      return try format.readHeader(input, options: options)
    }
    let candidates = (formats + options.further).filter { $0.recognizes(input) }
    guard let format = candidates.first else {
      let guess = ContentGuess(input)
      // What begins like JSON and isn't is more likely a backup that was cut off than anything else.
      // So is a page with something else where its backup should be.
      if guess == .brokenJSON || input.isSelfOpening, case .failure(let error) = input.json {
        throw .unreadable(error)
      }
      throw .unknownFormat(guess)
    }
    guard candidates.count == 1 else { throw .ambiguousFormat(candidates.map(\.identifier)) }
    return try format.readHeader(input, options: options)
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
