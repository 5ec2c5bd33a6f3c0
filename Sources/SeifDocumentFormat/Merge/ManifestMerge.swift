public import SeifBytes

/// Brings two manifests of one vault together that both came from a third, node by node and field by field
/// (docs/formats/document-vault.md: "Two writers").
///
/// Nothing disappears that one side never saw. Whoever merges, and in whatever order, gets the same nodes, names and
/// contents, apart from which of two names or places won.
public struct ManifestMerge: Sendable {
  /// The result: the server's order, then what came from here.
  public private(set) var manifest: Manifest
  /// What one side had and the result hasn't, or has in another way, for the person.
  public private(set) var report: [MergeNote] = []

  /// The three-way merge of what is here and what is at the server.
  ///
  /// - Parameters:
  ///   - ours: with this client's changes.
  ///   - server: what another client has put there meanwhile.
  ///   - base: what both came from. Without it nothing counts as deleted, and what both have but differs as changed by
  ///     both.
  ///   - makeID: draws an identifier at random for the second of two contents.
  public init(ours: Manifest, server: Manifest, base: Manifest?, makeID: () -> UUID) {
    let (ours, server, base) = (Side(ours), Side(server), Side(base ?? Manifest()))
    manifest = Manifest()
    manifest.opaque = Self.opaque(ours.manifest.opaque, server.manifest.opaque, base.manifest.opaque).fields
    var (placed, copies) = (Set<UUID>(), [ManifestNode]())
    for (index, node) in server.manifest.nodes.enumerated() {
      guard let id = node.id, server.first[id] == index else { continue }
      if let kept = merged(id, ours, server, base, makeID, &copies) {
        manifest.nodes.append(kept)
        placed.insert(id)
      }
    }
    for (index, node) in ours.manifest.nodes.enumerated() {
      guard let id = node.id, ours.first[id] == index, server.first[id] == nil else { continue }
      if let kept = merged(id, ours, server, base, makeID, &copies) {
        manifest.nodes.append(kept)
        placed.insert(id)
      }
    }
    manifest.nodes += copies
    restoreFolders(&placed, ours, server)
    addNameless(ours, server, base)
    breakCircles()
  }

  // MARK: - One node

  private mutating func merged(
    _ id: UUID, _ ours: Side, _ server: Side, _ base: Side, _ makeID: () -> UUID, _ copies: inout [ManifestNode]
  ) -> ManifestNode? {
    let (mine, theirs, old) = (ours[id], server[id], base[id])
    switch (mine, theirs) {
    case (nil, nil): return nil
    case (let node?, nil), (nil, let node?):
      guard let old else { return node }
      // Deleted by the other side: it goes unless something of it changed.
      guard !node.means(the: old) else { return nil }
      report.append(MergeNote(.stays, node.name))
      return node
    case (let mine?, let theirs?):
      return merged(mine, theirs, old, makeID, &copies)
    }
  }

  private mutating func merged(
    _ mine: ManifestNode, _ theirs: ManifestNode, _ old: ManifestNode?, _ makeID: () -> UUID,
    _ copies: inout [ManifestNode]
  ) -> ManifestNode {
    var result = theirs
    let name = Choice(mine, theirs, old) { utf8Equal($0.name, $1.name) && $0.hasName == $1.hasName }
    if name == .ours { result.takeName(of: mine) }
    let place = Choice(mine, theirs, old) { $0.parent == $1.parent && $0.isSpoiltAlike($1, "parent") }
    if place == .ours { result.takeParent(of: mine) }
    let favorite = Choice(mine, theirs, old) { $0.isFavorite == $1.isFavorite && $0.isSpoiltAlike($1, "favorite") }
    if favorite == .ours { result.takeFavorite(of: mine) } else if favorite == .both { result.setFavorite(true) }
    let date = Choice(mine, theirs, old) { $0.createdAt == $1.createdAt && $0.isSpoiltAlike($1, "createdAt") }
    if date == .ours { result.takeDate(of: mine) }
    let fields = Self.opaque(mine.opaque, theirs.opaque, old?.opaque ?? [])
    result.opaque = fields.fields
    let content = Choice(mine, theirs, old) { $0.meansContent(of: $1) }
    if content == .ours, mine.kind == theirs.kind {
      result.takeContent(of: mine)
    } else if content != .server, let lost = mine.content {
      var copy = mine
      copy.setID(makeID())
      copy.takeParent(of: result)
      copy.rename(to: DocumentName.numbered(result.name, 2))
      copy.setContent(lost)
      copies.append(copy)
      report.append(MergeNote(.twoContents, result.name, other: copy.name))
    }
    if name == .both { report.append(MergeNote(.name, result.name, other: mine.name)) }
    if place == .both { report.append(MergeNote(.place, result.name)) }
    if mine.kind != theirs.kind { report.append(MergeNote(.kind, result.name)) }
    for key in fields.lost { report.append(MergeNote(.field, result.name, other: key)) }
    return result
  }

