internal import SeifBytes

/// Names of documents and folders: any text, and never a path.
public enum DocumentName {
  /// Most bytes of a file name that is made for a disk.
  public static let fileNameByteCount = 255
  /// Most bytes of an extension that survives shortening.
  private static let keptExtensionByteCount = 16

  /// The name as it may be shown: one line, with controls, line separators and marks of direction as U+FFFD.
  public static func display(_ name: String) -> String {
    replacing(name, by: "\u{FFFD}") { Display.isHarmful($0) }
  }

  /// The name as one of a file: separators and what isn't shown become `_`, at most 255 bytes of UTF-8.
  ///
  /// It may be the name of another document's file too: whoever writes it makes sure that nothing is overwritten.
  public static func fileName(_ name: String) -> String {
    var safe = replacing(name, by: "_") { Display.isHarmful($0) || $0 == "/" || $0 == "\\" }
    if safe.utf8.allSatisfy({ $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: " ") }) { safe = "_" }
    guard safe.utf8.count > fileNameByteCount else { return safe }
    let (stem, tail) = parts(safe)
    guard !stem.isEmpty, (1...keptExtensionByteCount + 1).contains(tail.utf8.count) else {
      return prefix(safe, byteCount: fileNameByteCount)
    }
    return prefix(stem, byteCount: fileNameByteCount - tail.utf8.count) + tail
  }

  /// The name with ` (2)` and so on before its extension, for a second document of this name.
  public static func numbered(_ name: String, _ number: Int) -> String {
    let (stem, tail) = parts(name)
    return stem.isEmpty ? "\(name) (\(number))" : "\(stem) (\(number))\(tail)"
  }

  /// What comes before the last dot, and the rest with the dot; all of it and nothing where there is no dot.
  static func parts(_ name: String) -> (stem: String, tail: String) {
    // By scalars: a dot with a combining mark is a dot.
    let scalars = name.unicodeScalars
    guard let dot = scalars.lastIndex(of: ".") else { return (name, "") }
    return (String(scalars[..<dot]), String(scalars[dot...]))
  }

  private static func replacing(
    _ name: String, by stand: Unicode.Scalar, where isReplaced: (Unicode.Scalar) -> Bool
  ) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in name.unicodeScalars { scalars.append(isReplaced(scalar) ? stand : scalar) }
    return String(scalars)
  }

  /// The longest beginning of whole scalars that has at most so many bytes.
  private static func prefix(_ text: String, byteCount: Int) -> String {
    var (result, used) = (String.UnicodeScalarView(), 0)
    for scalar in text.unicodeScalars {
      used += UTF8.width(scalar)
      guard used <= byteCount else { break }
      result.append(scalar)
    }
    return String(result)
  }
}
