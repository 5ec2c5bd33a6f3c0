/// What a document's first bytes say of its type, so that a name that claims another is noticed. A guess from a few
/// bytes: a difference is a warning and refuses nothing.
public enum ContentType: String, Sendable, Hashable, CaseIterable {
  case pdf, jpeg, png, gif, webp, tiff, heif
  /// ZIP, and with it the newer office formats.
  case zip
  /// The older office formats.
  case compoundFile
  case richText
  /// UTF-8 or UTF-16 without control characters.
  case text
  /// A program for Linux, Windows or macOS, or a script with an interpreter line.
  case program
  case empty
  case unknown

  /// How many bytes are looked at.
  public static let probedByteCount = 512

  /// The type that the first bytes of a document suggest.
  public init(firstBytes bytes: [UInt8]) {
    let bytes = bytes.prefix(Self.probedByteCount)
    func begins(_ magic: [UInt8], at offset: Int = 0) -> Bool { bytes.dropFirst(offset).starts(with: magic) }
    func begins(_ text: StaticString, at offset: Int = 0) -> Bool { begins(Array(text.description.utf8), at: offset) }
    self =
      if bytes.isEmpty {
        .empty
      } else if begins("%PDF-") {
        .pdf
      } else if begins([0xFF, 0xD8, 0xFF]) {
        .jpeg
      } else if begins([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
        .png
      } else if begins("GIF87a") || begins("GIF89a") {
        .gif
      } else if begins("RIFF"), begins("WEBP", at: 8) {
        .webp
      } else if begins([0x49, 0x49, 0x2A, 0x00]) || begins([0x4D, 0x4D, 0x00, 0x2A]) {
        .tiff
      } else if begins("ftyp", at: 4), Self.isHEIFBrand(bytes.dropFirst(8).prefix(4)) {
        .heif
      } else if begins([0x50, 0x4B, 0x03, 0x04]) || begins([0x50, 0x4B, 0x05, 0x06]) {
        .zip
      } else if begins([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]) {
        .compoundFile
      } else if begins("{\\rtf") {
        .richText
      } else if begins([0x7F, 0x45, 0x4C, 0x46]) || begins("MZ") || begins("#!") || Self.isMachO(bytes.prefix(4)) {
        .program
      } else if Self.isText(bytes) { .text } else { .unknown }
  }

  /// Whether a document with these first bytes may go by an extension of the list.
  public func fits(extension name: String) -> Bool {
    switch name {
    case "pdf": self == .pdf
    case "jpg", "jpeg": self == .jpeg
    case "png": self == .png
    case "gif": self == .gif
    case "webp": self == .webp
    case "tiff": self == .tiff
    case "heic", "heif": self == .heif
    case "docx", "xlsx", "pptx", "odt", "ods", "zip": self == .zip
    // Programs write these names for richer and plainer formats than their own.
    case "doc": self == .compoundFile || self == .richText
    case "xls", "ppt": self == .compoundFile
    case "rtf": self == .richText
    case "txt", "csv", "xml", "json": self == .text || self == .empty
    default: false
    }
  }

  private static func isHEIFBrand(_ brand: ArraySlice<UInt8>) -> Bool {
    ["heic", "heix", "heif", "heim", "heis", "hevc", "hevx", "mif1", "msf1"].contains(
      String(decoding: brand, as: UTF8.self))
  }

  private static func isMachO(_ magic: ArraySlice<UInt8>) -> Bool {
    [[0xFE, 0xED, 0xFA, 0xCE], [0xFE, 0xED, 0xFA, 0xCF], [0xCE, 0xFA, 0xED, 0xFE], [0xCF, 0xFA, 0xED, 0xFE]]
      .contains(Array(magic))
  }

  private static func isText(_ bytes: ArraySlice<UInt8>) -> Bool {
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return true }
    let isPlain = bytes.allSatisfy { $0 >= 0x20 || (0x09...0x0D).contains($0) || $0 == 0x1B }
    guard isPlain else { return false }
    // A character may be cut in two where the probe ends.
    return (0...3).contains { cut in String(validating: bytes.dropLast(cut), as: UTF8.self) != nil }
  }
}
