internal import SeifBytes

/// From JSON to nodes: strict about the whole, lenient about each node.
enum ManifestReader {
  private static let policy = JSONPolicy(
    isStrict: true, maximumByteCount: DocumentLimits.manifestByteCount, maximumDepth: 32, maximumValueCount: 8 << 20)

  static func read(_ text: SecretValue) throws(DocumentFormatError) -> Manifest {
    let document: JSONDocument
    do throws(JSONError) { document = try JSONDocument(parsing: text, policy: policy) } catch {
      throw .badManifest(.json(error))
    }
    guard document.root.kind == .object else { throw .badManifest(.notAnObject) }
    guard let version = document.root["version"]?.integer else { throw .badManifest(.version) }
    guard version == .value(Int64(Manifest.formatVersion)) else { throw .unsupportedVersion }
    guard let nodes = document.root["nodes"], nodes.kind == .array else { throw .badManifest(.nodes) }
    var manifest = Manifest()
    for value in nodes.elements {
      guard manifest.nodes.count < Manifest.nodeCount else { throw .badManifest(.tooManyNodes) }
      manifest.nodes.append(node(value))
    }
    for (key, value) in document.root.members where !key.is("version") && !key.is("nodes") {
      manifest.opaque.append(OpaqueMember(key: key.text, value: value.canonical))
    }
    return manifest
  }

  private static func node(_ value: JSONValue) -> ManifestNode {
    guard value.kind == .object else { return ManifestNode(other: value.canonical) }
    var fields = Fields()
    for (key, value) in value.members { fields.take(key, value) }
    return fields.node()
  }

  /// The fields of one node, each looked at once.
  private struct Fields {
    private var known: [String: JSONValue] = [:]
    private var opaque: [OpaqueMember] = []
    private static let keys = ManifestNode.commonKeys + ManifestNode.fileKeys

    mutating func take(_ key: JSONKey, _ value: JSONValue) {
      if let name = Self.keys.first(where: { key.is($0) }) {
        known[name] = value
      } else {
        opaque.append(OpaqueMember(key: key.text, value: value.canonical))
      }
    }

    consuming func node() -> ManifestNode {
      var node = ManifestNode(reading: ())
      if let text = text("id"), let id = UUID(text) {
        node.id = id
        node.idText = text
      } else {
        spoil("id", .badID, &node)
      }
      switch text("kind") {
      case "folder": node.kind = .folder
      case "file": node.kind = .file
      default: spoil("kind", .unknownKind, &node)
      }
      if let name = text("name") { node.name = name } else { spoil("name", .badName, &node) }
      readParent(&node)
      // RFC 3339 lets `t` and `z` stand there; this format doesn't.
      if let text = text("createdAt"), !text.utf8.contains(where: { $0 == 0x74 || $0 == 0x7A }),
        let date = Timestamp(rfc3339: text)
      {
        node.createdAt = date
        node.createdAtText = text
      } else {
        spoil("createdAt", .badDate, &node)
      }
      if let favorite = known["favorite"] {
        if let value = favorite.bool { node.isFavorite = value } else { spoil("favorite", .badFavorite, &node) }
      }
      if node.kind == .file {
        readContent(&node)
      } else {
        // Another kind's fields mean nothing here.
        for key in ManifestNode.fileKeys {
          if let value = known[key] { opaque.append(OpaqueMember(key: key, value: value.canonical)) }
        }
      }
      // As they are written, so that the same node read from two writers is equal.
      node.opaque = opaque.count > 1 ? opaque.sorted { utf8Precedes($0.key, $1.key) } : opaque
      return node
    }

    private func text(_ key: String) -> String? { known[key]?.string }

    private func spoil(_ key: String, _ kind: ManifestProblem.Kind, _ node: inout ManifestNode) {
      node.faults.append(ManifestNode.Fault(key: key, kind: kind))
      keep(key, &node)
    }

    private func keep(_ key: String, _ node: inout ManifestNode) {
      if let value = known[key] { node.spoilt.append(OpaqueMember(key: key, value: value.canonical)) }
    }

    private func readParent(_ node: inout ManifestNode) {
      guard let parent = known["parent"], parent.kind != .null else { return }
      guard let text = parent.string, let id = UUID(text) else { return spoil("parent", .badParent, &node) }
      node.parent = id
      node.parentText = text
    }

    private func readContent(_ node: inout ManifestNode) {
      let object = text("object").flatMap { UUID($0) }
      let key = known["key"].flatMap { $0.withString { try? Base64.decode($0) } ?? nil }
      let byteCount = known["bytes"]?.int64
      let ext = text("ext")
      var faults: [String: ManifestProblem.Kind] = [:]
      if object == nil { faults["object"] = .badObject }
      if key?.byteCount != 32 { faults["key"] = .badKey }
      if byteCount.map({ !(0...1 << 53 - 1).contains($0) }) ?? true { faults["bytes"] = .badBytes }
      if ext == nil { faults["ext"] = .badExtension }
      if faults.isEmpty, let object, let key, let byteCount, let ext {
        node.content = DocumentContent(object: object, key: key, byteCount: Int(byteCount), ext: ext)
        node.objectText = text("object") ?? ""
        return
      }
      for key in ManifestNode.fileKeys {
        if let kind = faults[key] { spoil(key, kind, &node) } else { keep(key, &node) }
      }
    }
  }
}

extension ManifestNode {
  /// An empty one that a reader fills.
  fileprivate init(reading: Void) {
    kind = .unknown
    name = ""
    isFavorite = false
  }
}
