public import SeifBytes

/// The table of contents of a document vault, format version 1 (seed *Formatul seifului*: "Manifest").
public struct Manifest: Sendable, Hashable {
  /// Documents and folders. Their order has no meaning and is kept.
  public var nodes: [ManifestNode] = []
  /// Fields beside `version` and `nodes` that aren't known.
  var opaque: [OpaqueMember] = []

  /// The manifest of a new vault.
  public init() {}

  /// Version of the format.
  public static let formatVersion = 1
  /// Most nodes that are read: more than fit into a sealed manifest of 16 MiB if each has what a node must have.
  public static let nodeCount = 1 << 18

  /// Reads the opened text of a manifest.
  ///
  /// A node that can't be used is kept, with its problem, and costs no other.
  ///
  /// - Throws: `badManifest` and `unsupportedVersion`; such a manifest must never be overwritten.
  public init(parsing text: SecretValue) throws(DocumentFormatError) {
    self = try ManifestReader.read(text)
  }

  /// The manifest as JSON without white space: nodes in their order, each with its fields in the seed's order and behind
  /// them what isn't known, in the order of the keys' bytes.
  public func text() -> SecretValue {
    var writer = JSONWriter(capacity: 64 + nodes.count * 300)
    writer.beginObject()
    writer.key("version")
    writer.integer(Int64(Self.formatVersion))
    writer.key("nodes")
    writer.beginArray()
    for node in nodes { node.write(to: &writer) }
    writer.endArray()
    for member in opaque.sorted(by: { utf8Precedes($0.key, $1.key) }) {
      writer.key(member.key)
      writer.raw(member.value)
    }
    writer.endObject()
    return writer.finish()
  }
}

extension ManifestNode {
  /// Fields of every node, and those of documents alone, in the order in which they are written.
  static let commonKeys = ["id", "parent", "kind", "name", "createdAt", "favorite"]
  static let fileKeys = ["object", "key", "bytes", "ext"]

  func write(to writer: inout JSONWriter) {
    if let other { return writer.raw(other) }
    writer.beginObject()
    for key in Self.commonKeys + (kind == .file ? Self.fileKeys : []) {
      if let member = spoilt.first(where: { $0.key == key }) {
        writer.key(key)
        writer.raw(member.value)
      } else {
        write(key, to: &writer)
      }
    }
    for member in opaque.sorted(by: { utf8Precedes($0.key, $1.key) }) {
      writer.key(member.key)
      writer.raw(member.value)
    }
    writer.endObject()
  }

  // What is missing stays missing.
  private func write(_ key: String, to writer: inout JSONWriter) {
    guard !faults.contains(where: { $0.key == key }) else { return }
    if Self.fileKeys.contains(key), content == nil { return }
    writer.key(key)
    switch key {
    case "id": writer.string(idText)
    case "parent": if let parentText { writer.string(parentText) } else { writer.null() }
    case "kind": writer.string(kind == .file ? "file" : "folder")
    case "name": writer.string(name)
    case "createdAt": writer.string(createdAtText)
    case "favorite": writer.bool(isFavorite)
    case "object": writer.string(objectText)
    case "key": writer.string(content.map { $0.key.withBytes { Base64.encode($0) } } ?? .empty)
    case "bytes": writer.integer(Int64(content?.byteCount ?? 0))
    default: writer.string(content?.ext ?? "")
    }
  }
}
