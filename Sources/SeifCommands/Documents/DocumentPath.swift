internal import SeifBytes
internal import SeifDocumentFormat

/// Finds documents by what a person types: a path of names, or `id:` with the first digits of an identifier.
struct DocumentPath {
  let manifest: Manifest
  let tree: ManifestTree

  init(_ manifest: Manifest) {
    self.manifest = manifest
    tree = ManifestTree(manifest)
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

  /// The identifiers of what is meant; of the root none can be given.
  func ids(_ texts: [String]) throws(CommandFailure) -> [UUID] {
    var ids: [UUID] = []
    for text in texts {
      guard let index = try find(text) else {
        throw CommandFailure(.usage, "\(text) is the whole vault", hint: "Name a document or a folder in it.")
      }
      ids.append(try id(at: index))
    }
    return ids
  }

  /// A folder by its path; nil for the root.
  func folder(_ text: String) throws(CommandFailure) -> UUID? {
    guard let index = try find(text) else { return nil }
    guard manifest.nodes[index].kind == .folder else {
      throw CommandFailure(.notFound, "\(text) is no folder", hint: "Try: seif docs ls --tree")
    }
    return try id(at: index)
  }

  /// The path of a node, for people: names as they may be shown.
  func text(_ index: Int) -> String {
    (tree.folders(above: index) + [index]).map { "/" + DocumentName.display(manifest.nodes[$0].name) }.joined()
  }

  /// As many digits of an identifier as tell it from all others, at least eight.
  func shortID(_ index: Int) -> String {
    manifest.nodes[index].id.map { String($0.description.prefix(idLength)) } ?? ""
  }

  private var idLength: Int { manifest.nodes.count > 4096 ? 13 : 8 }

  private func id(at index: Int) throws(CommandFailure) -> UUID {
    guard let id = manifest.nodes[index].id, tree.index(of: id) == index else {
      throw CommandFailure(
        .badInput, "\(text(index)) has no identifier of its own, so it can only be looked at",
        hint: "The program that made it has to put it right.")
    }
    return id
  }

  private func find(id text: String) throws(CommandFailure) -> Int {
    let digits = text.lowercased()
    guard digits.utf8.count >= 4 else {
      throw CommandFailure(.usage, "an identifier needs at least four digits", hint: "See: seif docs ls --long")
    }
    let hits = manifest.nodes.indices.filter { manifest.nodes[$0].id?.description.hasPrefix(digits) ?? false }
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
