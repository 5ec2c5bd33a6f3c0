internal import SeifBytes

extension ManifestMerge {
  /// A manifest with its nodes by identifier.
  struct Side {
    let manifest: Manifest
    /// Of each identifier the first node: a second one has no claim to it.
    let first: [UUID: Int]

    init(_ manifest: Manifest) {
      self.manifest = manifest
      var first = [UUID: Int](minimumCapacity: manifest.nodes.count)
      for (index, node) in manifest.nodes.enumerated() {
        if let id = node.id, first[id] == nil { first[id] = index }
      }
      self.first = first
    }

    subscript(id: UUID) -> ManifestNode? { first[id].map { manifest.nodes[$0] } }

    /// Nodes without an identifier, and second ones of an identifier.
    var namelessNodes: [ManifestNode] {
      manifest.nodes.enumerated().filter { index, node in node.id.map { first[$0] != index } ?? true }.map(\.element)
    }

    func nameless() -> [ManifestNode: Int] {
      namelessNodes.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
  }

  /// Whose value of a field counts.
  enum Choice {
    /// Theirs, which may be ours too.
    case server
    case ours
    /// Both changed it, and differently.
    case both

    init(
      _ mine: ManifestNode, _ theirs: ManifestNode, _ old: ManifestNode?, same: (ManifestNode, ManifestNode) -> Bool
    ) {
      if same(mine, theirs) {
        self = .server
      } else if let old {
        self = same(mine, old) ? .server : same(theirs, old) ? .ours : .both
      } else {
        self = .both
      }
    }
  }
}

extension ManifestNode {
  var hasName: Bool { !faults.contains { $0.key == "name" } }

  func isSpoiltAlike(_ other: ManifestNode, _ key: String) -> Bool {
    spoilt.first { $0.key == key } == other.spoilt.first { $0.key == key }
  }

  /// Whether both say the same, however they write identifiers and dates.
  func means(the other: ManifestNode) -> Bool {
    kind == other.kind && utf8Equal(name, other.name) && parent == other.parent && isFavorite == other.isFavorite
      && createdAt == other.createdAt && spoilt == other.spoilt && meansContent(of: other)
      && Set(opaque) == Set(other.opaque)
  }

  func meansContent(of other: ManifestNode) -> Bool {
    kind == other.kind && content == other.content
      && Self.fileKeys.allSatisfy { isSpoiltAlike(other, $0) }
  }

  mutating func takeName(of other: ManifestNode) {
    rename(to: other.name)
    takeFaults(of: other, ["name"])
  }

  mutating func takeParent(of other: ManifestNode) {
    parent = other.parent
    parentText = other.parentText
    takeFaults(of: other, ["parent"])
  }

  mutating func takeFavorite(of other: ManifestNode) {
    isFavorite = other.isFavorite
    takeFaults(of: other, ["favorite"])
  }

  mutating func takeDate(of other: ManifestNode) {
    createdAt = other.createdAt
    createdAtText = other.createdAtText
    takeFaults(of: other, ["createdAt"])
  }

  mutating func takeContent(of other: ManifestNode) {
    content = other.content
    objectText = other.objectText
    takeFaults(of: other, Self.fileKeys)
  }

  private mutating func takeFaults(of other: ManifestNode, _ keys: [String]) {
    spoilt = spoilt.filter { !keys.contains($0.key) } + other.spoilt.filter { keys.contains($0.key) }
    faults = faults.filter { !keys.contains($0.key) } + other.faults.filter { keys.contains($0.key) }
  }
}
