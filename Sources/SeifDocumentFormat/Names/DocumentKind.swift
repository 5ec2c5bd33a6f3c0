/// What may be put into a vault, by the extension of its name: a courtesy of the client, which never keeps one from
/// reading (seed *Formatul seifului*: "What may be put in it").
public enum DocumentKind: String, Sendable, Hashable, CaseIterable {
  case document, sheet, slides, text, image, archive

  /// The extensions of this kind, in lower case.
  public var extensions: [String] {
    switch self {
    case .document: ["pdf", "doc", "docx", "rtf", "odt"]
    case .sheet: ["xls", "xlsx", "ods", "csv"]
    case .slides: ["ppt", "pptx"]
    case .text: ["txt", "xml", "json"]
    case .image: ["jpg", "jpeg", "png", "heic", "heif", "gif", "webp", "tiff"]
    case .archive: ["zip"]
    }
  }

  private static let byExtension: [String: DocumentKind] = allCases.reduce(into: [:]) { known, kind in
    for name in kind.extensions { known[name] = kind }
  }

  /// All extensions that may be put in, in lower case.
  public static var allExtensions: [String] { allCases.flatMap(\.extensions) }

  /// The kind of an extension in lower case; nil for one that isn't in the list.
  public init?(extension name: String) {
    // As scalars: letters with marks are equal to others as text.
    guard name.utf8.allSatisfy({ $0 < 0x80 }), let kind = Self.byExtension[name] else { return nil }
    self = kind
  }

  /// The extension of a name that may be put in, in lower case: what follows the last dot, with something before it,
  /// ASCII letters folded and no others; nil for one that isn't in the list.
  public static func acceptedExtension(of name: String) -> String? {
    let (stem, tail) = DocumentName.parts(name)
    guard !stem.isEmpty, tail.utf8.count > 1 else { return nil }
    var lower = String.UnicodeScalarView()
    for scalar in tail.unicodeScalars.dropFirst() {
      guard scalar.isASCII else { return nil }
      let isUpper = (0x41...0x5A).contains(scalar.value)
      lower.append(isUpper ? Unicode.Scalar(UInt8(scalar.value) + 0x20) : scalar)
    }
    let name = String(lower)
    return DocumentKind(extension: name) == nil ? nil : name
  }
}
