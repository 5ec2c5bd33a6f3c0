import FoundationEssentials

/// The folder of the package, and what the tests read in it.
enum PackageFolder {
  static let path = #filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/" + $1 }

  static func text(_ name: String) throws -> String {
    try String(contentsOfFile: path + "/" + name, encoding: .utf8)
  }

  /// The Swift files under `Sources`, by their path from the package's folder.
  static func sources() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: path + "/Sources")
      .filter { $0.hasSuffix(".swift") }
      .map { "Sources/" + $0 }
      .sorted()
  }

  /// The modules that a Swift text imports: for `package import struct Swift.Span` it is `Swift`.
  static func imports(in text: String) -> [String] {
    text.split(whereSeparator: \.isNewline).compactMap { line in
      var words = line.split(whereSeparator: \.isWhitespace).map(String.init)[...]
      while let word = words.first, word.hasPrefix("@") || accessLevels.contains(word) { words.removeFirst() }
      guard words.first == "import" else { return nil }
      words.removeFirst()
      if let kind = words.first, importKinds.contains(kind) { words.removeFirst() }
      return words.first?.split(separator: ".").first.map(String.init)
    }
  }

  private static let accessLevels: Set<String> = ["public", "package", "internal", "fileprivate", "private"]
  private static let importKinds: Set<String> = [
    "struct", "class", "enum", "protocol", "typealias", "func", "let", "var", "actor",
  ]
}
