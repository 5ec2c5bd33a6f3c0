public import SeifBytes

/// Where each node of a manifest stands, made in one pass: a broken place costs only the node that has it, which then
/// stands at the root. Nodes are named by their position in the manifest.
public struct ManifestTree: Sendable {
  /// All problems, by position.
  public let problems: [ManifestProblem]
  /// Positions of what is at the root, in the manifest's order.
  public let roots: [Int]
  private let inFolder: [Int: [Int]]
  private let byID: [UUID: Int]
  private let places: [Int?]

  /// The tree of a manifest. Time and memory are linear in its nodes, however they hang together.
  public init(_ manifest: Manifest) {
    let nodes = manifest.nodes
    var (byID, duplicates) = ([UUID: Int](minimumCapacity: nodes.count), Set<Int>())
    for (index, node) in nodes.enumerated() {
      guard let id = node.id else { continue }
      if byID[id] == nil { byID[id] = index } else { duplicates.insert(index) }
    }
    let circle = Set(Self.circles(nodes, byID).joined())
    var (problems, roots, inFolder) = ([ManifestProblem](), [Int](), [Int: [Int]]())
    var places: [Int?] = []
    for (index, node) in nodes.enumerated() {
      if let kind = node.problem { problems.append(ManifestProblem(index: index, kind: kind)) }
      if duplicates.contains(index) { problems.append(ManifestProblem(index: index, kind: .duplicateID)) }
      var place: Int?
      if let parent = node.parent {
        if let above = byID[parent] {
          if nodes[above].kind != .folder {
            problems.append(ManifestProblem(index: index, kind: .parentNotAFolder))
          } else if circle.contains(index) {
            problems.append(ManifestProblem(index: index, kind: .parentCycle))
          } else {
            place = above
          }
        } else {
          problems.append(ManifestProblem(index: index, kind: .parentMissing))
        }
      }
      places.append(place)
      if let place { inFolder[place, default: []].append(index) } else { roots.append(index) }
    }
    self.problems = problems
    self.roots = roots
    self.inFolder = inFolder
    self.byID = byID
    self.places = places
  }

  /// Position of the first node with an identifier.
  public func index(of id: UUID) -> Int? { byID[id] }

  /// Positions of what is in a folder, nil for the root; in the manifest's order.
  public func children(of folder: Int?) -> [Int] {
    guard let folder else { return roots }
    return inFolder[folder] ?? []
  }

  /// The folder that a node stands in; nil for the root.
  public func place(of index: Int) -> Int? { places.indices.contains(index) ? places[index] : nil }

  /// Everything below a node, those above before those below them; without the node itself.
  public func below(_ index: Int) -> [Int] {
    var found = children(of: index)
    var position = 0
    while position < found.count {
      found += inFolder[found[position]] ?? []
      position += 1
    }
    return found
  }

  /// The folders that a node stands in, from the root on.
  public func folders(above index: Int) -> [Int] {
    var (path, at) = ([Int](), place(of: index))
    while let folder = at {
      path.append(folder)
      at = place(of: folder)
    }
    return path.reversed()
  }

  /// The circles of nodes that are, through others, inside themselves. What hangs below one isn't in it, nor is a second
  /// node of an identifier, in which nothing can be.
  static func circles(_ nodes: [ManifestNode], _ byID: [UUID: Int]) -> [[Int]] {
    var walk = [Int](repeating: 0, count: nodes.count)
    var circles: [[Int]] = []
    for start in nodes.indices where walk[start] == 0 {
      var at: Int? = start
      while let index = at, walk[index] == 0 {
        walk[index] = start + 1
        at = nodes[index].parent.flatMap { byID[$0] }
      }
      // A node of this very walk: round once, and note all.
      guard let first = at, walk[first] == start + 1 else { continue }
      var (circle, index) = ([first], nodes[first].parent.flatMap { byID[$0] })
      while let next = index, next != first {
        circle.append(next)
        index = nodes[next].parent.flatMap { byID[$0] }
      }
      circles.append(circle)
    }
    return circles
  }
}
