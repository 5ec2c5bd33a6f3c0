public import SeifBytes

public struct ManifestNode: Sendable, Equatable {
  public enum Kind: Sendable, Equatable { case folder, file, other }
  public var id: UUID
  public var parent: UUID?
  public var kind: Kind
  public var name: String
  public var createdAt: Timestamp?
  public var favorite = false
  public var object: UUID?
  public var key: SecretValue?
  public var bytes: Int?
  public var ext: String?
  public init(id: UUID, parent: UUID?, kind: Kind, name: String, createdAt: Timestamp?) {
    self.id = id
    self.parent = parent
    self.kind = kind
    self.name = name
    self.createdAt = createdAt
  }
}
public struct MergeLoss: Sendable, Equatable { public var words: String }
public struct Manifest: Sendable, Equatable {
  public var nodes: [ManifestNode] = []
  public init() {}
  public struct Bad: Error {}
  public init(parsing bytes: SecretValue) throws {
    let root = try JSONDocument(parsing: bytes, policy: .strict).root
    guard root["version"]?.int64 == 1, let list = root["nodes"], list.kind == .array else { throw Bad() }
    for value in list.elements {
      guard let id = value["id"]?.string.flatMap({ UUID($0) }) else { throw Bad() }
      let kind: ManifestNode.Kind = value["kind"]?.string == "folder" ? .folder : .file
      var node = ManifestNode(
        id: id, parent: value["parent"]?.string.flatMap { UUID($0) }, kind: kind, name: value["name"]?.string ?? "",
        createdAt: value["createdAt"]?.string.flatMap { Timestamp(rfc3339: $0) })
      node.favorite = value["favorite"]?.bool == true
      node.object = value["object"]?.string.flatMap { UUID($0) }
      node.key = try value["key"]?.withString { try Base64.decode($0) }
      node.bytes = value["bytes"]?.int64.map { Int($0) }
      node.ext = value["ext"]?.string
      nodes.append(node)
    }
  }
  public var encoded: SecretValue {
    var w = JSONWriter()
    w.beginObject()
    w.key("nodes")
    w.beginArray()
    for n in nodes {
      w.beginObject()
      w.key("id"); w.string(n.id.description)
      w.key("kind"); w.string(n.kind == .folder ? "folder" : "file")
      w.key("name"); w.string(n.name)
      if let p = n.parent { w.key("parent"); w.string(p.description) }
      if let c = n.createdAt { w.key("createdAt"); w.string(c.rfc3339Milliseconds) }
      w.key("favorite"); w.bool(n.favorite)
      if let o = n.object { w.key("object"); w.string(o.description) }
      if let k = n.key { w.key("key"); w.string(k.withBytes { Base64.encode($0) }) }
      if let b = n.bytes { w.key("bytes"); w.integer(Int64(b)) }
      if let e = n.ext { w.key("ext"); w.string(e) }
      w.endObject()
    }
    w.endArray()
    w.key("version")
    w.integer(1)
    w.endObject()
    return w.finish()
  }
}
