internal import SeifCommandLine
internal import SeifBytes
internal import SeifDocumentFormat
internal import SeifDocuments

/// What is said of document vaults.
enum DocumentWords {
  /// A failure of a store or of the client.
  static func failure(_ error: DocumentError) -> CommandFailure {
    let (code, hint): (ExitCode, String?) =
      switch error.code {
      case .notFound: (.notFound, nil)
      case .noVault: (.notFound, "Make one: seif docs init")
      case .exists: (.cannotCreate, "Give another name, or --force to replace a file.")
      case .gone: (.cannotCreate, nil)
      case .noPermission, .readOnly: (.cannotCreate, "Check the path and its permissions.")
      case .notAFolder: (.notFound, nil)
      case .full, .failed: (.ioFailed, nil)
      case .tooLarge: (.badInput, "A document has at most 50 MiB.")
      case .conflict: (.busy, "Try again.")
      case .otherCopy:
        (
          .busy, "See them: seif docs ls --docs THERE. Bring them over by docs get and put; --force takes them away."
        )
      case .locked: (.busy, "Try again when it is done.")
      case .lastKeyWrap, .tooManyKeyWraps, .notPossible: (.usage, nil)
      case .damaged: (.badInput, "Look further: seif docs doctor")
      case .sourceChanged: (.ioFailed, "Nothing of it was stored; try again when nobody writes to it.")
      case .notAFile: (.badInput, "Only regular files can be put in.")
      case .rollback: (.checkFailed, "Nothing was written. See: seif docs doctor, seif docs accept-rollback")
      case .cancelled: (.interrupted, nil)
      case .cannotOpen: (.refused, "It may be another vault's key, or damaged.")
      case .notUnderstood: (.badInput, "A newer Seif may read it. Nothing was changed.")
      case .notSignedIn: (.refused, "Sign in: seif login")
      case .notFresh: (.refused, "Sign in again: seif login")
      case .notAllowed: (.badInput, "Its extension has to be one of: " + allowed + ".")
      }
    return CommandFailure(code, error.description, hint: hint)
  }

  static var allowed: String { DocumentKind.allExtensions.joined(separator: ", ") }

  /// A place that shows an older state.
  static func rollback(_ rollback: Rollback, _ place: String) -> CommandFailure {
    let seen = "this machine has seen revision \(rollback.seen.revision)"
    let what =
      switch rollback.kind {
      case .lowerRevision: "\(place) shows revision \(rollback.shown?.revision ?? 0), and \(seen)"
      case .otherContents: "\(place) shows another revision \(rollback.seen.revision) than the one that was seen here"
      case .noManifest: "\(place) shows no table of contents, and \(seen)"
      case .noVault: "\(place) shows no vault, and \(seen)"
      }
    return CommandFailure(
      .checkFailed, what,
      hint: "Nothing was written. Somebody may have put an older copy back; if that was you: seif docs accept-rollback")
  }

  /// What a merge with another writer's changes couldn't keep.
  static func merge(_ note: MergeNote) -> String {
    switch note.kind {
    case .name: "\(note.name): another program gave it this name; yours was \(note.other)"
    case .place: "\(note.name): another program moved it too, and its place counts"
    case .twoContents: "\(note.name): two programs changed it; yours is \(note.other)"
    case .stays: "\(note.name): one program removed it and another changed it, so it stays"
    case .field: "\(note.name): two programs changed \(note.other); yours isn't kept"
    case .kind: "\(note.name): two programs made different things of it"
    case .circle: "\(note.name): it would have been inside itself, so it is at the top"
    }
  }

  /// A way in, as a person knows it again: what it is, and of which day.
  static func wayIn(_ row: StoredKeyWrap) -> String {
    guard let row = try? KeyWraps(parsing: SecretValue(StoredKeyWrap.list([row]))).rows.first else {
      return "a way in that can't be read"
    }
    let what =
      switch row.kind {
      case .recovery: "the recovery code"
      case .passkey: "the passkey"
      case .other: "a way in of another kind"
      }
    return row.createdAt.map { "\(what) of \($0.rfc3339.prefix(10))" } ?? what
  }

  /// A size as people read it.
  static func size(_ byteCount: Int) -> String {
    switch byteCount {
    case ..<1_000: "\(byteCount) B"
    case ..<1_000_000: tenths(byteCount, 1_000) + " kB"
    case ..<1_000_000_000: tenths(byteCount, 1_000_000) + " MB"
    default: tenths(byteCount, 1_000_000_000) + " GB"
    }
  }

  private static func tenths(_ count: Int, _ unit: Int) -> String {
    let (whole, part) = (count / unit, count % unit * 10 / unit)
    return whole < 10 ? "\(whole).\(part)" : "\(whole)"
  }

  static func count(_ number: Int, _ one: String = "document") -> String { "\(number) \(one)\(number == 1 ? "" : "s")" }

  /// What a document's first bytes look like.
  static func type(_ type: ContentType) -> String {
    switch type {
    case .zip: "it looks like a ZIP file"
    case .compoundFile: "it looks like an older office file"
    case .richText: "it looks like rich text"
    case .text: "it looks like plain text"
    case .program: "it looks like a program"
    case .empty: "it is empty"
    case .unknown: "its first bytes are of no kind that a vault takes"
    default: "it looks like \(type.rawValue.uppercased())"
    }
  }

  /// What is wrong with a line of the table of contents.
  static func problem(_ kind: ManifestProblem.Kind) -> String {
    switch kind {
    case .notAnObject: "not a document"
    case .badID, .duplicateID: "its identifier is missing or taken"
    case .unknownKind: "a kind that this Seif doesn't know"
    case .badName: "no name"
    case .badParent, .parentMissing, .parentNotAFolder, .parentCycle: "its folder isn't there"
    case .badDate: "no date"
    case .badFavorite: "an odd mark"
    case .badObject, .badKey, .badBytes, .badExtension: "it can't be opened"
    }
  }
}
