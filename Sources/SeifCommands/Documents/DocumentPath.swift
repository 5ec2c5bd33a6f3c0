internal import SeifCommandLine
internal import SeifBytes
internal import SeifDocumentFormat

/// Finds documents by what a person types: a path of names, or `id:` with the first digits of an identifier.
struct DocumentPath {
  let manifest: Manifest
  let tree: ManifestTree
  private let idLength: Int

  init(_ manifest: Manifest) {
    self.manifest = manifest
    tree = ManifestTree(manifest)
    idLength = HitLines.idLength(manifest.nodes.compactMap(\.id))
  }

  /// The position of the one node that is meant; nil for the root.
  ///
  /// - Throws: exit 66 where nothing or more than one fits.
  func find(_ text: String) throws(CommandFailure) -> Int? {
    if text.hasPrefix("id:") { return try find(id: String(text.dropFirst(3))) }
    var places: [Int?] = [nil]
    for name in text.split(separator: "/").map({ Normalization.nfc(String($0)) }) {
      places = places.flatMap { tree.children(of: $0) }.filter {
        utf8Equal(Normalization.nfc(manifest.nodes[$0].name), name)
      }
    }
    guard let place = places.first else {
      throw CommandFailure(.notFound, "there is no document \(text)", hint: "Try: seif docs ls --tree")
    }
    guard places.count == 1 else { throw ambiguous(text, places.compactMap { $0 }) }
    return place
  }

  /// The position of what is meant; the root has none.
  func position(_ text: String) throws(CommandFailure) -> Int {
    guard let index = try find(text) else {
      throw CommandFailure(.usage, "\(text) is the whole vault", hint: "Name a document or a folder in it.")
    }
    return index
  }

  /// A folder by its path; nil for the root.
  func folder(_ text: String) throws(CommandFailure) -> UUID? {
    guard let index = try find(text) else { return nil }
    guard manifest.nodes[index].kind == .folder, let id = id(at: index) else {
      throw CommandFailure(.notFound, "\(text) is no folder", hint: "Try: seif docs ls --tree")
    }
    return id
  }

  /// The identifier of a node if it has one of its own.
  func id(at index: Int) -> UUID? { manifest.nodes[index].id.flatMap { tree.index(of: $0) == index ? $0 : nil } }

  /// The path of a node, for people: names as they may be shown, of a very deep one the last.
  func text(_ index: Int) -> String {
    var (names, at) = ([String](), Int?.some(index))
    while let node = at, names.count < Self.shownDepth {
      names.append("/" + DocumentName.display(manifest.nodes[node].name))
      at = tree.place(of: node)
    }
    return (at == nil ? "" : "/...") + names.reversed().joined()
  }

  /// As many digits of an identifier as tell it from all others.
  func shortID(_ index: Int) -> String {
    manifest.nodes[index].id.map { String(Query.hexadecimal($0).prefix(idLength)) } ?? ""
  }

  /// Most folders that a path is written with.
  private static let shownDepth = 64

  private func find(id text: String) throws(CommandFailure) -> Int {
    let digits = text.lowercased().replacing("-", with: "")
    guard digits.utf8.count >= 4 else {
      throw CommandFailure(.usage, "an identifier needs at least four digits", hint: "See: seif docs ls --long")
    }
    let hits = manifest.nodes.indices.filter {
      manifest.nodes[$0].id.map { Query.hexadecimal($0).hasPrefix(digits) } ?? false
    }
    guard let hit = hits.first else {
      throw CommandFailure(.notFound, "no document has an identifier that begins so", hint: "See: seif docs ls --long")
    }
    guard hits.count == 1 else { throw ambiguous("id:" + text, hits) }
    return hit
  }

  private func ambiguous(_ text: String, _ hits: [Int]) -> CommandFailure {
    CommandFailure(
      .notFound, "\(text) names \(hits.count) documents. Say which:",
      details: hits.prefix(20).map { "id:\(shortID($0))  \(self.text($0))" })
  }
}