  /// Unknown fields: each by itself, and of two changes the server's.
  private static func opaque(
    _ ours: [OpaqueMember], _ server: [OpaqueMember], _ base: [OpaqueMember]
  ) -> (fields: [OpaqueMember], lost: [String]) {
    if ours == server { return (server, []) }
    func values(_ members: [OpaqueMember]) -> [[UInt8]: SecretValue] {
      Dictionary(members.map { (Array($0.key.utf8), $0.value) }) { $1 }
    }
    let (mine, theirs, old) = (values(ours), values(server), values(base))
    var (fields, lost) = ([OpaqueMember](), [String]())
    var seen: Set<[UInt8]> = []
    for member in server + ours {
      let key = Array(member.key.utf8)
      guard seen.insert(key).inserted else { continue }
      var value = theirs[key]
      if mine[key] != value, mine[key] != old[key] {
        if value == old[key] {
          value = mine[key]
        } else if value == nil {
          value = mine[key]
        } else {
          lost.append(member.key)
        }
      }
      if let value { fields.append(OpaqueMember(key: member.key, value: value)) }
    }
    return (fields, lost)
  }

  // MARK: - The whole

  /// A folder that one side deleted stays where the other has put or changed something below it.
  private mutating func restoreFolders(_ placed: inout Set<UUID>, _ ours: Side, _ server: Side) {
    var position = 0
    while position < manifest.nodes.count {
      defer { position += 1 }
      guard let parent = manifest.nodes[position].parent, !placed.contains(parent),
        let folder = server[parent] ?? ours[parent]
      else { continue }
      manifest.nodes.append(folder)
      placed.insert(parent)
      report.append(MergeNote(.stays, folder.name))
    }
  }

  /// Nodes without an identifier of their own, by all that they hold: as many as one side added and the other didn't
  /// take away. What both added or both took away counts once.
  private mutating func addNameless(_ ours: Side, _ server: Side, _ base: Side) {
    let (theirs, old) = (server.nameless(), base.nameless())
    var left = ours.nameless().merging(old.mapValues(-)) { $0 + $1 }
    for (node, change) in left {
      let theirChange = (theirs[node] ?? 0) - (old[node] ?? 0)
      left[node] = change > 0 ? max(0, change - max(0, theirChange)) : min(0, change - min(0, theirChange))
    }
    for node in server.namelessNodes {
      if let difference = left[node], difference < 0 {
        left[node] = difference + 1
      } else {
        manifest.nodes.append(node)
      }
    }
    for node in ours.namelessNodes {
      if let difference = left[node], difference > 0 {
        left[node] = difference - 1
        manifest.nodes.append(node)
      }
    }
  }

  /// Of each circle the node with the smallest identifier goes to the root.
  private mutating func breakCircles() {
    var byID: [UUID: Int] = [:]
    for (index, node) in manifest.nodes.enumerated() {
      if let id = node.id, byID[id] == nil { byID[id] = index }
    }
    for circle in ManifestTree.circles(manifest.nodes, byID) {
      let first = circle.min { left, right in
        let (a, b) = (manifest.nodes[left].id, manifest.nodes[right].id)
        return utf8Precedes(a?.description ?? "", b?.description ?? "")
      }
      guard let first else { continue }
      manifest.nodes[first].move(to: nil)
      report.append(MergeNote(.circle, manifest.nodes[first].name))
    }
  }
}

/// What a merge couldn't keep as one side had it.
public struct MergeNote: Sendable, Hashable {
  /// What became of it.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Both gave it a name: `other` is the one that lost.
    case name
    /// Both moved it: it is where the server's client put it.
    case place
    /// Both changed the contents: `other` is the name of the second document.
    case twoContents = "two-contents"
    /// One side deleted it, the other had changed something of it: it stays.
    case stays
    /// Both changed the field `other`, which isn't known here.
    case field
    /// Both made something else of it.
    case kind
    /// It would have been inside itself, and is at the root.
    case circle
  }
  /// What became of it.
  public let kind: Kind
  /// The name that it has now.
  public let name: String
  /// What the kind says; else empty.
  public let other: String

  init(_ kind: Kind, _ name: String, other: String = "") {
    self.kind = kind
    self.name = name
    self.other = other
  }
}
